"""Bins of probabilities: of equal width, of equal mass, or with given edges."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.observation import mean, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation


def binned(
    rows: Sequence[Observation], bins: int, binning: str, edges: Sequence[float] | None = None
) -> list[list[Observation]]:
    """Return the rows of every bin, empty bins included; edges, if given, are in place of the number."""
    if edges is not None:
        return edged_bins(rows, edges)
    return choose({"width": width_bins, "mass": mass_bins}, binning)(rows, bins)


def edged_bins(rows: Sequence[Observation], edges: Sequence[float]) -> list[list[Observation]]:
    """Return bins b with edges[b] <= p < edges[b + 1], in the last one also p = edges[b + 1]."""
    members: list[list[Observation]] = [[] for _ in edges[1:]]
    for row in present(rows):
        members[min(bisect_right(edges, row.score), len(members)) - 1].append(row)
    return members


def width_bins(rows: Sequence[Observation], bins: int) -> list[list[Observation]]:
    """Return bins b with b/bins <= p < (b+1)/bins, in the last one also p = 1; the edges are doubles."""
    return edged_bins(rows, [b / bins for b in range(bins + 1)])


def mass_bins(rows: Sequence[Observation], bins: int) -> list[list[Observation]]:
    """Return the n rows in order of p: r = n mod bins bins of n div bins + 1 rows, then bins of n div bins.

    As ntile of SQL. Rows are counted, not weighed, and rows of equal p are never split: all
    go into the bin of the first of them.
    """
    ordered = sorted(present(rows), key=lambda row: row.score)
    q, r = divmod(len(ordered), bins)
    members: list[list[Observation]] = [[] for _ in range(bins)]
    bin_of: dict[float, int] = {}
    for i, row in enumerate(ordered):
        bin_of.setdefault(row.score, i // (q + 1) if i < r * (q + 1) else (i - r) // q)
        members[bin_of[row.score]].append(row)
    return members


def gap(rows: Sequence[Observation]) -> float | None:
    """Return the mean p - mean y; None without rows."""
    score, label = mean(rows, lambda row: row.score), mean(rows, lambda row: row.y)
    return None if score is None or label is None else score - label
