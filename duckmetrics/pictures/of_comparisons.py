"""Charts of a comparison: from its rows to the changes that are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.charts import changes, queries
from duckmetrics.charts.changes import DIRECTIONS, Change
from duckmetrics.errors import MetricError, suggestion
from duckmetrics.pictures.of_evaluations import (
    DIFFERENCES,
    INTERVALS,
    SLICES,
    Evaluated,
    charted,
    checked_name,
    evaluation_chart,
    names_of_evaluations,
    of_rows,
    one_metric,
    refuse_many,
    slice_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.charts.chart import Chart
    from duckmetrics.charts.tables import Charted

    Row = dict[str, Any]

# The number of quantiles of the differences.
POINTS = 201
DATA = (
    "value", "delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "relative_upper",
    "p_adjusted", "verdict", "n",
)  # fmt: skip


def names_of_comparisons(charts: Charted) -> tuple[str, ...]:
    """Return the charts of comparisons; `charts` are the tables that are drawn."""
    return (*names_of_evaluations(charts), DIFFERENCES)


class Compared(Protocol):
    """The parts of a comparison that charts read."""

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One dictionary per system, slice and metric."""
        ...

    @property
    def baseline(self) -> str:
        """The system that the others are compared with."""
        ...

    @property
    def level(self) -> float:
        """The level of the intervals."""
        ...

    @property
    def evaluation(self) -> Evaluated:
        """The values of the systems."""
        ...

    def differences(
        self, metric: str | None = None, *, system: str | None = None, points: int = 101
    ) -> pa.Table:
        """Return the differences per query from the baseline as quantiles, in ascending order."""
        ...


def comparison_chart(
    comparison: Compared,
    name: str | None,
    metric: str | None = None,
    system: str | None = None,
    k: Iterable[int] | None = None,
    params: Mapping[str, Any] | None = None,
) -> Chart:
    """Draw a chart of a comparison.

    Args:
        name: by default the intervals of all metrics.
        metric: the metric of charts that show one; the first by default.
        system: the system of charts that show one.
        k: the cut-offs of the chart at_k.
        params: parameters of the table behind a curve.
    """
    evaluation, baseline, rows = comparison.evaluation, comparison.baseline, comparison.rows
    source = evaluation.source
    drawn = checked_name(name or INTERVALS, names_of_comparisons(source.charts), evaluation)
    if drawn in (INTERVALS, SLICES, DIFFERENCES) and (params or k is not None):
        given = next(iter(params or {"k": k}))
        raise MetricError(f"chart {drawn!r}", f"takes no {given}", "leave it out")
    if drawn == INTERVALS:
        chosen = (
            rows if metric is None else [r for r in rows if r["metric"] == one_metric(evaluation, metric)]
        )
        return _intervals_chart(comparison, chosen)
    if drawn == SLICES:
        return _slices_chart(comparison, one_metric(evaluation, metric), system)
    if drawn == DIFFERENCES:
        return _differences_chart(comparison, one_metric(evaluation, metric), system)
    return evaluation_chart(evaluation, drawn, metric, k, baseline, params)


def _differences_chart(comparison: Compared, metric: str, system: str | None) -> Chart:
    """Draw the sorted differences of the queries, for each system."""
    evaluation = comparison.evaluation
    table = comparison.differences(metric, system=system, points=POINTS)
    quantiles: dict[str, list[float]] = {}
    for row in table.to_pylist():
        quantiles.setdefault(row["system"], []).append(row["difference"])
    if not quantiles:
        raise MetricError(
            "chart 'differences'", "no query has a value on both sides", "compare other systems"
        )
    is_lower = any(row["metric"] == metric and row["better"] == "lower" for row in comparison.rows)
    counts = {
        row["system"]: (row["wins"], row["ties"], row["losses"])
        for row in comparison.rows
        if row["metric"] == metric and row["system"] in quantiles and not row["slice"]
    }
    picture = queries.differences(metric, comparison.baseline, quantiles, counts, is_lower)
    return charted(picture, table, evaluation.source)


def _intervals_chart(comparison: Compared, rows: Sequence[Row]) -> Chart:
    """Draw the change of every metric."""
    evaluation, baseline = comparison.evaluation, comparison.baseline
    overall = [row for row in rows if not row["slice"]]
    bases = _bases(overall, baseline, evaluation)
    own: dict[str, list[Change]] = {}
    others = [row for row in overall if row["system"] != baseline]
    several = len({row["system"] for row in others}) > 1
    for row in others:
        label = row["system"] if several else row["metric"]
        own.setdefault(row["metric"], []).append(_change(row, label, bases, evaluation))
    picture = changes.intervals(baseline, own, comparison.level)
    return charted(picture, of_rows(overall, ("system", "metric", *DATA)), evaluation.source)


def _slices_chart(comparison: Compared, metric: str, system: str | None) -> Chart:
    """Draw the change of a metric in every slice.

    Args:
        system: the system to look at; may be left out if there is only one next to the baseline.

    Raises:
        MetricError: no slices, no such system, or several and none named.
    """
    evaluation, baseline, rows = comparison.evaluation, comparison.baseline, comparison.rows
    if not any(row["slice"] for row in rows):
        raise MetricError("chart 'slices'", "the result has no slices", "ask for them with by= (--by)")
    chosen = one_system(rows, baseline, system)
    own = [row for row in rows if row["metric"] == metric and row["system"] in (chosen, baseline)]
    refuse_many("chart 'slices'", own)
    bases = _bases(own, baseline, evaluation)
    of_slices: dict[str, list[Change]] = {}
    (overall, *others) = [
        _change(row, slice_name(evaluation, row), bases, evaluation)
        for row in sorted(own, key=lambda row: bool(row["slice"]))
        if row["system"] == chosen
    ]
    for change in others:
        of_slices.setdefault(change.row["slice"], []).append(change)
    by = dict.fromkeys(column for row in own for column in evaluation.segment(row))
    data = of_rows(own, ("system", "metric", "slice", *by, *DATA))
    picture = changes.slices(metric, chosen, of_slices, overall, comparison.level)
    return charted(picture, data, evaluation.source)


def one_system(rows: Sequence[Row], baseline: str, system: str | None) -> str:
    """Return the system that a chart is about.

    Raises:
        MetricError: no such system, or several and none named.
    """
    others = [name for name in dict.fromkeys(row["system"] for row in rows) if name != baseline]
    if system is None and len(others) == 1:
        return str(others[0])
    if system is None:
        raise MetricError("chart", "several systems", f"name one of {', '.join(others)} with system= (--of)")
    if system not in others:
        raise MetricError(f"system {system!r}", "not compared", suggestion(system, others))
    return system


def _bases(rows: Sequence[Row], baseline: str, evaluation: Evaluated) -> dict[Any, float | None]:
    """Return the values of the baseline by metric and slice."""
    return {_key(row, evaluation): row["value"] for row in rows if row["system"] == baseline}


def _key(row: Row, evaluation: Evaluated) -> Any:
    return (row["metric"], row["slice"], slice_name(evaluation, row))


def _change(row: Row, label: str, bases: Mapping[Any, float | None], evaluation: Evaluated) -> Change:
    before, direction = bases.get(_key(row, evaluation)), DIRECTIONS.get(row["better"], 0)
    return Change(str(label), row, before, direction, row["target"])
