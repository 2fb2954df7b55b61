"""The first line of a leaderboard: who is the best."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.expressions.visible import visible
from duckmetrics.sentences.lists import joined, verb
from duckmetrics.verdicts import DIFFERENT, EQUIVALENT, INCONCLUSIVE, NOT_WORSE, UNTESTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

# The words in the column verdict, in addition to those of a comparison.
BEST, AMONG_BEST, NO_VALUE = "best", "among the best", "no value"
# One letter of a tier, such as a or b2.
_LETTER = re.compile(r"[a-z]\d*")


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
    every = "both" if many == 2 else f"all {many}"
    count = every if len(sharing) == many else f"{len(sharing)} of {many}"
    others = sum(_is_among_best(row) and row not in sharing for row in known)
    more = f"; {others} more cannot be distinguished from {best}" if others else ""
    untested = [visible(str(row["system"])) for row in known if row["verdict"] == UNTESTED]
    if untested:
        more += f"; {joined(untested)} {verb(len(untested), 'was', 'were')} not tested against {best}"
    if len(sharing) == 1:  # nothing shows which of two values is nearer to a target
        other = joined([visible(str(row["system"])) for row in known if row["verdict"] == DIFFERENT])
        shown = f", but no test shows that it is better than {other}" if other else ""
        return Claim(f"{best} has the best value of {many} systems", f"{shown}{more}{near}")
    return Claim(f"{count} systems share the first tier", f": they do not clearly differ{more}{near}")


def _near(rows: Sequence[Row], best: str) -> Iterator[str]:
    """Yield the systems that a margin shows to be close enough to the best one, in words."""
    for verdict, words in ((EQUIVALENT, "equivalent to"), (NOT_WORSE, "not worse than")):
        names = [visible(str(row["system"])) for row in rows if row["verdict"] == verdict]
        if names:
            yield f"; {joined(names)} {verb(len(names), 'is', 'are')} {words} {best}"


def _is_among_best(row: Row) -> bool:
    """Return whether no test distinguishes a system from the best one."""
    if row["verdict"] in (EQUIVALENT, NOT_WORSE, INCONCLUSIVE):
        return bool(row["p_adjusted"] >= row["alpha"])
    return bool(row["verdict"] == AMONG_BEST)
