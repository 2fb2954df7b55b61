"""A plan: the number of units that a comparison needs, and the differences that it finds."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duckmetrics.engines.opening import open_engine
from duckmetrics.planning.drawing import picture
from duckmetrics.planning.sizes import Design, effects
from duckmetrics.results.document import document
from duckmetrics.results.notebook import readable
from duckmetrics.results.tabular import Printed, Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from duckmetrics.charts.chart import Chart

WORDS, COUNTS = ("metric", "system", "reason"), ("n_units", "comparisons", "units", "at_units")
# The points of a curve, from a quarter to four times the numbers of units that matter.
POINTS, AROUND = 33, 4.0
# With fewer units, the shape of their values decides how far the power is from the planned one.
FEW = 30


@dataclass(frozen=True, repr=False)
class Plan(Printed):
    """The units that a comparison needs.

    Attributes:
        rows: one dictionary per metric and compared system. baseline_value: of the baseline, or of the only
            system; sd: the standard deviation of the differences per unit, or of the values if the arms are
            unpaired; n_units: the units at hand; design_effect: how many times more units are needed because
            clusters differ in size; difference: the one to find; power: the wanted power; alpha: the error
            rate of this comparison; comparisons: their number; units: how many are needed, those of both arms
            if unpaired; at_units: the units that the last columns are about; mde: the smallest difference
            that they find with the wanted power; power_at_units: their power for the difference; reason: why
            there is no plan.
        kind: what the units are.
        method: the sentence about the test.
        of_margin: whether the difference is a margin, and the test shows that a system is not worse by it.
    """

    command = "plan"

    rows: tuple[dict[str, Any], ...]
    kind: str
    method: str
    _designs: tuple[Design | None, ...] = field(default=(), repr=False)
    of_margin: bool = False

    @property
    def summary(self) -> pa.Table:
        """One row per metric and compared system."""
        import pyarrow as pa

        types = dict.fromkeys(WORDS, pa.string()) | dict.fromkeys(COUNTS, pa.int64())
        schema = pa.schema([(name, types.get(name, pa.float64())) for name in self.rows[0]])
        return readable(pa.Table.from_pylist(list(self.rows), schema))

    @property
    def verdict(self) -> str:
        """The answer for the row that needs the most units.

        Example:
            duckmetrics.plan(sd=0.2, difference=0.02).rows[0]["units"]  # 787
        """
        needed = [row for row in self.rows if row["units"] is not None]
        if needed:
            return self._needed(max(needed, key=lambda row: row["units"]))
        known = [row for row in self.rows if row["mde"] is not None]
        if not known:
            return f"nothing to plan from: {self.rows[0]['reason']}"
        row = max(known, key=lambda row: row["mde"])
        return (
            f"{_name(row)}: {row['at_units']:,} {self.kind} {self._shown} {row['mde']:.4g} "
            f"{_often(row['power'])}"
        )

    def _needed(self, row: dict[str, Any]) -> str:
        have = "" if row["n_units"] is None else f" (you have {row['n_units']:,})"
        return (
            f"{_name(row)} needs {row['units']:,} {self.kind} to {self._shown} "
            f"{row['difference']:.4g} {_often(row['power'])}{have}"
        )

    @property
    def _shown(self) -> str:
        return "rule out a loss of" if self.of_margin else "show a difference of"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics plan`` prints it in JSON, see docs/reference/json.md."""
        return document(self.command, self.rows, verdict=self.verdict, method=self.method, notes=self.notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """The limits of the plan; empty if it has none."""
        if all(row["units"] is None or row["units"] >= FEW for row in self.rows):
            return ()
        return (f"with fewer than {FEW} {self.kind}, the power is only approximate",)

    def shown(self) -> Shown:
        """Return the table, with the sentence above and the method below."""
        names = [name for name in self.rows[0] if any(row[name] is not None for row in self.rows)]
        cells = [[_cell(row[name]) for name in names] for row in self.rows]
        numeric = [name for name in names if name not in WORDS]
        notes = [f"note: {note}" for note in self.notes]
        return Shown(names, cells, numeric, self.verdict, [self.method, *notes])

    def curve(self) -> list[dict[str, Any]]:
        """Return the smallest difference that is found, by the number of units.

        Returns:
            metric, system, units and mde, for about thirty numbers of units of each row.

        Example:
            points = duckmetrics.plan(sd=0.2, difference=0.02).curve()
            points[0]["mde"] > points[-1]["mde"]  # True
        """
        asked, rows = [], []
        for row, design in zip(self.rows, self._designs, strict=True):
            if design is None:
                continue
            for n in _grid([row["units"], row["at_units"]], design.fewest):
                asked.append((design, float(n)))
                rows.append({"metric": row["metric"], "system": row["system"], "units": n})
        if not asked:
            return []
        with closing(open_engine()) as engine:
            found = effects(engine, asked)
        return [{**row, "mde": mde} for row, mde in zip(rows, found, strict=True)]

    def chart(self) -> Chart:
        """Draw the smallest difference that is found, by the number of units.

        Raises:
            MetricError: there is nothing to plan from.

        Example:
            duckmetrics.plan(sd=0.2, difference=0.02).chart().svg()[:4]  # '<svg'
        """
        return picture(self.verdict, self.curve(), self.kind, [row["difference"] for row in self.rows])


def _grid(numbers: Sequence[int | None], fewest: int) -> list[int]:
    """Return numbers of units around those that matter, in equal ratios."""
    known = [n for n in numbers if n is not None]
    low, high = max(min(known) / AROUND, fewest), max(known) * AROUND
    ratio = (high / low) ** (1 / (POINTS - 1))
    return sorted({round(low * ratio**i) for i in range(POINTS)})


def _name(row: dict[str, Any]) -> str:
    metric = row["metric"] or "the comparison"
    return metric if row["system"] is None else f"{metric} of {row['system']}"


def _often(power: float) -> str:
    return "four times out of five" if abs(power - 0.8) < 1e-12 else f"with a power of {power:.4g}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
