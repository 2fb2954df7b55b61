"""Rows of one segment, kept in the order of their scores, so that no window has to sort them (plan rule).

DuckDB counts the pairs of a positive and a negative from one sort of whole numbers in two thirds of the time
that the ranks of the scores need. It finds thresholds from one sort of the scores in a quarter of the time
that it takes to group the rows by score, and to sort the groups.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import SYSTEM_GRAIN
from duckmetrics.compose.optimizer import NUMBERED_PAIRS, PLACE, PLACED_SCORES, in_kept_order
from duckmetrics.engines.engine import Feature, keep_new, keep_readable
from duckmetrics.expressions.build import cast_to, everything, first_of_parts, picked, row_count, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import WEIGHTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs

# The relations of numbers, of their places and of their sums; of scores.
NUMBERS, NUMBER_PLACES, SUMS, SCORES = "numbered", "placed_numbers", "numbered_sums", "ended_scores"
NUMBER, CLASS = "number", "is_positive"
# A number that is larger than all others, as the relation of the last row has it.
LAST = 2**63 - 2
# The bits of the largest number without the class, as the relation of the numbers says.
BITS = 61
FLOATS = ("DOUBLE", "FLOAT")
# The bytes of a kept row: of a number; of a score with its class.
NUMBER_BYTES, SCORE_BYTES = 8, 9
# The number of rows from which a sort saves more than the other statements cost; the part of the memory that
# the rows may take, because they stay in it while they are sorted.
FEWEST_ROWS, PART_OF_MEMORY = 500_000, 1 / 5
# The exponent of the largest score, below which the scale is no DOUBLE any more.
LOWEST_EXPONENT = -900


def with_pairs(catalog: Catalog, engine: Engine, inputs: Inputs) -> Inputs:
    """Return the inputs, and with them the pairs in a table if numbers save time.

    They save none with several systems or slices, or with few rows. There are no numbers for scores that are
    missing, infinite, or no DOUBLE or FLOAT.
    """
    if not engine.supports(Feature.NUMBER_SORTS) or not _has_one_segment(inputs):
        return inputs
    n_rows, scale = _scale(engine, inputs.composer(catalog))
    if n_rows < FEWEST_ROWS or scale is None:
        return inputs
    values: dict[str, Value] = {"scale": scale, WEIGHTED: False}
    sums, n_before = engine.name(SUMS), 0
    for low, high in _ranges(engine, inputs.composer(catalog), values, n_rows):
        in_order = _numbers(engine, inputs.composer(catalog), values, low, high)
        places = _placed(inputs, in_order, n_before, exp.column(NUMBER))
        composer = inputs.composer(catalog, {**inputs.queries, NUMBER_PLACES: places})
        query = in_kept_order(composer.complete(everything(composer.relation(SUMS, values))))
        engine.keep(sums, query, more=low is not None)
        n_before += int(engine.rows(row_count(in_order))[0][0]) - 1
        engine.discard(in_order)
    composer = inputs.composer(catalog, {**inputs.queries, SUMS: engine.kept(sums)})
    pairs = composer.complete(everything(composer.relation(NUMBERED_PAIRS, values)))
    kept = engine.kept(keep_new(engine, NUMBERED_PAIRS, pairs))
    return replace(inputs, queries={**inputs.queries, NUMBERED_PAIRS: kept})


def _ranges(
    engine: Engine, composer: Composer, values: Mapping[str, Value], n_rows: int
) -> list[tuple[int | None, int | None]]:
    """Return ranges of numbers, each of which fits into the memory and has all rows of its scores."""
    number = math.ceil(n_rows * NUMBER_BYTES / (PART_OF_MEMORY * engine.memory_limit()))
    edges: list[int] = []
    if number > 1:
        rows = picked(composer.relation(NUMBERS, values), NUMBER)
        firsts = engine.rows(composer.complete(first_of_parts(rows, NUMBER, number)))
        edges = sorted({first - first % 2 for (first,) in firsts[1:]})
    return list(zip([None, *edges], [*edges, None], strict=True))


def _numbers(
    engine: Engine, composer: Composer, values: Mapping[str, Value], low: int | None, high: int | None
) -> str:
    """Keep the numbers of a range in their order, and one that is larger; return the name of the table."""
    rows = picked(composer.relation(NUMBERS, values), NUMBER)
    if low is not None:
        rows = rows.where(exp.GTE(this=exp.column(NUMBER), expression=literal(low)))
    if high is not None:
        rows = rows.where(exp.LT(this=exp.column(NUMBER), expression=literal(high)))
    last = exp.select(literal(LAST if high is None else high).as_(NUMBER))
    order = exp.Ordered(this=exp.column(NUMBER), desc=False)
    numbers = picked(stacked([rows, last]).subquery("numbers"), NUMBER).order_by(order)
    return keep_readable(engine, "in_order", composer.complete(numbers))


def with_places(catalog: Catalog, engine: Engine, inputs: Inputs, n_rows: int) -> tuple[Inputs, list[str]]:
    """Return the inputs, and with them the places of the scores if these save time.

    Args:
        n_rows: the number of rows, many of which have different scores.

    Returns: the names of the tables that the places are read from, too.
    """
    if not engine.supports(Feature.GLOBAL_SORTS) or not _has_one_segment(inputs):
        return inputs, []
    if n_rows < FEWEST_ROWS or n_rows * SCORE_BYTES > PART_OF_MEMORY * engine.memory_limit():
        return inputs, []
    downward = exp.Ordered(this=exp.column("score"), desc=True, nulls_first=False)
    composer = inputs.composer(catalog)
    rows = picked(composer.relation(SCORES, {WEIGHTED: False}), "score", CLASS).order_by(downward)
    in_order = keep_readable(engine, "in_order", composer.complete(rows))
    positive = exp.column(CLASS)
    upto = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
    tp = exp.Window(this=exp.Sum(this=cast_to(positive.copy(), "DOUBLE")), spec=upto).as_("tp")
    places = _placed(inputs, in_order, 0, exp.column("score"), positive, tp)
    return replace(inputs, queries={**inputs.queries, PLACED_SCORES: places}), [in_order]


def _has_one_segment(inputs: Inputs) -> bool:
    """Return whether all rows have the same system and slice, which a kept order does not tell apart."""
    return inputs.constants.keys() >= {*SYSTEM_GRAIN}


def _placed(inputs: Inputs, in_order: str, n_before: int, *columns: exp.Expr) -> exp.Select:
    """Return the query of rows with their places in the order in which they are kept, after those before."""
    keys = (literal(inputs.constants[key]).as_(key) for key in SYSTEM_GRAIN)
    place: exp.Expr = exp.Window(this=exp.RowNumber())
    place = exp.Add(this=place, expression=literal(n_before)) if n_before else place
    return picked(in_order, *keys, *columns, place.as_(PLACE))


def _scale(engine: Engine, composer: Composer) -> tuple[int, float | None]:
    """Return the number of rows, and the power of two that makes large scores whole; None for no numbers."""
    composer.relation("predictions", {})
    score = exp.column("score")
    largest = exp.Max(this=exp.Abs(this=score.copy()))
    query = exp.select(
        exp.Count(this=exp.Star()),
        exp.Count(this=score.copy()),
        cast_to(largest, "DOUBLE"),
        exp.Anonymous(this="typeof", expressions=[exp.Max(this=score)]),
    ).from_("predictions")
    n_rows, n_scores, most, type_ = engine.rows(composer.complete(query))[0]
    if n_rows == 0 or n_scores != n_rows or type_ not in FLOATS or not math.isfinite(most):
        return n_rows, None
    exponent = math.frexp(most)[1]
    return n_rows, 2.0 ** (BITS - exponent) if exponent >= LOWEST_EXPONENT else None
