"""The result of an evaluation: tidy rows, as Arrow, text or HTML, and what was verified."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.spec_paths import by_name
from duckmetrics.errors import MetricError, suggestion
from duckmetrics.pages.comparison_screen import NUMERIC, long_cells, long_lines
from duckmetrics.pages.drawn import DrawnEvaluation
from duckmetrics.pages.screens import wrapped, writable
from duckmetrics.results.findings import Examined
from duckmetrics.results.gates import failures, read_gates
from duckmetrics.results.grid import SIZES, blocks_of, few_values, footer_of, no_relevant_lines, title_of
from duckmetrics.results.mlflow_runs import Logged
from duckmetrics.results.per_query import LogPlace, Mergeable, PerQuery, Tables
from duckmetrics.results.tabular import Shown, document, json_object, readable, screen_width, widened
from duckmetrics.words.visible import hashable, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Unpack

    import pyarrow as pa

    from duckmetrics.pages.curves import Developing
    from duckmetrics.pages.report import Report
    from duckmetrics.results.findings import Finding
    from duckmetrics.results.gates import Earlier
    from duckmetrics.switches import TableParameters


# Sums of many doubles differ in their last digits; values that differ by more than this are different.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Verification:
    """One metric computed twice, by SQL and by the plain-Python reference.

    Attributes:
        metric: as typed.
        compared: how many values of queries, or of slices.
        largest: the largest difference, relative to the reference where that is above 1; infinity
            where one of the two has no value or NaN.
        at: the query or slice of the largest difference, empty when there is none.
        recomputed: how many queries, or rows of classifiers, these values are of.
        unit: "queries" or "rows".
    """

    metric: str
    compared: int
    largest: float
    at: str
    recomputed: int
    unit: str

    @property
    def agrees(self) -> bool:
        """Whether the two are the same but for rounding."""
        return self.largest <= TOLERANCE


def in_one_line(verified: Sequence[Verification]) -> str:
    """Write ``verified: 1000 queries; largest difference 2.2e-16 (ndcg@10)``."""
    sizes = dict.fromkeys((one.recomputed, one.unit) for one in verified)
    worst = max(verified, key=lambda one: one.largest)
    found = f"largest difference {worst.largest:.2g} ({worst.metric})" if worst.largest else "no difference"
    return f"verified: {', '.join(f'{n} {unit}' for n, unit in sizes)}; {found}"


@dataclass(frozen=True)
class Evaluation(Examined, PerQuery, DrawnEvaluation, Logged, Mergeable):
    """The values of the metrics asked for, overall and by slice, with the conventions behind them.

    Attributes:
        rows: one dictionary per system, slice and metric; `value` is None where `reason` says why, `lower`
            and `upper` are the bounds of its interval, if that was asked for.
            Of rankings, `n` counts the queries whose value entered; `n_missing`, `n_no_relevant` and
            `n_undefined` count queries of the population. Of classifiers, `n` counts rows and
            `n_positive` those of the positive class; `n_undefined` counts groups without a value.
            With intervals, `n_units` counts the units they rest on, such as users, and `n_effective` says
            how many units of equal weight these are worth: (sum of weights)^2 / sum of squared weights.
            `reason` then also says why there is a value and no interval.
        groupings: the text in the column `slice` -> the slicing columns in force.
        checks: warnings and notes about the data, and errors where `verified` found some.
        verified: one `Verification` per metric, if ``verify=`` asked for it.
        sql: the exact SQL that ran.
        canonical: the metrics as typed -> their canonical spelling.
        first: the first system of a mapping.
        level: of the intervals, None if there are none.
        higher_is_better, lower_is_better: the metrics as typed for which that holds.
    """

    command = "evaluate"

    rows: tuple[dict[str, Any], ...]
    groupings: dict[str, tuple[str, ...]]
    checks: tuple[Finding, ...]
    verified: tuple[Verification, ...]
    sql: str = field(repr=False)
    canonical: dict[str, str] = field(repr=False)
    first: str | None = field(repr=False)
    _tables: Tables = field(repr=False)
    level: float | None = field(default=None, repr=False)
    higher_is_better: frozenset[str] = field(default=frozenset(), repr=False)
    lower_is_better: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def summary(self) -> pa.Table:
        """One row per system, slice and metric."""
        return readable(self._tables.summary())

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics evaluate`` prints it in JSON, see docs/reference/json.md.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            ev.to_dict()["rows"][0]["value"]  # 0.75
        """
        verified = [json_object(asdict(one)) for one in self.verified]
        rows = self.rows if _fit_json(self.rows) else self.summary.to_pylist()
        return document(self.command, rows, self.checks, verified=verified)

    def wide(self) -> pa.Table:
        """Return one row per system and slice, with a column per metric.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            ev.wide()["radius"].to_pylist()  # [None, 'large', 'medium', 'small']
        """
        return widened(self.rows, self.summary.schema, ("system", "slice", *self.by), ("value",))

    def log(
        self, path: str | Path, *, run_id: str | None = None, time: str | datetime | None = None,
        tags: Mapping[str, str] | None = None, values: bool = False, replace: bool = False,
    ) -> str:  # fmt: skip
        """Append the values to a log of runs, which `trend` shows over time, and gates look at.

        Args:
            path: a DuckDB file such as ``"runs.duckdb"``, or a folder, which gets a Parquet file for each
                run. It is made if it does not exist. Several processes may append at once.
            run_id: the name of the run; by default, a new one.
            time: of the run, now by default; for older data, their day, such as ``"2026-11-20"``, in UTC if
                it names no zone.
            tags: facts about the run, such as ``{"commit": "1a2b3c"}``.
            values: log the values per query, too, so that a later run can be tested against this one.
            replace: replace a run of the same name, which is refused otherwise.

        Returns:
            The name of the run.

        Raises:
            InputError: the path is something else, or has a run of this name.
            MetricError: the time cannot be read.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            ev.log(folder / "runs.duckdb", run_id="monday")  # 'monday'
        """
        place = LogPlace.of(path, run_id, time, tags, values, replace)
        return self._tables.log(self, place)

    def table(self, spec: str, **params: Unpack[TableParameters]) -> pa.Table:
        """Return a table of the classifier, such as ``"roc_curve"`` or ``"calibration_curve(bins=20)"``.

        Args:
            **params: parameters of the table; a list of values gives the rows of each.

        Raises:
            MetricError: no such table, or a parameter that cannot be read.
            InputError: the predictions have no labels, or cannot be used for this table.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            ev.table("confusion", threshold=0.5)["tp"].to_pylist()  # [2.0]
        """
        return readable(self._tables.table(spec, params))

    def failures(
        self, gates: str | Sequence[str], *, log: str | Path | None = None, run_id: str | None = None,
        time: str | datetime | None = None,
    ) -> list[str]:  # fmt: skip
        """Return a line for every gate that fails, such as ``"ndcg@10 < 0.35"``; none if all are passed.

        Args:
            gates: conditions under which a run fails. With a log also on earlier runs: ``"ndcg@10 < last -
                0.005"``, ``"auc < mean(7 runs) - 3 sd"``, ``"ndcg@10 worse than tag:prod"``, ``"ndcg@10 drops
                more than 1%"``. A first run passes; if earlier runs cannot be compared, the gate fails.
            log: the log of runs, see `log`.
            run_id: the name of this run, which is no earlier one.
            time: of this run, before which the others are; now by default.

        Raises:
            MetricError: a gate cannot be read, or names what was not evaluated.
            InputError: it is no log.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            ev.failures("auc < 0.7")  # []
            len(ev.failures("auc < 0.8"))  # 1
        """
        earlier = None if log is None else self.earlier(log, run_id, time)
        return failures(read_gates(gates), self.rows, self.canonical, earlier)

    def earlier(
        self, log: str | Path, run_id: str | None = None, time: str | datetime | None = None
    ) -> Earlier:
        """Return the runs of a log that gates compare this one with, see `failures`."""
        return self._tables.earlier(self, LogPlace.of(log, run_id, time))

    def report(
        self, path: str | Path | None = None, *, title: str | None = None, ids: bool = True,
        trend: Developing | None = None,
    ) -> Report:  # fmt: skip
        """Return a report of the values as one HTML page, and write it to a file.

        The page loads nothing and runs no script, so it can be mailed, printed, and opened anywhere.

        Args:
            path: the file, such as ``"report.html"``; by default, none is written.
            title: the title of the page.
            ids: whether the examples of findings name queries and items.
            trend: a result of `trend`, whose charts of these metrics the page shows.

        Raises:
            InputError: the file has another suffix, or is not an output of duckmetrics.
            MetricError: the trend has none of the metrics.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            ev.report(folder / "report.html").html.startswith("<!doctype html>")  # True
        """
        return self._tables.report(self, path, title, ids, trend=trend)

    @property
    def source(self) -> Tables:
        """The tables that the evaluation kept, and what else can be computed from the same predictions."""
        return self._tables

    @property
    def by(self) -> tuple[str, ...]:
        """The slicing columns."""
        return tuple(dict.fromkeys(c for grouping in self.groupings.values() for c in grouping))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics as typed."""
        return tuple(dict.fromkeys(row["metric"] for row in self.rows))

    @property
    def systems(self) -> tuple[str | None, ...]:
        return tuple(dict.fromkeys(row["system"] for row in self.rows))

    def __getitem__(self, metric: str) -> float | None:
        """Return the overall value of the only system.

        Raises:
            MetricError: no such metric, or several systems.
        """
        return self.value(metric)

    def __contains__(self, metric: object) -> bool:
        """Return whether a metric was evaluated, as typed or in its canonical spelling."""
        name = by_name(metric) if isinstance(metric, str) else metric
        return name in self.metrics or name in self.canonical.values()

    def __iter__(self) -> Iterator[str]:
        """Return the metrics."""
        return iter(self.metrics)

    def value(self, metric: str, system: str | None = None, **segment: Any) -> float | None:
        """Return one value: of a system, overall or of a segment, as in ``country="DE"``.

        Raises:
            MetricError: no such metric, system or segment, or several systems and none named.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            ev.value("auc")  # 0.9952
            ev.value("auc", radius="large")  # 0.9956
        """
        name = self._metric(metric)
        if system is None and len(self.systems) > 1:
            known = ", ".join(map(str, self.systems))
            raise MetricError(
                metric,
                f"evaluated for the systems {known}",
                f"write value({metric!r}, system={self.systems[0]!r})",
            )
        if system is not None and system not in self.systems:
            raise MetricError(
                f"system {system!r}", "not evaluated", suggestion(system, map(str, self.systems))
            )
        for row in self.rows:
            if (
                row["metric"] == name
                and (system is None or row["system"] == system)
                and set(self.groupings[row["slice"]]) == set(segment)
                and all(hashable(row[column]) == hashable(value) for column, value in segment.items())
            ):
                value: float | None = row["value"]
                return value
        raise self._no_slice(metric, segment)

    def _no_slice(self, metric: str, segment: Mapping[str, Any]) -> MetricError:
        """Return the error for a slice that is not there: its column, or its value."""
        for column, value in segment.items():
            if column not in self.by:
                advice = suggestion(column, self.by) if self.by else f"ask for it with by={column!r}"
                return MetricError(metric, f"not sliced by {column!r}", advice)
            there = {hashable(row[column]) for row in self.rows if column in self.groupings[row["slice"]]}
            if hashable(value) not in there:
                known = map(str, there)
                return MetricError(metric, f"no slice {column}={value!r}", suggestion(str(value), known))
        names = ", ".join(segment)
        return MetricError(metric, f"no slice {names} with these values", "see the rows of .summary")

    def _metric(self, metric: str) -> str:
        name = by_name(metric)
        if name in self.metrics:
            return name
        for text, canonical in self.canonical.items():
            if name == canonical:
                return text
        raise MetricError(metric, "not evaluated", suggestion(metric, self.metrics))

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns and cells for a reader."""
        return long_cells(self)

    @property
    def is_wide(self) -> bool:
        """Whether values are compared, across systems or slices, so that they are shown side by side."""
        return len(self.systems) > 1 or len(self.groupings) > 1

    def lines(self, width: int | None = None, wide: bool | None = None) -> list[str]:
        """Return the values as text, without the notes: of many slices the worst, of many systems the best.

        Args:
            width: the columns of the screen, by default those of the terminal.
            wide: whether values stand side by side, by default where there are several systems or slices.
        """
        columns = screen_width() if width is None else width
        few, left_out = self._few()
        if not (self.is_wide if wide is None else wide):
            below = [*left_out, *no_relevant_lines(self)]
            told = [part for line in below for part in wrapped(visible(line), columns, "  ")]
            return [*long_lines(few, columns), *(["", *told] if told else [])]
        blocks = [block.lines(columns) for block in blocks_of(few, columns)]
        title = title_of(self)
        below = [*left_out, *footer_of(self, has_title=bool(title))]
        wrapped_below = [part for line in below for part in wrapped(visible(line), columns, "  ")]
        above = [part for line in title for part in wrapped(line, columns)]
        return [*above, *(line for block in blocks for line in (*block, "")), *wrapped_below]

    def __repr__(self) -> str:
        width = screen_width()
        verified = [in_one_line(self.verified)] if self.verified else []
        notes = [part for finding in self.checks for part in finding.marked(width)]
        return "\n".join(writable([*self.lines(width), *verified, *notes]))

    def lines_below(self) -> list[str]:
        """Return the lines below a table: the verification, and the findings of the checks."""
        verified = [in_one_line(self.verified)] if self.verified else []
        return [*verified, *super().lines_below()]

    def to_latex(self, wide: bool | None = None) -> str:
        r"""Return the table in LaTeX, the best values bold; it needs the package booktabs.

        Args:
            wide: whether values stand side by side; by default where there is something to compare.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            text = duckmetrics.evaluate(clicks, metrics="auc").to_latex()
            text.splitlines()[0]  # '\\begin{tabular}{lrrr}'
        """
        return self.shown(wide).latex()

    def shown(self, wide: bool | None = None, every: bool = True) -> Shown:
        """Return the table for a page, of any width.

        Args:
            wide: whether values stand side by side; by default where there is something to compare.
            every: show all slices; otherwise of many the worst, as `lines` does.
        """
        few, left_out = (self, []) if every else self._few()
        if not (self.is_wide if wide is None else wide):
            header, cells = few.cells()
            notes = [*left_out, *no_relevant_lines(self), *self.lines_below()]
            return Shown(header, cells, [name for name in header if name in NUMERIC], notes=notes)
        (block,) = blocks_of(few, sys.maxsize)
        notes = [*left_out, *footer_of(self), *self.lines_below()]
        return Shown(block.header, block.cells, [*SIZES, *block.header[block.keys :]], notes=notes)

    def _few(self) -> tuple[Evaluation, list[str]]:
        """Return the evaluation with the rows for a reader, and the lines that say what it leaves out."""
        rows, left_out = few_values(self)
        return replace(self, rows=rows) if left_out else self, left_out

    def segment(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the slicing columns in force in a row, with their values."""
        return {column: row[column] for column in self.groupings[row["slice"]]}


class MergedEvaluation(Evaluation):
    """The evaluation of several states, see `merge`."""

    command = "merge"


def _fit_json(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether JSON has all values of rows; else Arrow converts them, which takes long to import."""
    same = all(row.keys() == rows[0].keys() for row in rows)
    return same and all(v is None or isinstance(v, str | int | float) for row in rows for v in row.values())
