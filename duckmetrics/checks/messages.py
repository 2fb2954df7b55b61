"""A check that found something, as a sentence with examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.checks.bound_check import SEGMENT, TOTAL
from duckmetrics.checks.counting import count_of, counted_together, in_order
from duckmetrics.engines.engine import Feature
from duckmetrics.expressions.build import row_count
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.advice import in_words
from duckmetrics.results.findings import EXAMPLES, NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.checks.bound_check import BoundCheck
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# The verb behind the noun of a title.
_VERBS = {"that are": "that is", "that were": "that was", "that have": "that has"}


def finding_of(
    engine: Engine, inputs: Inputs, one: BoundCheck, count: int, totals: Mapping[str, int]
) -> Finding | None:
    if one.when or one.offenders.args.get("having"):
        count, rows = _counted_examples(engine, one)
        if not count:
            return None
    else:
        rows = _examples(engine, one)
    table, _, column = one.place.partition(".")
    examples = tuple(_example(engine, inputs, table, row) for row in rows)
    where = f"{inputs.labels[table]}: column {inputs.column_label(table, column)!r}"
    shown = f" ({'; '.join(examples)})" if any(examples) else ""
    among = rows[0].get(TOTAL) if rows else None
    title = singular(one.title) if count == 1 and among is None else one.title
    total = totals.get(table) if one.severity == NOTE and among is None and _filters(one, table) else None
    share = f", {count / total:.2g} of all" if total and count < total else ", all of them" if total else ""
    number = count if among is None else f"{count} of {among}"
    sentence = f"{number} {title}{share}"
    advice = in_words(one.advice, inputs.words.get(table, engine.dialect), inputs.column_label(table, column))
    message = f"{where}: {sentence}{shown}; {advice}"
    of = among or (totals.get(table) if _filters(one, table) else None) or None
    return Finding(one.name, one.severity, inputs.labels[table], inputs.column_label(table, column),
                   count, examples, message, advice, of, sentence)  # fmt: skip


def _filters(one: BoundCheck, table: str) -> bool:
    """Return whether the offenders are rows of a table, so that their share has a meaning."""
    return counted_together(one.offenders) is not None and one.offenders.args["from_"].this.name == table


def singular(title: str) -> str:
    """Turn ``rows that are all 0`` into ``row that is all 0``."""
    noun, _, rest = title.partition(" ")
    one = f"{noun.removesuffix('ies')}y" if noun.endswith("ies") else noun.removesuffix("s")
    for plural, single in _VERBS.items():
        rest = re.sub(rf"\b{plural}\b", single, rest, count=1)
    return f"{one} {rest}".rstrip()


def _counted_examples(engine: Engine, one: BoundCheck) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of offenders, and three of them.

    Plan rule: what is costly to find is found once.
    """
    if isinstance(one.offenders, exp.Union) or not engine.supports(Feature.GLOBAL_SORTS):
        count = engine.rows(one.composer.complete(count_of(one.offenders)))[0][0]
        return count, _examples(engine, one) if count else []
    names = [p.alias_or_name for p in one.offenders.selects]
    step = one.composer.step("offenders", one.offenders.copy())
    counted = in_order(one.offenders, step).select(row_count(step).subquery().as_("n_offenders"))
    rows = engine.rows(one.composer.complete(counted.limit(EXAMPLES)))
    return rows[0][-1] if rows else 0, [dict(zip(names, row[:-1], strict=True)) for row in rows]


def _examples(engine: Engine, one: BoundCheck) -> list[dict[str, Any]]:
    """Return three offenders; for a check over both sides, three of each."""
    parts = (
        [one.offenders.this, one.offenders.expression]
        if isinstance(one.offenders, exp.Union) else [one.offenders]
    )  # fmt: skip
    names = [p.alias_or_name for p in one.offenders.selects]
    rows = []
    for part in parts:
        rows += engine.rows(one.composer.complete(in_order(part).limit(EXAMPLES)))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _example(engine: Engine, inputs: Inputs, table: str, row: Mapping[str, Any]) -> str:
    """Write an offender as a person would: ``query_id=q1, item_id=a``."""
    shown = dict(row)
    shown.pop(TOTAL, None)
    if shown.get("system") == "":
        del shown["system"]
    parts = [_slice(engine, inputs, shown.pop(SEGMENT))] if SEGMENT in shown else []
    for name, value in shown.items():
        parts.append(f"{inputs.column_label(table, name)}={_visible(value)}")
    return ", ".join(filter(None, parts))


def _visible(value: object) -> object:
    """Quote a text that is empty or has blanks around it, so that a reader can see it."""
    return repr(value) if isinstance(value, str) and (value.strip() != value or not value) else value


def _slice(engine: Engine, inputs: Inputs, number: int) -> str:
    """Return the slice that the number of a segment stands for; empty if it stands for all rows."""
    if "slices" not in inputs.queries:
        return ""
    same = exp.EQ(this=exp.column(SEGMENT), expression=literal(number))
    (row,) = engine.rows(
        exp.select(exp.Star()).from_(inputs.queries["slices"].subquery("slices")).where(same)
    )
    _, grouping, *values = row
    in_force = inputs.by[grouping - 1] if grouping else ()
    known = zip(inputs.by_columns, values, strict=True)
    return ", ".join(
        f"{name}={'NULL' if value is None else value}" for name, value in known if name in in_force
    )
