"""Bins of probabilities: of equal width, or of equal mass."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.observation import mean, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation


def binned(rows: Sequence[Observation], bins: int, binning: str) -> list[list[Observation]]:
    """Return the rows of every bin, empty bins included."""
    return choose({"width": width_bins, "mass": mass_bins}, binning)(rows, bins)


def width_bins(rows: Sequence[Observation], bins: int) -> list[list[Observation]]:
    """Return bins b with b/bins <= p < (b+1)/bins, in the last one also p = 1; the edges are doubles."""
    edges = [b / bins for b in range(bins)]
    members: list[list[Observation]] = [[] for _ in edges]
    for row in present(rows):
        members[bisect_right(edges, row.score) - 1].append(row)
    return members


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
