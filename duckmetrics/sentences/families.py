"""The words about families of comparisons: the resamples behind p, and the chance of a false verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Row = Mapping[str, Any]

# The method that adjusts all comparisons together, from the values of their units.
MAX_T = "max_t"
# The methods that keep the chance of any false verdict in a family below alpha.
FAMILYWISE = ("bonferroni", "holm", "hochberg", MAX_T)
# The test whose p comes from a formula, whatever the adjustment draws.
UNDRAWN = "paired_t"


def sizes_of(rows: Iterable[Row]) -> dict[str, int]:
    """Return the number of comparisons in the family of each slicing."""
    return {row["slice"]: row["n_tests"] or 0 for row in rows}


def drawn_by_test(row: Row) -> int | None:
    """Return the number of resamples that p comes from; None if the test draws none."""
    return None if row["test"] == UNDRAWN else row["resamples"]


def drawn_by_adjustment(rows: Iterable[Row], adjust: str) -> str:
    """Write the number of resamples behind the adjusted p-values; nothing if they come from p."""
    drawn = {row["resamples"] for row in rows if row["p"] is not None} if adjust == MAX_T else set()
    return f" with {min(drawn):,} resamples" if drawn else ""


def false_verdicts(rows: Iterable[Row], adjust: str, alpha: float) -> str:
    """Write the chance of any false verdict in several families, each of which keeps to alpha."""
    families = sum(size > 0 for size in sizes_of(rows).values())
    if families < 2 or adjust not in FAMILYWISE:
        return ""
    return f"; the chance of any false verdict is up to {100 * (1 - (1 - alpha) ** families):.1f} %"
