"""Margins of a leaderboard: which systems are close enough to the best one?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.families import OF_METRIC
from duckmetrics.comparison.margins import adjust_margins, verdict_within, with_margins
from duckmetrics.comparison.pairing import Row, key_of_row
from duckmetrics.sentences.claims import AMONG_BEST
from duckmetrics.sentences.margins import OF_MARGINS
from duckmetrics.verdicts import UNCLEAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation


def margins_of_pairs(
    comparer: Comparer,
    engine: Engine,
    contests: Sequence[tuple[FamilyEvaluation, Sequence[Row]]],
    systems: Sequence[str],
) -> dict[tuple[Any, ...], Row]:
    """Return the columns of the margin for every comparison with the best, by the keys of `key_of_row`.

    The data decide which system is the best. The p-values are therefore adjusted for all pairs.

    Args:
        contests: the comparisons of each metric and slice; those with the best system come first.
    """
    if comparer.margins is None:
        return {}
    margins = comparer.margins.of([measure for part in _parts(contests) for measure in part.measures])
    # Each comparison has a baseline of its own.
    values = comparer.values("", comparer.enough(_parts(contests), systems))
    found: dict[tuple[Any, ...], Row] = {}
    rows: list[Row] = []
    for part in _parts(contests):
        pairs = [row for own, given in contests if own is part for row in given]
        tested = with_margins(comparer.catalog, engine, part, pairs, margins, comparer.test.name, values)
        rows += tested
        for row in tested:
            found.setdefault(key_of_row(part, row), row)
    adjust_margins(comparer.catalog, engine, rows, comparer.adjust, OF_METRIC)
    return {key: {name: row[name] for name in OF_MARGINS} for key, row in found.items()}


def verdict_near(row: Mapping[str, Any], usual: str, alpha: float) -> str:
    """Return the verdict on a system with a margin.

    Args:
        row: the columns of its margin to the best system.
        usual: the verdict without the margin.
    """
    found = verdict_within(row, UNCLEAR if usual == AMONG_BEST else usual, alpha)
    return usual if found == UNCLEAR else found


def _parts(contests: Sequence[tuple[FamilyEvaluation, Sequence[Row]]]) -> list[FamilyEvaluation]:
    """Return each part once."""
    return list({id(part): part for part, _ in contests}.values())
