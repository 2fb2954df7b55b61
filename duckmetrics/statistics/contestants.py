"""The baseline or control of a test: it must be named, and be in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError, MetricError
from duckmetrics.expressions.folding import literal
from duckmetrics.sentences.lists import joined
from duckmetrics.statistics.inputs import CONTESTANTS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.statistics.data import Data

# At most this number of names is listed.
LISTED = 20


def check_contestants(
    engine: Engine, measure: Measure, data: Data, kept: str, missing: Collection[str]
) -> None:
    """Look for the baseline or control in the data.

    Args:
        missing: the parameters that nobody named.
    Raises:
        MetricError: it must be named.
        InputError: it is not there.
    """
    for key, column in CONTESTANTS.items():
        param = measure.metric.own_params.get(key)
        if param is None or (key in missing and not param.required):
            continue
        known = _names(engine, kept, column)
        if key in missing:
            choice = listed(known, "or") or f"a name that is in {data.names[column]!r}"
            raise MetricError(measure.metric.name, f"{key} is missing", f"choose {choice}")
        chosen = measure.values[key]
        is_it = exp.EQ(this=exp.column(column), expression=literal(chosen))
        if not engine.rows(exp.select(literal(1)).from_(kept).where(is_it).limit(1)):
            there = f"there {'is' if len(known) == 1 else 'are'} {listed(known, 'and') or 'none'}"
            raise InputError(data.label, f"{key} {chosen!r} is no {data.names[column]}", there)


def _names(engine: Engine, kept: str, column: str) -> list[str]:
    """Return the names in a column, at most one more than are listed."""
    query = exp.select(column).distinct().from_(kept).where(exp.column(column).is_(exp.null()).not_())
    query = query.order_by(exp.Ordered(this=exp.column(column))).limit(LISTED + 1)
    return [str(name) for (name,) in engine.rows(query)]


def listed(names: Sequence[str], word: str) -> str:
    """Return names as a list in a sentence, with a word before the last of them."""
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])} ..."
    return joined(names, word)
