"""Margins of a leaderboard: which systems are close enough to the best one?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.families import OF_METRIC
from duckmetrics.comparison.margins import adjust_margins, verdict_within, with_margins
from duckmetrics.sentences.claims import AMONG_BEST
from duckmetrics.verdicts import UNCLEAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation


def margins_of_pairs(
    comparer: Comparer,
    engine: Engine,
    contests: Sequence[tuple[FamilyEvaluation, Sequence[Row]]],
    systems: Sequence[str],
) -> list[Row]:
    """Return the comparisons with the columns of their margins; none without a margin.

    The data decide which system is the best. The p-values are therefore adjusted for all pairs.

    Args:
        contests: the comparisons of each metric and slice.
    """
    if comparer.margins is None:
        return []
    parts = list({id(part): part for part, _ in contests}.values())
    margins = comparer.margins.of([measure for part in parts for measure in part.measures])
    # Each comparison has a baseline of its own.
    values = comparer.values("", comparer.enough(parts, systems))
    rows: list[Row] = []
    for part in parts:
        pairs = [row for own, given in contests if own is part for row in given]
        rows += with_margins(comparer.catalog, engine, part, pairs, margins, comparer.test.name, values)
    adjust_margins(comparer.catalog, engine, rows, comparer.adjust, OF_METRIC)
    return rows


def verdict_near(row: Mapping[str, Any], usual: str, alpha: float) -> str:
    """Return the verdict on a system with a margin.

    Args:
        row: the columns of its margin to the best system.
        usual: the verdict without the margin.
    """
    found = verdict_within(row, UNCLEAR if usual == AMONG_BEST else usual, alpha)
    return usual if found == UNCLEAR else found
