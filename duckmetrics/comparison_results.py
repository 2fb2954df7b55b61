"""What a comparison returns: how every system differs from the baseline, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duckmetrics.gates import failures, read_gates
from duckmetrics.results import Tabular, aligned, p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from duckmetrics.checks import Finding
    from duckmetrics.results import Evaluation

BETTER, WORSE, DIFFERENT = "better", "worse", "different"
UNCLEAR, UNTESTED, BASELINE = "not distinguishable", "not tested", "baseline"

NUMBERS = (
    "value", "lower", "upper", "delta", "delta_lower", "delta_upper", "relative_change", "effect_size",
    "statistic", "df", "p", "p_adjusted", "mde",
)  # fmt: skip
COUNTS = ("wins", "ties", "losses", "n", "n_units")
# What a person wants to see, in this order.
SHOWN = (
    "value", "lower", "upper", "delta", "delta_lower", "delta_upper", "relative_change", "effect_size",
    "wins/ties/losses", "p", "p_adjusted", "mde", "verdict",
)  # fmt: skip
# The columns that a slicing column must not be called as.
COLUMNS = {*NUMBERS, *COUNTS, "verdict", "baseline", "test"}
RIGHT = {*SHOWN} - {"verdict"}


@dataclass(frozen=True)
class Comparison(Tabular):
    """Systems compared with a baseline on the same queries, or rows.

    Attributes:
        rows: one dictionary per system, slice and metric. value, lower, upper: of the system; delta,
            delta_lower, delta_upper: its difference to the baseline, in the units of the metric;
            relative_change: delta / value of the baseline; effect_size: delta in standard deviations of the
            differences (d_z); wins, ties, losses: units that are better, equal and worse in number;
            statistic, df, p: of the test; p_adjusted: p corrected for all comparisons of the same slicing;
            mde: the smallest difference that this many units would show with the power asked for;
            verdict: better, worse, different, not distinguishable, not tested, or baseline.
        baseline: the system that the others are compared with.
        test: the file under sql/statistics that tells p.
        adjust: how p is corrected for their number, ``"none"`` for not at all.
        level: of the intervals; a verdict needs p_adjusted below 1 - level.
        evaluation: the values of the systems, with what the checks found.
        warnings: what to know before the verdicts are believed.
    """

    rows: tuple[dict[str, Any], ...]
    baseline: str
    test: str
    adjust: str
    level: float
    evaluation: Evaluation = field(repr=False)
    warnings: tuple[Finding, ...] = ()

    @property
    def summary(self) -> pa.Table:
        """One row per system, slice and metric, the baseline included."""
        import pyarrow as pa

        by = self.evaluation.by
        values = self.evaluation.summary.schema
        types = {name: values.field(name).type for name in ("system", "metric", "slice", *by)}
        types |= dict.fromkeys(NUMBERS, pa.float64()) | dict.fromkeys(COUNTS, pa.int64())
        types |= dict.fromkeys(("verdict", "baseline", "test", "adjust", "reason", "signature"), pa.string())
        order = [name for name in self.rows[0] if name in types]
        return pa.Table.from_pylist(list(self.rows), pa.schema([(name, types[name]) for name in order]))

    @property
    def sql(self) -> str:
        """The exact SQL that ran."""
        return self.evaluation.sql

    @property
    def checks(self) -> tuple[Finding, ...]:
        """Warnings and notes about the data and the tests."""
        return (*self.evaluation.checks, *self.warnings)

    def failures(self, gates: str | Sequence[str]) -> list[str]:
        """Return a line for every gate that fails, such as ``"ndcg@10 delta_lower < -0.005"``.

        Raises:
            MetricError: a gate cannot be read, or names what was not evaluated.
        """
        return failures(read_gates(gates), self.rows, self.evaluation.canonical)

    def movers(self, n: int = 20) -> pa.Table:
        """Return the queries that gain and lose most against the baseline, see `Evaluation.movers`."""
        return self.evaluation.movers(n, self.baseline)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The columns and cells that a person wants to see."""
        by = self.evaluation.by
        known = {"wins/ties/losses": "wins"}
        shown = [c for c in SHOWN if c in ("value", "verdict")
                 or any(row[known.get(c, c)] is not None for row in self.rows)]  # fmt: skip
        if all(row["p"] == row["p_adjusted"] for row in self.rows) and "p" in shown:
            shown.remove("p")
        header = ["metric", *by, "system", *shown]
        cells = []
        for row in self.rows:
            segment = self.evaluation.segment(row)
            keys = [str(segment[c]) if c in segment and segment[c] is not None
                    else "NULL" if c in segment else "" for c in by]  # fmt: skip
            cells.append([row["metric"], *keys, str(row["system"]), *(_cell(row, c) for c in shown)])
        return header, cells

    def __repr__(self) -> str:
        header, cells = self.cells()
        right = [name for name in header if name in RIGHT]
        return "\n".join([*aligned(header, cells, right), self.conclusion])

    @property
    def conclusion(self) -> str:
        """How the verdicts came about, in one line."""
        adjusted = "p not adjusted further" if self.adjust == "none" else f"p adjusted by {self.adjust}"
        return (
            f"against {self.baseline}: {self.test}, {adjusted}, {100 * self.level:g} % intervals; "
            f"a verdict needs p_adjusted < {1 - self.level:.4g}"
        )


def _cell(row: dict[str, Any], column: str) -> str:
    if column == "wins/ties/losses":
        return "" if row["wins"] is None else f"{row['wins']}/{row['ties']}/{row['losses']}"
    value = row[column]
    if value is None:
        return "NULL" if column == "value" else ""
    if column in ("p", "p_adjusted"):
        return p_text(value)
    if column.startswith("delta"):
        return f"{value:+.4f}"
    if column == "relative_change":
        return f"{value:+.1%}"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
