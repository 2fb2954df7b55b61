"""Scores sorted as whole numbers, with the class as the last bit (plan rule).

DuckDB sorts one whole number per row in two thirds of the time that it needs for the ranks of scores in a
window. The rows are kept in the order of their numbers, so their places are known without a window.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.engines.engine import Feature, keep_new, keep_readable
from duckmetrics.expressions.build import cast_to, everything, picked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import WEIGHTED

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

# The relations of the numbers, of their places, and of the pairs that are counted from these.
NUMBERS, PLACES, PAIRS = "ended_numbers", "placed_numbers", "numbered_pairs"
NUMBER, PLACE = "number", "place"
# What the numbers do not distinguish, so it has to be the same in every row.
KEYS = ("system", "segment")
# The bits of the largest number without the class, as the relation says.
BITS = 61
FLOATS = ("DOUBLE", "FLOAT")
# The number of rows from which the shorter sort saves more than the other statements cost, and up to which
# the numbers fit into the memory that the sort needs.
FEWEST_ROWS, MOST_ROWS = 500_000, 20_000_000
# The exponent of the largest score, below which the scale is no DOUBLE any more.
LOWEST_EXPONENT = -900


def with_numbered_pairs(catalog: Catalog, engine: Engine, inputs: Inputs) -> Inputs:
    """Return the inputs, and with them the pairs in a table if numbers save time.

    They save none with several systems or slices, or with too few or too many rows. There are no numbers for
    scores that are missing, infinite, or no DOUBLE or FLOAT.
    """
    if not engine.supports(Feature.NUMBER_SORTS) or not inputs.constants.keys() >= {*KEYS}:
        return inputs
    scale = _scale(engine, inputs.composer(catalog))
    if scale is None:
        return inputs
    composer = inputs.composer(catalog)
    values = {"scale": scale, WEIGHTED: False}
    numbers = composer.complete(picked(composer.relation(NUMBERS, values), NUMBER))
    upward = exp.Ordered(this=exp.column(NUMBER), desc=False)
    in_order = keep_readable(engine, "in_order", numbers.order_by(upward))
    composer = inputs.composer(catalog, {**inputs.queries, PLACES: _places(inputs, in_order)})
    pairs = composer.complete(everything(composer.relation(PAIRS, values)))
    kept = engine.kept(keep_new(engine, PAIRS, _in_stored_order(pairs)))
    engine.discard(in_order)
    return replace(inputs, queries={**inputs.queries, PAIRS: kept})


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
    if not FEWEST_ROWS <= n_rows <= MOST_ROWS or n_scores != n_rows or type_ not in FLOATS:
        return None
    exponent = math.frexp(most)[1]
    return 2.0 ** (BITS - exponent) if math.isfinite(most) and exponent >= LOWEST_EXPONENT else None


def _places(inputs: Inputs, in_order: str) -> exp.Select:
    """Return the query of the numbers with their places."""
    keys = (literal(inputs.constants[key]).as_(key) for key in KEYS)
    return picked(in_order, *keys, NUMBER, exp.Window(this=exp.RowNumber()).as_(PLACE))


def _in_stored_order(query: exp.Select) -> exp.Select:
    """Let windows take the rows in the order in which they are kept, so that nothing is sorted; in place."""
    for window in query.find_all(exp.Window):
        order = window.args.get("order")
        if order is not None and [key.this.name for key in order.expressions] == [PLACE]:
            window.set("order", None)
    return query
