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

from duckmetrics.compose.optimizer import PLACE, in_kept_order
from duckmetrics.engines.engine import Feature, keep_new, keep_readable
from duckmetrics.expressions.build import cast_to, everything, picked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import WEIGHTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs

# What all rows that are kept in one order have in common.
KEYS = ("system", "segment")
# The relations of numbers and of scores, each with a last row; of their places; and of pairs.
NUMBERS, NUMBER_PLACES, PAIRS = "ended_numbers", "placed_numbers", "numbered_pairs"
SCORES, SCORE_PLACES = "ended_scores", "placed_scores"
CLASS = "is_positive"
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

    They save none with several systems or slices, with few rows, or with more rows than fit into the memory.
    There are no numbers for scores that are missing, infinite, or no DOUBLE or FLOAT.
    """
    if not engine.supports(Feature.NUMBER_SORTS) or not _has_one_segment(inputs):
        return inputs
    scale = _scale(engine, inputs.composer(catalog))
    if scale is None:
        return inputs
    values = {"scale": scale, WEIGHTED: False}
    number = exp.column("number")
    in_order = _in_order(catalog, engine, inputs, NUMBERS, values, exp.Ordered(this=number, desc=False))
    places = _placed(inputs, in_order, number.copy())
    composer = inputs.composer(catalog, {**inputs.queries, NUMBER_PLACES: places})
    pairs = in_kept_order(composer.complete(everything(composer.relation(PAIRS, values))))
    kept = engine.kept(keep_new(engine, PAIRS, pairs))
    engine.discard(in_order)
    return replace(inputs, queries={**inputs.queries, PAIRS: kept})


def with_places(catalog: Catalog, engine: Engine, inputs: Inputs, n_rows: int) -> tuple[Inputs, list[str]]:
    """Return the inputs, and with them the places of the scores if these save time.

    Args:
        n_rows: the number of rows, many of which have different scores.

    Returns: the names of the tables that the places are read from, too.
    """
    if not engine.supports(Feature.GLOBAL_SORTS) or not _has_one_segment(inputs):
        return inputs, []
    if not _is_worth_it(engine, n_rows, SCORE_BYTES):
        return inputs, []
    downward = exp.Ordered(this=exp.column("score"), desc=True, nulls_first=False)
    in_order = _in_order(catalog, engine, inputs, SCORES, {WEIGHTED: False}, downward, CLASS)
    positive = exp.column(CLASS)
    upto = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
    tp = exp.Window(this=exp.Sum(this=cast_to(positive.copy(), "DOUBLE")), spec=upto).as_("tp")
    places = _placed(inputs, in_order, exp.column("score"), positive, tp)
    return replace(inputs, queries={**inputs.queries, SCORE_PLACES: places}), [in_order]


def _is_worth_it(engine: Engine, n_rows: int, n_bytes: int) -> bool:
    """Return whether there are many rows, and they fit into the memory."""
    return n_rows >= FEWEST_ROWS and n_rows * n_bytes <= PART_OF_MEMORY * engine.memory_limit()


def _has_one_segment(inputs: Inputs) -> bool:
    return inputs.constants.keys() >= {*KEYS}


def _in_order(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    relation: str,
    values: Mapping[str, Value],
    order: exp.Ordered,
    *others: str,
) -> str:
    """Keep the rows of a relation in an order; return the name of the table."""
    composer = inputs.composer(catalog)
    rows = picked(composer.relation(relation, values), order.this.copy(), *others)
    return keep_readable(engine, "in_order", composer.complete(rows.order_by(order)))


def _placed(inputs: Inputs, in_order: str, *columns: exp.Expr) -> exp.Select:
    """Return the query of rows with their places in the order in which they are kept."""
    keys = (literal(inputs.constants[key]).as_(key) for key in KEYS)
    return picked(in_order, *keys, *columns, exp.Window(this=exp.RowNumber()).as_(PLACE))


def _scale(engine: Engine, composer: Composer) -> float | None:
    """Return the power of two that makes large scores whole; None if there are no numbers."""
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
    if not _is_worth_it(engine, n_rows, NUMBER_BYTES) or n_scores != n_rows or type_ not in FLOATS:
        return None
    exponent = math.frexp(most)[1]
    return 2.0 ** (BITS - exponent) if math.isfinite(most) and exponent >= LOWEST_EXPONENT else None
