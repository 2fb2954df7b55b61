"""The words for verdicts, margins, families of p-values and the claims of a leaderboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.words.lists import FEW_NAMES, counted, joined, verb
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

BETTER, WORSE, DIFFERENT = "better", "worse", "different"
UNCLEAR, UNTESTED, BASELINE = "unclear", "not tested", "baseline"
# The words of a comparison with a margin; the last one takes the place of UNCLEAR.
BY_MARGIN = EQUIVALENT, NOT_WORSE, INCONCLUSIVE = "equivalent", "not worse", "inconclusive"

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


# The columns of a comparison with a margin: the margin in the units of the metric, the share of the
# baseline if it is relative, and the p-values of its tests.
OF_MARGINS = (
    "margin", "relative_margin", "p_not_worse", "p_not_worse_adjusted", "p_equivalent",
    "p_equivalent_adjusted",
)  # fmt: skip
# The column of the pairs of a leaderboard with the system whose loss against the other one is tested.
WORSE_SYSTEM = "worse_system"


def has_margin(row: Mapping[str, Any]) -> bool:
    """Return whether a row was tested with a margin."""
    return "p_equivalent" in row and not row["margin"] is row["relative_margin"] is None


def margin_sentence(
    rows: Iterable[Mapping[str, Any]], baseline: str, alpha: float, is_adjusted: bool
) -> str | None:
    """Return the margins of a comparison and how they are tested; None without a margin."""
    margins: dict[str, dict[str, None]] = {}
    for row in rows:
        if has_margin(row):
            margins.setdefault(_text(row, baseline), {})[visible(row["metric"])] = None
    if not margins:
        return None
    named = [f"{text} ({', '.join(metrics)})" for text, metrics in margins.items()]
    told = ", ".join(named) if len(named) > 1 else next(iter(margins))
    how = "corrected in the same way" if is_adjusted else "not corrected"
    return f"margin {told}: its tests (not worse, equivalent) are one-sided at {alpha:.4g}, {how}"


def _text(row: Mapping[str, Any], baseline: str) -> str:
    share = row["relative_margin"]
    return f"{row['margin']:.6g}" if share is None else f"{100 * share:.6g} % of {visible(baseline)}"


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


# The words in the column verdict, in addition to those of a comparison.
BEST, AMONG_BEST, NO_VALUE = "best", "among the best", "no value"
# One letter of a tier, such as a or b2.
_LETTER = re.compile(r"[a-z]\d*")


def ranks_of(row: Row) -> str:
    """Return the range of the rank of a system, as in ``1 to 5``; empty if no test compares it."""
    first, last = row["rank_lower"], row["rank_upper"]
    return "" if first is None else f"{first}" if first == last else f"{first} to {last}"


class Claim(NamedTuple):
    """The first place in words, and what it means."""

    text: str
    reason: str = ""


def claim_of(rows: Sequence[Row]) -> Claim:
    """Return who is the best of the systems of one metric."""
    known, many = [row for row in rows if row["value"] is not None], len(rows)
    if not known:
        return Claim(f"none of the {many} systems has a value")
    best, verdict = visible(str(known[0]["system"])), known[0]["verdict"]
    near = "".join(_near(known, best))
    if verdict == BEST:
        return Claim(f"{best} is the best of {many} systems", near)
    if verdict == UNTESTED:
        return Claim(f"{best} has the best value of {many} systems, and no test compares them")
    first = _LETTER.findall(known[0]["tier"])[0]
    sharing = [row for row in known if first in _LETTER.findall(row["tier"])]
    names = [visible(str(row["system"])) for row in sharing]
    if len(sharing) == many:
        first_tier = f"{'both' if many == 2 else f'all {many}'} systems share the first tier"
    else:
        told = names if len(names) <= FEW_NAMES else [best, counted(len(names) - 1, "other")]
        first_tier = f"{joined(told)} share the first tier of {many} systems"
    others = sum(_is_among_best(row) and row not in sharing for row in known)
    more = f"; {others} more cannot be distinguished from {best}" if others else ""
    untested = [visible(str(row["system"])) for row in known if row["verdict"] == UNTESTED]
    if untested:
        more += f"; {joined(untested)} {verb(len(untested), 'was', 'were')} not tested against {best}"
    if len(sharing) == 1:  # nothing shows which of two values is nearer to a target
        other = joined([visible(str(row["system"])) for row in known if row["verdict"] == DIFFERENT])
        shown = f", but no test shows that it is better than {other}" if other else ""
        return Claim(f"{best} has the best value of {many} systems", f"{shown}{more}{near}")
    return Claim(first_tier, f": they do not clearly differ{more}{near}")


def _near(rows: Sequence[Row], best: str) -> Iterator[str]:
    """Yield the systems that a margin shows to be close enough to the best one, in words."""
    for verdict, words in ((EQUIVALENT, "equivalent to"), (NOT_WORSE, "not worse than")):
        names = [visible(str(row["system"])) for row in rows if row["verdict"] == verdict]
        if names:
            yield f"; {joined(names)} {verb(len(names), 'is', 'are')} {words} {best}"


def _is_among_best(row: Row) -> bool:
    """Return whether no test distinguishes a system from the best one."""
    if row["verdict"] in BY_MARGIN:
        return bool(row["p_adjusted"] >= row["alpha"])
    return bool(row["verdict"] == AMONG_BEST)
