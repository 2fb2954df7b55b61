"""The words of the column verdict, and the signs and short words that stand for them on a screen."""

from __future__ import annotations

BETTER, WORSE, DIFFERENT = "better", "worse", "different"
UNCLEAR, UNTESTED, BASELINE = "not distinguishable", "not tested", "baseline"
# The words of a comparison with a margin; the last one takes the place of UNCLEAR.
EQUIVALENT, NOT_WORSE, INCONCLUSIVE = "equivalent", "not worse", "inconclusive"

# The usual error rate: an adjusted p below it gives a verdict.
ALPHA = 0.05
# A shape for every verdict, so that nobody needs to see its color.
SIGNS = {
    BETTER: "▲", WORSE: "▼", DIFFERENT: "◆", UNCLEAR: "○", UNTESTED: "–",
    EQUIVALENT: "≈", NOT_WORSE: "△", INCONCLUSIVE: "◇",
}  # fmt: skip
_SHORT = {UNCLEAR: "unclear"}


def with_sign(verdict: str) -> str:
    """Write a verdict for a screen: a sign and a short word."""
    return f"{SIGNS.get(verdict, ' ')} {_SHORT.get(verdict, verdict)}"
