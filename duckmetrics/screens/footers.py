"""The lines below a comparison: its units, its tests, and the correction for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible
from duckmetrics.sentences.families import drawn_by_adjustment, drawn_by_test, false_verdicts, sizes_of
from duckmetrics.sentences.lists import counted, spanned
from duckmetrics.sentences.units import cluster_units, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.screens.rows import Result

    Row = Mapping[str, Any]

UNADJUSTED = "none"
# The tests whose names say less than these words.
IN_WORDS = {
    "unpaired_t": "Welch's t-test of independent units",
    "unpaired_randomization": "randomization test of independent units",
}


def units_of(result: Result) -> str:
    """Write the number of units behind the tests: queries or rows, or clusters with their rows."""
    tested = [row for row in result.rows if not row["slice"] and row["system"] != result.baseline]
    kind, n = kind_of(result.evaluation.rows), {row["n"] for row in tested}
    units = {row["n_units"] for row in tested if row["n_units"] is not None and row["p"] is not None}
    cluster = cluster_of(tested)
    if cluster is None or not units:
        return f"{_against(spanned(units or n), tested)} {kind}"
    return f"{_against(spanned(units), tested)} {visible(cluster_units(cluster))} with {spanned(n)} {kind}"


def _against(sizes: str, rows: Sequence[Row]) -> str:
    """Write the number of units, and that of the baseline where it has other units."""
    bases = {row["n_units_baseline"] for row in rows if row.get("n_units_baseline") is not None}
    return f"{sizes} against {spanned(bases)}" if bases else sizes


def cluster_of(rows: Iterable[Row]) -> str | None:
    """Return the column whose values are the units of the tests; None if these are queries or rows."""
    return next((str(row["cluster"]) for row in rows if row.get("cluster")), None)


def tests_of(rows: Iterable[Row], usual: str) -> str:
    """Write the test that computed p, with the number of resamples; of several, by metric.

    Args:
        usual: the test to name if no p was computed.
    """
    made: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["p"] is not None:
            number = drawn_by_test(row)
            drawn = "" if number is None else f" with {number:,} resamples"
            made.setdefault(f"{words(row['test'])}{drawn}", {})[visible(row["metric"])] = None
    if len(made) < 2:
        return next(iter(made), words(usual))
    return ", ".join(f"{test} ({', '.join(metrics)})" for test, metrics in made.items())


def words(name: str) -> str:
    """Write the name of a statistic in words."""
    return IN_WORDS.get(name) or name.replace("_", " ")


def correction(rows: Sequence[Row], adjust: str, alpha: float) -> str:
    """Write how p is corrected, for the number of comparisons in each family."""
    if adjust == UNADJUSTED:
        return ", not corrected further"
    sizes = sizes_of(rows)
    total = sum(sizes.values())
    families = ", ".join(_family(name, size) for name, size in sizes.items())
    made = counted(total, "comparison") if len(sizes) == 1 else families
    drawn = drawn_by_adjustment(rows, adjust)
    return f" after {corrected_by(adjust)} correction{drawn} for {made}{false_verdicts(rows, adjust, alpha)}"


def _family(name: str, size: int) -> str:
    """Write the number of comparisons of a slicing."""
    if name:
        return f"{size:,} by {visible(name)}"
    return f"{counted(size, 'comparison')} overall"


def corrected_by(adjust: str) -> str:
    """Write the name of a correction."""
    return adjust.replace("_", "-").title()
