"""The sentence about systems of which every pair was tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible
from duckmetrics.sentences.lists import named, verb
from duckmetrics.verdicts import BETTER, DIFFERENT, EQUIVALENT, NOT_WORSE, UNTESTED, WORSE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


@dataclass(frozen=True)
class Pair:
    """The verdict on a system against another by one metric, over all rows or queries."""

    system: str
    against: str
    verdict: str


def verdict_of_pair(row: Mapping[str, Any]) -> str:
    """Return the verdict on a pair that does not depend on the order of its systems.

    A system that is worse within a margin is equivalent or not worse, but the other one is better.
    """
    if row["verdict"] not in (EQUIVALENT, NOT_WORSE) or not row["delta"]:
        return str(row["verdict"])
    is_directed = row["better"] is not None or row["target"] is not None
    return WORSE if is_directed and row["p_adjusted"] < row["alpha"] else str(row["verdict"])


def sentence_of_pairs(metric: str, systems: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Return the best systems by one metric in a sentence, without a full stop."""
    return visible(_told(metric, systems, pairs))


def _told(metric: str, systems: Sequence[str], pairs: Sequence[Pair]) -> str:
    verdicts = [pair.verdict for pair in pairs]
    if all(verdict == UNTESTED for verdict in verdicts):
        return f"The {len(systems)} systems were not tested against each other by {metric}"
    won = {(pair.system, pair.against) for pair in pairs if pair.verdict == BETTER}
    won |= {(pair.against, pair.system) for pair in pairs if pair.verdict == WORSE}
    if not won and DIFFERENT in verdicts:
        return (
            f"{verdicts.count(DIFFERENT)} of {len(pairs)} pairs of {len(systems)} systems differ by {metric}"
        )
    if all(verdict == EQUIVALENT for verdict in verdicts):
        return f"The {len(systems)} systems are equivalent by {metric}"
    if not won:
        return f"The {len(systems)} systems do not clearly differ by {metric}"
    return _of_winners(metric, systems, won)


def _of_winners(metric: str, systems: Sequence[str], won: Collection[tuple[str, str]]) -> str:
    """Return the sentence about systems of which some are better than others: pairs of winner and loser."""
    top = [system for system in systems if not any(loser == system for _, loser in won)]
    others = [system for system in systems if system not in top]
    are = verb(len(top), "is", "are")
    start = f"{named(top, 'systems')} {are} the best of {len(systems)} systems by {metric}"
    near = [other for other in others if any((best, other) not in won for best in top)]
    if len(top) == 1:
        return f"{start}, but not clearly better than {named(near, 'systems')}" if near else start
    if top and not near:
        return f"{start}, and do not clearly differ"
    if not top:
        return f"None of {len(systems)} systems is better than all others by {metric}"
    return f"Of {len(systems)} systems, none is clearly better than {named(top, 'systems', 'or')} by {metric}"
