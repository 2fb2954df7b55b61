"""A compact letter display: two systems share a letter if and only if no test distinguishes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

T = TypeVar("T")


def tiers(systems: Sequence[T], differing: Iterable[tuple[T, T]]) -> list[list[T]]:
    """Return the groups of systems that share a letter: insert and absorb.

    Each group is in the order of the systems, and so are the groups, by their members. A system is in several
    groups where the tests are not transitive.

    Args:
        systems: the best first.
        differing: the pairs that a test distinguishes.

    Source:
        Piepho, Journal of Computational and Graphical Statistics 2004, doi:10.1198/1061860043515.
    """
    places = {system: place for place, system in enumerate(systems)}
    groups = [frozenset(places.values())] if places else []
    for pair in differing:
        one, other = (places[system] for system in pair)
        torn = [group for group in groups if one in group and other in group]
        groups = [group for group in groups if group not in torn]
        pieces = [group - {place} for place in (one, other) for group in torn]
        # A piece that no pair needs would only add a letter.
        for piece in sorted(pieces, key=lambda group: (-len(group), sorted(group))):
            groups = groups if _is_covered(piece, groups) else [*groups, piece]
    for group in sorted(groups, key=sorted, reverse=True):
        rest = [other for other in groups if other != group]
        groups = rest if _is_covered(group, rest) else groups
    return [[systems[place] for place in sorted(group)] for group in sorted(groups, key=sorted)]


def _is_covered(group: frozenset[int], others: Collection[frozenset[int]]) -> bool:
    """Return whether other groups hold every pair of a group, and every system of it."""
    return all(group <= {place for other in others if one in other for place in other} for one in group)
