"""The result of a comparison: the differences of every system to the baseline, under other rules too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.errors import DuckmetricsError, MetricError, suggestion
from duckmetrics.pages.comparison_screen import compared_lines, verdict_sentence
from duckmetrics.pages.drawn import DrawnComparison
from duckmetrics.pages.screens import cells_of, writable
from duckmetrics.results.findings import Examined
from duckmetrics.results.gates import failures, read_gates
from duckmetrics.results.grid import brief_columns, few_slices, gains_of, verdict_lines
from duckmetrics.results.mlflow_runs import Logged
from duckmetrics.results.tabular import (
    Shown,
    Widened,
    aligned,
    document,
    json_object,
    p_text,
    readable,
    screen_width,
    widened,
)
from duckmetrics.words.lists import four_decimals
from duckmetrics.words.verdicts import (
    ALPHA,
    OF_MARGINS,
    WORSE_SYSTEM,
    drawn_by_adjustment,
    false_verdicts,
    families_text,
    margin_sentence,
    sizes_of,
    tests_text,
)
from duckmetrics.words.visible import visible, visible_key

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import pyarrow as pa

    from duckmetrics.pages.curves import Developing
    from duckmetrics.pages.report import Report
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.results.findings import Finding


# The rows of a comparison with other switches, or why there is none.
Recounted = Sequence[Mapping[str, Any]] | DuckmetricsError
Recount = Callable[[Mapping[str, Any]], Recounted]
NUMBERS_OTHERWISE = (
    "value", "baseline_value", "delta", "relative_change", "relative_lower", "relative_upper", "p_adjusted",
)  # fmt: skip


def conventions_text(switches: Mapping[str, Any]) -> str:
    """Write switches as a person would: ``missing=skip, unjudged=skip``."""
    return ", ".join(f"{name}={value}" for name, value in switches.items())


def otherwise_table(
    rows: Sequence[Mapping[str, Any]], baseline: str, others: Sequence[tuple[str, Recounted]]
) -> pa.Table:
    """Return the overall rows of a comparison, and then those under each of the other conventions."""
    import pyarrow as pa

    found = [*_overall("", rows, baseline)]
    for text, recounted in others:
        if isinstance(recounted, DuckmetricsError):
            found.append({"otherwise": text, "reason": str(recounted)})
        else:
            found += _overall(text, recounted, baseline)
    texts = dict.fromkeys(("otherwise", "metric", "system"), pa.string())
    numbers = dict.fromkeys(NUMBERS_OTHERWISE, pa.float64())
    types = {**texts, **numbers, "verdict": pa.string(), "n": pa.int64()}
    schema = pa.schema({**types, "reason": pa.string()})
    return pa.Table.from_pylist(found, schema)


def _overall(text: str, rows: Sequence[Mapping[str, Any]], baseline: str) -> list[dict[str, Any]]:
    """Return the overall rows of the systems that are compared with the baseline."""
    overall = [row for row in rows if not row["slice"]]
    bases = {row["metric"]: row["value"] for row in overall if row["system"] == baseline}
    return [
        {**row, "otherwise": text, "baseline_value": bases.get(row["metric"])}
        for row in overall if row["system"] != baseline
    ]  # fmt: skip


# The columns of what the slices show together.
SLICE_WORDS = ("system", "metric", "slice")
SLICE_COUNTS = ("n_slices", "df")
SLICE_NUMBERS = ("q", "p", "i2", "tau2", "delta", "delta_lower", "delta_upper")


class Differences(Widened):
    """A result with differences to a baseline.

    Attributes:
        rows: one dictionary per system, slice and metric.
        baseline: the system that the others are compared with.
        evaluation: the values of the systems.
        unpaired: whether the systems have other units, so that no unit is compared with itself.
        recount: compares again, with other switches; None for results that are compared as they are.
    """

    rows: tuple[dict[str, Any], ...]
    baseline: str
    evaluation: Evaluation
    unpaired: bool
    recount: Recount | None

    def movers(self, n: int = 20, baseline: str | None = None) -> pa.Table:
        """Return the queries that gain and lose most against the baseline, see `Evaluation.movers`.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.movers(n=1)["difference"].to_pylist()  # [0.5]
        """
        self._refuse_unpaired("movers")
        return self.evaluation.movers(n, self.baseline if baseline is None else baseline)

    def explain(
        self, query: Any = None, metric: str | None = None, *, system: str | None = None,
        baseline: str | None = None, items: Any = None, show: str | Sequence[str] = (), n: int = 10,
        by: str | None = None,
    ) -> Explanation | ExplainedGroups:  # fmt: skip
        """Return which items make the difference to the baseline, see `Evaluation.explain`.

        Raises:
            MetricError: no such metric or system, or several systems and none named.
            InputError: no such query or column.
            UnsupportedError: the metric is not a sum over items.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.explain("q1").delta  # 0.5
        """
        self._refuse_unpaired("explain")
        base = self.baseline if baseline is None else baseline
        return self.evaluation.explain(
            query, metric, system=system, baseline=base, items=items, show=show, n=n, by=by
        )

    def differences(
        self, metric: str | None = None, *, system: str | None = None, points: int = 101
    ) -> pa.Table:
        """Return the differences per query from the baseline as quantiles, in ascending order.

        Args:
            metric: one metric, all by default.
            system: one system, all by default.
            points: the number of quantiles; fewer queries have a row each.

        Returns:
            (system, metric, place, share, difference, n): difference is the value minus that of the
            baseline for the query at this place, share the share of the other queries before it, n the
            number of queries.

        Raises:
            MetricError: no such metric or system, no number of points, or no metric of queries.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.differences("mrr")["difference"].to_pylist()  # [0.0, 0.5]
        """
        self._refuse_unpaired("differences")
        found = self.evaluation.differences(self.baseline, points=points)
        for column, wanted in (("metric", metric), ("system", system)):
            known = [
                name for name in dict.fromkeys(row[column] for row in self.rows) if name != self.baseline
            ]
            if wanted is not None and wanted not in known:
                raise MetricError(f"{column} {wanted!r}", "not compared", suggestion(str(wanted), known))
            if wanted is not None:
                found = found.filter(_equals(found, column, wanted))
        return readable(found)

    def _refuse_unpaired(self, what: str) -> None:
        """Refuse what compares each query or row with itself."""
        if self.unpaired:
            raise MetricError(
                what,
                "the systems have other units, and none of them is compared with itself",
                "compare the same queries or rows without unpaired, or look at one system with evaluate",
            )

    def otherwise(self, others: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> pa.Table:
        """Return the overall verdicts under other conventions: does the conclusion depend on them?

        Args:
            others: switches that replace those of the call, such as ``[{"unjudged": "skip"},
                {"ties": "pessimistic"}]``; one alone needs no list.

        Returns:
            (otherwise, metric, system, value, baseline_value, delta, relative_change, relative_lower,
            relative_upper, p_adjusted, verdict, n, reason): first the rows as they are, with an empty text
            in otherwise, then a row for each of `others`, metric and system; reason says why there are no
            numbers, for example because no metric takes a switch.

        Raises:
            MetricError: no switches with values, or the comparison is one of results of `evaluate`, which
                are compared as they are.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.otherwise([{"ties": "item_desc"}])["delta"].to_pylist()  # [0.25, 0.25]
        """
        if self.recount is None:
            raise MetricError(
                "otherwise", "results of evaluate are compared as they are", "compare the tables instead"
            )
        listed = [others] if isinstance(others, Mapping) else others
        if not isinstance(listed, list | tuple) or not all(
            isinstance(one, Mapping) and one for one in listed
        ):
            raise MetricError(
                "otherwise", "takes switches with their values", "write otherwise([{'unjudged': 'skip'}])"
            )
        recounted = [(conventions_text(changed), self.recount(changed)) for changed in listed]
        return readable(otherwise_table(self.rows, self.baseline, recounted))


class SlicedComparison(NamedTuple):
    """The results of all slices together.

    heterogeneity: one dictionary per system, metric and slicing.
    shrunk: one dictionary per system, metric and slice.
    """

    heterogeneity: tuple[dict[str, Any], ...] = ()
    shrunk: tuple[dict[str, Any], ...] = ()


class SlicedDifferences:
    """A comparison with slices.

    Attributes:
        sliced: what the slices show together.
        evaluation: the values of the systems.
    """

    sliced: SlicedComparison
    evaluation: Evaluation

    @property
    def heterogeneity(self) -> pa.Table:
        """Whether the differences are the same in every slice: one row per system, metric and slicing.

        system, metric, slice, n_slices; q, df, p: Cochran's Q of the differences, see
        sql/statistics/heterogeneity.sql, p not adjusted; i2: the share of their variation that is between
        the slices; tau2: the variance between them; delta, delta_lower, delta_upper: the mean of the slices.
        Slicings with fewer than two tested slices have no row.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.heterogeneity.num_rows  # 0
        """
        import pyarrow as pa

        types = dict.fromkeys(SLICE_WORDS, pa.string()) | dict.fromkeys(SLICE_COUNTS, pa.int64())
        types |= dict.fromkeys(SLICE_NUMBERS, pa.float64())
        order = (*SLICE_WORDS, "n_slices", "q", "df", *SLICE_NUMBERS[1:])
        return self._sliced_table(self.sliced.heterogeneity, [(name, types[name]) for name in order])

    def shrunk(self) -> pa.Table:
        """Return the difference of every slice, moved toward the mean of the slices.

        The differences of small slices are uncertain, and the largest of them are exaggerated by chance.

        Returns:
            (system, metric, slice, the slicing columns, delta, se, shrunk, shrunk_lower, shrunk_upper):
            shrunk is delta, moved to the mean by its share of chance, see sql/statistics/shrinkage.sql.
            Slicings with fewer than two tested slices have no rows.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.shrunk().num_rows  # 0
        """
        import pyarrow as pa

        known = self.evaluation.summary.schema
        own = [(name, known.field(name).type) for name in (*SLICE_WORDS, *self.evaluation.by)]
        numbers = ("delta", "se", "shrunk", "shrunk_lower", "shrunk_upper")
        return self._sliced_table(self.sliced.shrunk, [*own, *((name, pa.float64()) for name in numbers)])

    def _sliced_document(self) -> dict[str, Any]:
        """Return what the slices show together for JSON, under its key; nothing without slices."""
        told = [json_object(row) for row in self.sliced.heterogeneity]
        return {"heterogeneity": told} if told else {}

    def _sliced_table(self, rows: tuple[dict[str, Any], ...], columns: list[tuple[str, Any]]) -> pa.Table:
        import pyarrow as pa

        return readable(pa.Table.from_pylist(list(rows), pa.schema(columns)))


def _equals(table: pa.Table, column: str, value: str) -> Any:
    import pyarrow.compute as pc

    return pc.equal(table[column], value)


NUMBERS = (
    "value", "lower", "upper", "delta", "delta_lower", "delta_upper", "relative_change",
    "relative_lower", "relative_upper", "effect_size", "target", "statistic", "df", "p", "p_adjusted", "mde",
    "n_effective", "alpha", "interval_level",
)  # fmt: skip
COUNTS = (
    "wins", "ties", "losses", "n", "n_undefined", "n_units", "n_units_baseline", "n_tests", "resamples",
    "seed",
)  # fmt: skip
WORDS = ("verdict", "better", "baseline", "test", "adjust", "interval_method", "cluster")
# The columns shown, in this order, and the column of the rows that shows whether there is a value.
SHOWN = {
    "verdict": "verdict", "n": "n", "n_units": "n_units",
    "n_units_baseline": "n_units_baseline", "value": "value", "interval": "lower",
    "delta": "delta", "delta_interval": "delta_lower", "relative_change": "relative_change",
    "effect_size": "effect_size", "wins/ties/losses": "wins", "p": "p", "p_adjusted": "p_adjusted",
    "p_not_worse_adjusted": "p_not_worse_adjusted", "p_equivalent_adjusted": "p_equivalent_adjusted",
    "margin": "margin", "mde": "mde",
}  # fmt: skip
# The columns that pairs of systems have instead of the baseline.
OF_PAIRS = {"against": "string", "against_value": "double", WORSE_SYSTEM: "string"}
# Names that a slicing column must not have.
COLUMNS = {*NUMBERS, *COUNTS, *WORDS, *OF_PAIRS}
RIGHT = {*SHOWN} - {"verdict"}
# The columns of the wide form, for each metric.
WIDE = ("value", "delta", "p_adjusted", "verdict")


@dataclass(frozen=True)
class Comparison(Examined, Differences, SlicedDifferences, DrawnComparison, Logged):
    """Systems compared with a baseline on the same queries, or rows.

    Attributes:
        rows: one dictionary per system, slice and metric. value, lower, upper: of the system; delta,
            delta_lower, delta_upper: its difference to the baseline, in the units of the metric;
            relative_change, relative_lower, relative_upper: delta / abs(value of the baseline) with its
            interval by the delta method (percentiles where whole metrics are resampled); better: higher,
            lower, target, or None if no direction is better; target: the best value, if there is one;
            effect_size: delta in standard deviations of the differences (d_z), or of other units (Cohen's
            d); wins, ties, losses: units that are better, equal and worse in number; statistic, df, p: of
            the test; p_adjusted: p corrected for all comparisons of the same slicing; mde: the smallest
            difference that the t-test would find among as many comparisons with the power asked for;
            verdict: better, worse, different, unclear, not tested, or baseline; n: queries or
            rows; n_units, n_units_baseline: the number of units behind p, with ``unpaired=True`` of both
            sides; n_effective: how many units of equal weight these are worth; df is one less for paired
            clusters; test: the method of p, ``bootstrap_samples`` for the whole metric on samples; with a
            margin: margin, its size in the units of the metric; relative_margin, its share of the baseline,
            if it is one; p_not_worse and p_equivalent of the one-sided tests, and the same corrected as
            p_adjusted; verdict then has the words equivalent, not worse and inconclusive; adjust, n_tests:
            how p was adjusted, for how many comparisons; alpha: below which p_adjusted is a verdict;
            interval_level, interval_method, cluster: of the intervals; resamples, seed: of p, if it was
            drawn, or of p_adjusted with max_t; reason: why a value or a p is missing, or where p comes from.
        baseline: the system that the others are compared with.
        test: the file under sql/statistics that computes p.
        adjust: how p is corrected for their number, ``"none"`` for not at all.
        level: of the intervals.
        evaluation: the values of the systems, with the findings of the checks.
        told: findings about the comparison, in addition to those of the checks of the evaluation.
        alpha: a verdict needs p_adjusted below it.
        pairs: with ``pairs=True``, one dictionary per pair of systems, slice and metric: the columns of
            `rows`; ``system`` is compared with the one ``against``, whose value is ``against_value``.
        unpaired: whether the systems have other units.
        sliced: what the slices show together, see `heterogeneity` and `shrunk`.
        recount: compares again, with other switches; None for results that are compared as they are.
    """

    command = "compare"

    rows: tuple[dict[str, Any], ...]
    baseline: str
    test: str
    adjust: str
    level: float
    evaluation: Evaluation = field(repr=False)
    told: tuple[Finding, ...] = ()
    alpha: float = ALPHA
    pairs: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    unpaired: bool = False
    sliced: SlicedComparison = field(default=SlicedComparison(), repr=False)
    recount: Recount | None = field(default=None, repr=False, compare=False)

    @property
    def summary(self) -> pa.Table:
        """One row per system, slice and metric, the baseline included; with ``pairs=True``, per pair."""
        return self._table(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics compare`` prints it in JSON, see docs/reference/json.md."""
        families = [{"slice": name, "comparisons": size} for name, size in sizes_of(self.rows).items()]
        told = {"verdict": self.verdict, "method": self.method, "baseline": self.baseline}
        more = {**told, "families": families, **self._sliced_document()}
        return document(self.command, self.summary.to_pylist(), self.checks, **more)

    def wide(self) -> pa.Table:
        """Return one row per system and slice: value, difference, adjusted p and verdict of each metric.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.wide()["mrr delta"].to_pylist()  # [None, 0.25]
        """
        return widened(self.rows, self.summary.schema, ("system", "slice", *self.evaluation.by), WIDE)

    def _table(self, rows: Sequence[dict[str, Any]]) -> pa.Table:
        import pyarrow as pa

        by = self.evaluation.by
        values = self.evaluation.summary.schema
        types = {name: values.field(name).type for name in ("system", "metric", "slice", *by)}
        types |= {name: pa.float64() for name in OF_MARGINS if name not in by}
        types |= dict.fromkeys(NUMBERS, pa.float64()) | dict.fromkeys(COUNTS, pa.int64())
        types |= dict.fromkeys((*WORDS, "reason", "signature"), pa.string())
        types |= {name: pa.type_for_alias(alias) for name, alias in OF_PAIRS.items()}
        order = [name for name in rows[0] if name in types]
        schema = pa.schema([(name, types[name]) for name in order])
        return readable(pa.Table.from_pylist(list(rows), schema))

    @property
    def sql(self) -> str:
        """The exact SQL that ran."""
        return self.evaluation.sql

    @property
    def checks(self) -> tuple[Finding, ...]:
        """Warnings and notes about the data and the tests."""
        return (*self.evaluation.checks, *self.told)

    @property
    def per_query(self) -> pa.Table:
        """The values of the queries, see `Evaluation.per_query`."""
        return self.evaluation.per_query

    def row(self, metric: str, system: str | None = None, **segment: Any) -> dict[str, Any]:
        """Return the row of a metric: of a system, overall or of a segment, as in ``country="DE"``.

        Args:
            system: may be left out where one is compared with the baseline.

        Raises:
            MetricError: no such metric, system or segment, or several systems and none named.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.row("mrr")["delta"]  # 0.25
        """
        others = [name for name in dict.fromkeys(row["system"] for row in self.rows) if name != self.baseline]
        if system is None and len(others) > 1:
            raise MetricError(metric, "several systems", f"name one of {', '.join(others)} with system=")
        chosen = others[0] if system is None else system
        for row in self.rows:
            same = metric in (row["metric"], self.evaluation.canonical.get(row["metric"]))
            if same and row["system"] == chosen and self.evaluation.segment(row) == segment:
                return row
        self.evaluation.value(metric, chosen, **segment)  # says what is unknown
        raise MetricError(metric, f"no comparison of {chosen} {segment or 'overall'}", "see .rows")

    def failures(
        self,
        gates: str | Sequence[str],
        *,
        log: str | Path | None = None,
        run_id: str | None = None,
        time: str | datetime | None = None,
    ) -> list[str]:
        """Return a line for every gate that fails, such as ``"ndcg@10 delta_lower < -0.005"``.

        Args:
            log, run_id, time: for gates on earlier runs, see `Evaluation.failures`.

        Raises:
            MetricError: a gate cannot be read, or names what was not evaluated.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.failures("mrr delta < -0.01")  # []
        """
        earlier = None if log is None else self.evaluation.earlier(log, run_id, time)
        return failures(read_gates(gates), self.rows, self.evaluation.canonical, earlier)

    def report(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        ids: bool = True,
        otherwise: Sequence[Mapping[str, Any]] | None = None,
        trend: Developing | None = None,
    ) -> Report:
        """Return a report of the comparison as one HTML page, and write it to a file.

        The page loads nothing and runs no script, so it can be mailed, printed, and opened anywhere.

        Args:
            path: the file, such as ``"report.html"``; by default, none is written.
            title: the title of the page.
            ids: whether the page names queries and items: in its examples, and as the queries that gain and
                lose most.
            otherwise: other conventions under which the verdict is recounted, see `otherwise`.
            trend: a result of `trend`, whose charts of these metrics the page shows.

        Raises:
            MetricError: the trend has none of the metrics.
            InputError: the file has another suffix, or is not an output of duckmetrics.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.report(folder / "report.html").html.startswith("<!doctype html>")  # True
        """
        return self.evaluation._tables.report(self, path, title, ids, otherwise, trend)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns and cells for a reader."""
        return self._cells(self.rows, ("system",))

    def _cells(
        self, rows: Sequence[dict[str, Any]], systems: Sequence[str]
    ) -> tuple[list[str], list[list[str]]]:
        """Return the columns and cells of rows.

        Args:
            systems: the columns that name systems.
        """
        by = self.evaluation.by
        known = {name: column for name, column in SHOWN.items() if name not in by}
        shown = [name for name, column in known.items() if any(row.get(column) is not None for row in rows)]
        if "p" in shown and all(row["p"] == row["p_adjusted"] for row in rows):
            shown.remove("p_adjusted")
        if "n_units" in shown and all(row["n_units"] in (None, row["n"]) for row in rows):
            shown.remove("n_units")
        cells = []
        for row in rows:
            segment = self._shown_segment(row)
            keys = [segment.get(name, "") for name in by] + [str(row[name]) for name in systems]
            cells.append([row["metric"], *keys, *(_cell(row, name) for name in shown)])
        return ["metric", *by, *systems, *shown], cells

    def lines(self, width: int | None = None, whole: bool = False) -> list[str]:
        """Return the lines for a screen: verdict, metrics with their intervals drawn, and the worst slices.

        Args:
            width: the columns of the screen, by default those of the terminal.
            whole: return a line for every row instead, with all columns in plain text.
        """
        if whole:
            header, cells = self.cells()
            table = aligned(header, cells, [name for name in header if name in RIGHT])
            return [*table, self.method_line, *verdict_lines(self)]
        return compared_lines(self, screen_width() if width is None else width)

    def __repr__(self) -> str:
        width = screen_width()
        notes = [part for finding in self.checks for part in finding.marked(width)]
        return "\n".join(writable([*self.lines(width), *notes]))

    def to_latex(self, whole: bool = False) -> str:
        r"""Return the table in LaTeX; it needs the package booktabs.

        Args:
            whole: show all columns.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.to_latex().splitlines()[1]  # '\\toprule'
        """
        return self.shown(whole).latex()

    def shown(self, whole: bool = False, every: bool = True) -> Shown:
        """Return the table for a page, of any width.

        Args:
            whole: show all columns.
            every: show all slices; otherwise of many the worst, as `lines` does.
        """
        few, left_out = (self, []) if every else self._few()
        notes = [*left_out, self.method_line, *verdict_lines(self), *self.lines_below()]
        if whole:
            header, cells = few.cells()
            numeric = [name for name in header if name in RIGHT]
            return Shown(header, cells, numeric, self.verdict, notes)
        columns = brief_columns(few)
        numeric = [column.name for column in columns if column.is_number]
        return Shown(*cells_of(columns), numeric, self.verdict, notes)

    def _few(self) -> tuple[Comparison, list[str]]:
        """Return the comparison with the worst slices, and the lines that say what it leaves out."""
        rows, left_out = few_slices(self.evaluation, self.rows, gains_of(self, self.evaluation))
        return replace(self, rows=tuple(rows)) if left_out else self, left_out

    @property
    def verdict(self) -> str:
        """The verdict in one sentence, with its exceptions.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.verdict  # 'B does not clearly differ from A'
        """
        return verdict_sentence(self)

    @property
    def method_line(self) -> str:
        """The method behind the verdicts, in one line."""
        return f"against {visible(self.baseline)}: {self.rule}"

    @property
    def rule(self) -> str:
        """The method, the p that a verdict needs, and the level of the intervals."""
        level = f"{100 * self.level:g} % intervals, not adjusted"
        rule = f"{self.method}; a verdict needs p_adjusted < {self.alpha:.4g}; {level}"
        margin = margin_sentence(self.rows, self.baseline, self.alpha, self.adjust != "none")
        return "; ".join(filter(None, (rule, margin)))

    @property
    def method(self) -> str:
        """The test, the number of comparisons, and how p is adjusted for it."""
        if self.adjust == "none":
            return f"{self.tests}; {families_text(self.rows)}, p not adjusted further"
        adjusted = f"p adjusted by {self.adjust}{drawn_by_adjustment(self.rows, self.adjust)}"
        chance = false_verdicts(self.rows, self.adjust, self.alpha)
        return f"{self.tests}; {families_text(self.rows)}, {adjusted}{chance}"

    @property
    def tests(self) -> str:
        """The test that computed p, with the number of resamples, by metric if there are several."""
        return tests_text(self.rows, self.baseline, self.test)

    def _shown_segment(self, row: dict[str, Any]) -> dict[str, str]:
        return {name: visible_key(value) for name, value in self.evaluation.segment(row).items()}


def _cell(row: dict[str, Any], column: str) -> str:
    value = row[SHOWN[column]]
    if value is None:
        return "NULL" if column == "value" else ""
    match column:
        case "wins/ties/losses":
            return f"{row['wins']}/{row['ties']}/{row['losses']}"
        case "interval":
            return f"[{_number(row['lower'])}, {_number(row['upper'])}]"
        case "delta_interval":
            return f"[{_number(row['delta_lower'], '+')}, {_number(row['delta_upper'], '+')}]"
        case "p" | "p_adjusted" | "p_not_worse_adjusted" | "p_equivalent_adjusted":
            return p_text(value)
        case "delta":
            return _number(value, "+")
        case "relative_change":
            return f"{value:+.1%}"
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float | None, sign: str = "") -> str:
    return "NULL" if value is None else four_decimals(value, sign)
