"""The words of the column verdict, the signs that stand before them, and the headings of their p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BETTER, WORSE, DIFFERENT = "better", "worse", "different"
UNCLEAR, UNTESTED, BASELINE = "unclear", "not tested", "baseline"
# The words of a comparison with a margin; the last one takes the place of UNCLEAR.
EQUIVALENT, NOT_WORSE, INCONCLUSIVE = "equivalent", "not worse", "inconclusive"

# The usual error rate: an adjusted p below it gives a verdict.
ALPHA = 0.05
# The headings of the p of one test, and of p adjusted for several: on a page, and on a narrow screen.
P, ADJUSTED_P, ADJUSTED_P_SHORT = "p", "adjusted p", "p adj."
# A shape for every verdict, so that nobody needs to see its color.
SIGNS = {
    BETTER: "▲", WORSE: "▼", DIFFERENT: "◆", UNCLEAR: "○", UNTESTED: "–",
    EQUIVALENT: "≈", NOT_WORSE: "△", INCONCLUSIVE: "◇", BASELINE: "·",
}  # fmt: skip


def with_sign(verdict: str) -> str:
    """Write a verdict for a screen: a sign and the word."""
    return f"{SIGNS.get(verdict, ' ')} {verdict}"


def p_heading(rows: Iterable[Mapping[str, Any]], adjusted: str = ADJUSTED_P) -> str:
    """Return the heading of the adjusted p-values of rows: `P` where nothing was adjusted.

    Args:
        adjusted: the heading of p-values that were adjusted.
    """
    return adjusted if any(row["p_adjusted"] != row["p"] for row in rows) else P
