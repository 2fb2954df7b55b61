"""The lines below a comparison: its units, its tests, and the correction for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.screens.rows import Result

    Row = Mapping[str, Any]

UNADJUSTED = "none"


def units_of(result: Result) -> str:
    """Write the number of units behind the tests: clusters, queries or rows."""
    tested = [row for row in result.rows if not row["slice"] and row["system"] != result.baseline]
    cluster = next((row["cluster"] for row in tested if row.get("cluster")), None)
    what = f"clusters of {visible(str(cluster))}" if cluster else kind_of(result.evaluation.rows)
    counted = {row["n_units"] for row in tested if row["n_units"] is not None and row["p"] is not None}
    counted = counted or {row["n"] for row in tested}
    return f"{spanned(counted)} {what}"


def kind_of(rows: Iterable[Row]) -> str:
    """Return what an evaluation counts: rankings have queries, classifiers have rows."""
    return "queries" if any(row.get("n_missing") is not None for row in rows) else "rows"


def spanned(numbers: Iterable[int]) -> str:
    """Write a number, or the least and the largest of several."""
    known = sorted(set(numbers)) or [0]
    return f"{known[0]:,}" if len(known) == 1 else f"{known[0]:,} to {known[-1]:,}"


def tests_of(rows: Iterable[Row], usual: str) -> str:
    """Write the test that computed p, with the number of resamples; of several, by metric.

    Args:
        usual: the test to name if no p was computed.
    """
    made: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["p"] is not None:
            drawn = "" if row["resamples"] is None else f" with {row['resamples']:,} resamples"
            made.setdefault(f"{words(row['test'])}{drawn}", {})[visible(row["metric"])] = None
    if len(made) < 2:
        return next(iter(made), words(usual))
    return ", ".join(f"{test} ({', '.join(metrics)})" for test, metrics in made.items())


def words(name: str) -> str:
    """Write the name of a statistic in words."""
    return name.replace("_", " ")


def correction(rows: Sequence[Row], adjust: str) -> str:
    """Write how p is corrected, for the number of comparisons in each family."""
    if adjust == UNADJUSTED:
        return ", not corrected further"
    sizes = {row["slice"]: row["n_tests"] or 0 for row in rows}
    total = sum(sizes.values())
    families = ", ".join(_family(name, size) for name, size in sizes.items())
    counted = f"{total:,} comparison{'' if total == 1 else 's'}" if len(sizes) == 1 else families
    return f" after {corrected_by(adjust)} correction for {counted}"


def _family(name: str, size: int) -> str:
    """Write the number of comparisons of a slicing."""
    if name:
        return f"{size:,} by {visible(name)}"
    return f"{size:,} comparison{'' if size == 1 else 's'} overall"


def corrected_by(adjust: str) -> str:
    """Write the name of a correction."""
    return adjust.replace("_", "-").title()
