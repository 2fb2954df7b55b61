"""The words about families of comparisons: sizes, tests, resamples, and the chance of a false verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.sentences.lists import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


def families_text(rows: Iterable[Row]) -> str:
    """Write how many comparisons were adjusted together, by slicing if there are several."""
    sizes = sizes_of(rows)
    told = counted(sum(sizes.values()), "comparison")
    if len(sizes) < 2:
        return told
    each = ", ".join(f"{size} {f'by {name}' if name else 'overall'}" for name, size in sizes.items())
    return f"{told} in {len(sizes)} families ({each})"


def tests_text(rows: Sequence[Row], baseline: str, usual: str) -> str:
    """Write the test that computed p, with the number of resamples, by metric if there are several.

    Args:
        usual: the test, if no row has a p.
    """
    made: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["system"] != baseline and row["p"] is not None:
            number = drawn_by_test(row)
            drawn = "" if number is None else f" with {number} resamples"
            made.setdefault(f"{row['test']}{drawn}", {})[row["metric"]] = None
    if len(made) < 2:
        return next(iter(made), usual)
    return ", ".join(f"{test} ({', '.join(metrics)})" for test, metrics in made.items())


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
    return f"; the chance of any false verdict is up to {100 * min(families * alpha, 1):.4g} %"
