"""The rows of a long result that a reader wants to see: all rows together, and the worst slices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible
from duckmetrics.results.grid import slice_key
from duckmetrics.screens.compared import MOST_SLICES
from duckmetrics.screens.rows import direction_of, lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.evaluation import Evaluation

    Row = Mapping[str, Any]
    # By the key of a slice: how good its first metric is; what is worst comes first.
    Gains = dict[tuple[Any, ...], float]

# Where the rows are that a table leaves out.
WHOLE = "--format plain and .summary have all"
NO_VALUE = float("inf")


def few_values(result: Evaluation) -> tuple[Evaluation, list[str]]:
    """Return an evaluation with at most 20 slices of each slicing, the worst; of systems the best 20.

    Returns:
        The evaluation, and the lines that say what it leaves out.
    """
    metric = result.metrics[0]
    gains: Gains = {}
    for row in result.rows:
        if row["metric"] == metric:
            key = slice_key(result, row)
            gains[key] = min(gains.get(key, NO_VALUE), goodness(result, row))
    rows, told = few_slices(result, result.rows, gains, metric)
    systems = result.systems
    if len(systems) > MOST_SLICES and not result.by:
        overall = [row for row in rows if row["metric"] == metric]
        best = sorted(overall, key=lambda row: (row["value"] is None, -goodness(result, row)))[:MOST_SLICES]
        kept = {row["system"]: [one for one in rows if one["system"] == row["system"]] for row in best}
        rows = [row for own in kept.values() for row in own]
        told = [f"the {MOST_SLICES} best of {len(systems):,} systems by {visible(metric)}; {WHOLE}"]
    return (replace(result, rows=tuple(rows)), told) if told else (result, [])


def few_differences(result: Comparison) -> tuple[Comparison, list[str]]:
    """Return a comparison with at most 20 slices of each slicing, the worst, as `few_values` does."""
    metric = result.evaluation.metrics[0]
    gains: Gains = {}
    for line in lines_of(result):
        if line.row["metric"] == metric:
            key = slice_key(result.evaluation, line.row)
            gains[key] = min(gains.get(key, NO_VALUE), line.gain)
    rows, told = few_slices(result.evaluation, result.rows, gains, metric)
    return (replace(result, rows=tuple(rows)), told) if told else (result, [])


def few_slices(
    values: Evaluation, rows: Sequence[dict[str, Any]], gains: Gains, metric: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of all slices together and of the worst slices, and a line for each long slicing."""
    slicings: dict[str, dict[tuple[Any, ...], list[dict[str, Any]]]] = {}
    for row in rows:
        slicings.setdefault(row["slice"], {}).setdefault(slice_key(values, row), []).append(row)
    kept, told = [], []
    for slicing, slices in slicings.items():
        shown = list(slices)
        if slicing and len(shown) > MOST_SLICES:
            shown = sorted(shown, key=lambda key: gains.get(key, NO_VALUE))[:MOST_SLICES]
            what = f"the {MOST_SLICES} worst of {len(slices):,} by {visible(metric)}"
            told.append(f"{visible(slicing)}: {what}; {WHOLE}")
        kept += [row for key in shown for row in slices[key]]
    return kept, told


def goodness(result: Evaluation, row: Row) -> float:
    """Return a number that is higher for a better value; slices without a value come last."""
    target = row.get("target")
    if row["value"] is None:
        return NO_VALUE
    if target is not None:
        return -abs(float(row["value"]) - float(target))
    return -float(row["value"]) if direction_of(result, row) == "lower" else float(row["value"])
