"""The result of an A/B test: every metric of every treated variant against the control."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError, unknown
from duckmetrics.pages.drawn import DrawnExperiment
from duckmetrics.pages.experiment_screen import (
    columns_of,
    detectable,
    experiment_lines,
    slice_sentences,
    verdict_sentences,
)
from duckmetrics.pages.screens import cells_of, writable
from duckmetrics.results.gates import OF_MARGIN, outcomes, read_gates, refuse_without_log
from duckmetrics.results.tabular import (
    SAMPLE_RATIO,
    Shown,
    Tabular,
    aligned,
    cell_text,
    document,
    json_object,
    p_text,
    readable,
    screen_width,
)
from duckmetrics.words.lists import counted
from duckmetrics.words.verdicts import UNTESTED
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.pages.experiment_page import WritesFiles
    from duckmetrics.pages.screens import ScreenColumn
    from duckmetrics.results.gates import Gate, GateOutcome


TITLE = "A/B test"
SLICE = "slice"
WORDS = ("metric", "variant", "control", SLICE, "statistic", "verdict", "reason", "adjust")
COUNTS = ("n_control", "n", "left_out_control", "left_out", "n_slices")
# The columns of a test whether slices differ.
OF_SLICES = (
    "metric", "variant", SLICE, "n_slices", "q", "df", "p", "i2", "tau2", "delta", "delta_lower",
    "delta_upper",
)  # fmt: skip
# Shares such as 1 : 1 : 1 are written out for this number of variants at most.
FEW_SHARES = 5


NO_LOG = "an experiment has no log; for a change to the control, write 'revenue change < -1%'"
# Columns that no gate compares.
NOT_COMPARED = ("metric", "variant", "control", SLICE, "statistic")


def experiment_gates(texts: str | Iterable[str]) -> list[Gate]:
    """Read gates on an experiment.

    Raises:
        MetricError: one cannot be read, or asks for earlier runs or a margin.
    """
    gates = read_gates(texts)
    refuse_without_log(gates, NO_LOG)
    for gate in gates:
        if gate.bound in OF_MARGIN:
            what = f"{gate.bound!r} is a verdict with a margin, and an experiment has none"
            raise MetricError(f"gate {gate.text!r}", what, "write better, worse or unclear")
    return gates


def _gate_row(row: Mapping[str, Any], slicing: Sequence[str]) -> dict[str, Any]:
    """Return a row as gates read it; one that cannot be trusted has no numbers, so that each gate fails."""
    numbers = {name: value for name, value in row.items() if name not in (*NOT_COMPARED, *slicing)}
    if row["reason"] is not None and row["p"] is not None:
        numbers |= dict.fromkeys(numbers.keys() - {"reason", "adjust"}) | {"verdict": UNTESTED}
    return {
        "system": row["variant"], "metric": row["metric"], SLICE: row.get(SLICE, ""),
        **{name: row[name] for name in slicing}, "value": None, **numbers,
    }  # fmt: skip


@dataclass(frozen=True)
class SampleRatio:
    """The check that the variants have the units that their shares call for.

    Attributes:
        observed: variant -> units.
        shares: variant -> planned share; the shares add up to 1.
        statistic, df, p: of the chi-square test; in a sequential test, statistic is the logarithm of the
            Bayes factor.
        alpha: below which p is a mismatch.
        mismatch: whether it is one, so that no difference between the variants can be trusted.
    """

    observed: Mapping[str, int]
    shares: Mapping[str, float]
    statistic: float
    df: int
    p: float
    alpha: float
    mismatch: bool

    def __str__(self) -> str:
        found = ", ".join(f"{name} {n:,}" for name, n in self.observed.items())
        verdict = "MISMATCH" if self.mismatch else "no mismatch"
        return visible(f"{SAMPLE_RATIO}{found}; {self._planned()}; p = {p_text(self.p)}, {verdict}")

    def _planned(self) -> str:
        if len({f"{share:.9g}" for share in self.shares.values()}) == 1:
            return "equal shares planned"
        if len(self.shares) > FEW_SHARES:
            return "shares as given"
        return f"planned {', '.join(f'{name} {share:.4g}' for name, share in self.shares.items())}"


@dataclass(frozen=True, repr=False)
class Experiment(DrawnExperiment, Tabular):
    """Metrics of an experiment: each treated variant compared with the control.

    Attributes:
        rows: one dictionary per metric and treated variant, and for each slice: slice names the slicing
            columns, empty over all units, and each of them is a key. control_value, value: of the control and
            of the variant; delta, delta_lower, delta_upper: their difference; relative_change,
            relative_lower, relative_upper: the difference as a share of the control value; p, p_adjusted: of
            the test, and corrected for all comparisons; verdict: better, worse, unclear or not tested;
            statistic: the file under sql/statistics behind the row; n_control, n: units with a value;
            left_out_control, left_out: units without one; variance_reduction: by CUPED; reason: why there
            is no p, or no verdict. A number is None if there is none.
        control: the variant that the others are compared with.
        sample_ratio: the check of the numbers of units.
        adjust: how p is corrected for the number of comparisons, ``"none"`` for not at all.
        level: of the intervals, which are not corrected.
        alpha: a verdict needs p_adjusted below it.
        warnings: findings to read before the verdicts are believed.
        notes: remarks on the rows, such as units that are left out.
        sql: the SQL that ran.
        planned: the number of units that a sequential test is planned for; None for a test that looks once.
        unit: the column whose rows were put together; None if each row is one unit.
        sliced: whether the slices differ from each other, see `heterogeneity`.
        lower_is_better: the metrics where a lower value is better.
        table: the name of the table, as messages name it.
        files: writes charts and reports.
        caps: metric -> the lowest and the highest value that counts, None for no cap at this end.
    """

    command = "ab"

    rows: tuple[dict[str, Any], ...]
    control: str
    sample_ratio: SampleRatio
    adjust: str
    level: float
    alpha: float
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sql: str = field(default="", compare=False)
    planned: int | None = None
    unit: str | None = None
    caps: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    sliced: tuple[dict[str, Any], ...] = ()
    lower_is_better: tuple[str, ...] = ()
    table: str = ""
    files: WritesFiles | None = field(default=None, repr=False, compare=False)

    @property
    def overall(self) -> list[dict[str, Any]]:
        """The rows over all units, without those of slices."""
        return [row for row in self.rows if not row.get(SLICE)]

    @property
    def slicing_columns(self) -> list[str]:
        """The columns that name a slice."""
        names = list(self.rows[0])
        return names[names.index(SLICE) + 1 : names.index("control_value")] if SLICE in names else []

    @property
    def summary(self) -> pa.Table:
        """One row per metric and treated variant, and with ``by`` for each slice."""
        return self._table(self.rows)

    @property
    def heterogeneity(self) -> pa.Table:
        """Whether the differences of slices differ from each other: a row per metric, variant and slicing.

        The columns are those of `Comparison.heterogeneity`, with variant in place of system; p is not
        adjusted. Without slices, there is no row.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.heterogeneity.num_rows  # 0
        """
        return self._table(self.sliced)

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        import pyarrow as pa

        words = dict.fromkeys((*WORDS, *self.slicing_columns), pa.string())
        types = words | dict.fromkeys(COUNTS, pa.int64())
        schema = pa.schema(
            [(name, types.get(name, pa.float64())) for name in (rows[0] if rows else OF_SLICES)]
        )
        return readable(pa.Table.from_pylist(list(rows), schema))

    def row(self, metric: str, variant: str | None = None) -> dict[str, Any]:
        """Return the row of a metric over all units; the variant may be left out if only one is compared.

        Raises:
            MetricError: no such metric or variant, or several variants and none named.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.row("revenue", variant="B")["value"]  # 5.0
        """
        variants = list(dict.fromkeys(row["variant"] for row in self.rows))
        if variant is None and len(variants) > 1:
            raise MetricError(metric, "several variants are compared", f"name one of {', '.join(variants)}")
        chosen = variants[0] if variant is None else variant
        if chosen not in variants:
            raise MetricError("variant", *unknown("variant", chosen, variants))
        found = {row["metric"]: row for row in self.overall if row["variant"] == chosen}
        if metric not in found:
            raise MetricError("metric", *unknown("metric", metric, found))
        return found[metric]

    def failures(self, gates: str | Sequence[str]) -> list[str]:
        """Return a line for every gate that fails, such as ``"revenue verdict = worse"``.

        A gate looks at each treated variant over all units, or with ``by country`` at its slices. All gates
        of a metric without a test, or without a verdict that can be trusted, fail.

        Raises:
            MetricError: a gate cannot be read, or names what the result does not have.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.failures("revenue delta_lower < 0")  # []
            len(result.failures("revenue verdict = better"))  # 1
        """
        return [one.line for one in self.gate_outcomes(experiment_gates(gates)) if one.failed]

    def gate_outcomes(self, gates: Sequence[Gate]) -> list[GateOutcome]:
        """Return what gates say, see `failures`.

        Raises:
            MetricError: a gate names what the result does not have.
        """
        rows = [_gate_row(row, self.slicing_columns) for row in self.rows]
        return outcomes(gates, rows, {})

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics ab`` prints it in JSON, see docs/reference/json.md."""
        settings: dict[str, Any] = {
            "control": self.control,
            "adjust": self.adjust,
            "level": self.level,
            "alpha": self.alpha,
        }
        settings |= {
            name: value for name in ("planned", "unit") if (value := getattr(self, name)) is not None
        }
        if self.caps:
            settings["cap"] = {name: list(ends) for name, ends in self.caps.items()}
        told: dict[str, Any] = (
            {"heterogeneity": [json_object(row) for row in self.sliced]} if self.sliced else {}
        )
        return document(
            self.command, self.rows, warnings=self.warnings, notes=self.notes, verdict=self.verdict,
            method=self.method, **told, name=self.command, title=TITLE, params=settings,
            sample_ratio=json_object(asdict(self.sample_ratio)),
        )  # fmt: skip

    def columns(self) -> list[ScreenColumn]:
        """Return the columns of the table for a reader."""
        return list(columns_of(self, self.rows, self.slicing_columns, signs=False))

    def lines(self, width: int | None = None, whole: bool = False) -> list[str]:
        """Return the lines for a screen: the verdict, the sample ratio, and a line for every metric.

        Args:
            width: the columns of the screen, by default those of the terminal.
            whole: return all columns in plain text, whatever the width.
        """
        if not whole:
            return experiment_lines(self, screen_width() if width is None else width)
        header = [name for name in self.rows[0] if any(row[name] is not None for row in self.rows)]
        cells = [[cell_text(row[name]) for name in header] for row in self.rows]
        words = {*WORDS, *self.slicing_columns}
        table = aligned(header, cells, [name for name in header if name not in words])
        return [*self.above(sys.maxsize), "", *table, "", *self.told()]

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on every treated variant in one sentence.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.verdicts  # {'B': 'B is better than A'}
        """
        names = dict.fromkeys(row["variant"] for row in self.rows)
        return dict(zip(names, verdict_sentences(self), strict=True))

    @property
    def verdict(self) -> str:
        """The verdicts on all variants in one sentence."""
        first, *more = self.verdicts.values()
        return "; ".join([first, *(verdict.replace("No clear", "no clear", 1) for verdict in more)])

    @property
    def detectable(self) -> dict[str, float]:
        """The smallest change of each metric that the test finds with a power of 0.8, approximately.

        A sequential test has none: its power depends on the number of looks.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.detectable["revenue"] > 1  # True
        """
        return detectable(self)

    def above(self, width: int) -> list[str]:
        """Return the line above the table: the check of the sample ratio."""
        lines = [str(self.sample_ratio)]
        if self.sample_ratio.mismatch:
            lines.append(f"WARNING: {self.warnings[0]}")
        return [part for line in lines for part in wrap(line, width, break_long_words=False)]

    def told(self) -> list[str]:
        """Return the lines below the table: verdicts, method, notes and warnings."""
        rest = self.warnings[1:] if self.sample_ratio.mismatch else self.warnings
        notes = (f"note: {note}" for note in self.notes)
        said = [*notes, *(f"warning: {warning}" for warning in rest)]
        return [*self._verdicts(), self.method_line, *slice_sentences(self), *map(visible, said)]

    def __repr__(self) -> str:
        return "\n".join(writable(self.lines()))

    def to_latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        return self.shown().latex()

    def shown(self) -> Shown:
        """Return the table for a page, of any width."""
        columns = self.columns()
        numeric = [column.name for column in columns if column.is_number]
        below = [*self.above(sys.maxsize), *self.told()]
        return Shown(*cells_of(columns), numeric, self.verdict, below)

    @property
    def method(self) -> str:
        """The tests, the number of comparisons, and how p is adjusted for it."""
        used: dict[str, list[str]] = {}
        for row in self.overall:
            if row["metric"] not in used.setdefault(row["statistic"], []):
                used[row["statistic"]].append(row["metric"])
        tests = ", ".join(f"{statistic} ({', '.join(names)})" for statistic, names in used.items())
        n = sum(row["p"] is not None for row in self.overall)
        adjusted = "p not adjusted" if self.adjust == "none" else f"p adjusted by {self.adjust}"
        return visible(f"{tests}; {counted(n, 'comparison')}, {adjusted}")

    @property
    def method_line(self) -> str:
        """The method behind the verdicts, in one line."""
        return f"against {visible(self.control)}: {self.rule}"

    @property
    def rule(self) -> str:
        """The method, the p that a verdict needs, and the level of the intervals."""
        needed = f"a verdict needs an adjusted p < {self.alpha:.4g}"
        level = f"{100 * self.level:g} % intervals, not adjusted"
        return f"{self.method}; {needed}; {level}"

    def _verdicts(self) -> Iterator[str]:
        """Yield a line for every treated variant: the counts of its verdicts."""
        for variant in dict.fromkeys(row["variant"] for row in self.rows):
            counts = Counter(row["verdict"] for row in self.overall if row["variant"] == variant)
            told = ", ".join(f"{verdict} in {n}" for verdict, n in counts.items())
            metrics = "metric" if counts.total() == 1 else "metrics"
            yield visible(f"{variant}: {told} of {counts.total()} {metrics}")
