"""What a macro refuses: the checks under sql/checks as queries.

Every problem is a row of text; a macro that finds one raises it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.checks import concerned, is_off
from duckmetrics.compose import Composer
from duckmetrics.fold import literal
from duckmetrics.macros.parts import concatenated
from duckmetrics.macros.statement import without_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog import Catalog, Definition
    from duckmetrics.fold import Value
    from duckmetrics.measure import Measure

_SETTING = re.compile(r"\b(\w+)=(\w+)")


def of_data(
    catalog: Catalog, measures: Sequence[Measure], steps: Mapping[str, exp.Query], constants: Mapping[str, Value]
) -> tuple[list[exp.Query], list[tuple[str, exp.Query]]]:
    """The checks of severity error that the measures call for.

    Args:
        steps: those of the macro; a check shares them where they are the same.
    Returns: the queries of the problems, and the steps that they need beside those of the macro.
    """
    composer = Composer(catalog, {}, constants)
    filters: dict[str, list[tuple[exp.Expr, exp.Expr]]] = {}
    others: list[exp.Query] = []
    for definition in catalog.checks.values():
        if definition.header["severity"] != "error":
            continue
        for offenders in _offenders(catalog, composer, definition, measures):
            text = _text(definition, offenders)
            where, plain = offenders.args.get("where"), {"expressions", "from_", "where"}
            if where is not None and {k for k, v in offenders.args.items() if v} == plain and isinstance(
                offenders.args["from_"].this, exp.Table
            ) and offenders.args["from_"].this.name in ("predictions", "truth", "population"):
                table = offenders.args["from_"].this.name
                filters.setdefault(table, []).append((where.this, text))
            else:
                others.append(_found(composer, definition, offenders, text))
    scans = [_scan(table, found) for table, found in filters.items()]
    return _shared(composer, [*scans, *others], steps)


def _offenders(
    catalog: Catalog, composer: Composer, definition: Definition, measures: Sequence[Measure]
) -> Iterator[exp.Select]:
    seen: list[exp.Query] = []
    for measure in measures:
        values: dict[str, Value] = {**measure.values, "truth_lists": False, "sampled": "consistent"}
        if not concerned(catalog, measure) & set(definition.header["for"].split(", ")):
            continue
        if is_off(definition, values):
            continue
        offenders = composer.resolved(definition, values)
        if offenders not in seen:
            seen.append(offenders)
            yield cast("exp.Select", offenders)


def _text(definition: Definition, offenders: exp.Query) -> exp.Expr:
    """What is wrong, with the row at hand as an example."""
    header = definition.header
    advice = _SETTING.sub(r"\1 := '\2'", header["advice"]).replace(" (system=)", "")
    parts: list[str | exp.Expr] = [f"{header['column']}: {definition.title}"]
    if isinstance(offenders, exp.Select):
        shown = [p.alias_or_name for p in offenders.expressions if p.alias_or_name != "system"]
        for i, name in enumerate(shown):
            value = exp.cast(exp.column(name), "VARCHAR")
            parts += [f"{', ' if i else ' ('}{name}=", exp.func("coalesce", value, literal("NULL"))]
        parts.append(f"); {advice}")
    else:
        parts.append(f"; {advice}")
    return concatenated(*parts)


def _scan(table: str, found: Sequence[tuple[exp.Expr, exp.Expr]]) -> exp.Select:
    """Plan rule: one scan of an input for all checks that only filter it."""
    text = exp.Case()
    for condition, shown in found:
        text = text.when(condition.copy(), shown.copy(), copy=False)
    conditions = exp.or_(*(exp.paren(condition.copy()) for condition, _ in found))
    return exp.select(text.as_("problem")).from_(table).where(conditions)


def _found(composer: Composer, definition: Definition, offenders: exp.Query, text: exp.Expr) -> exp.Query:
    query = exp.select(text.as_("problem")).from_(offenders.subquery("offenders"))
    for condition in definition.conditions:
        asked = composer.linked(exp.select("1").where(condition.copy()), {})
        query = query.where(asked.args["where"].this)
    return query.limit(1) if definition.conditions else query


def _shared(
    composer: Composer, queries: Sequence[exp.Query], steps: Mapping[str, exp.Query]
) -> tuple[list[exp.Query], list[tuple[str, exp.Query]]]:
    """Point the checks at the steps that the macro has anyhow; the others get names of their own."""
    needed: dict[str, exp.Query] = {}
    written: list[exp.Query] = []
    for query in queries:
        rest, own, _ = without_with(composer.complete(query))
        needed |= dict(own)
        written.append(rest)
    names = {n: n for n, step in needed.items() if n in steps and steps[n] == step}
    names |= {n: f"check_{n}" for n in needed if n not in names}
    for tree in (*written, *needed.values()):
        for table in tree.find_all(exp.Table):
            if table.name in names and names[table.name] != table.name:
                alias = table.alias or table.name
                table.replace(exp.to_table(names[table.name]).as_(alias, table=True))
    return written, [(names[n], step) for n, step in needed.items() if names[n] != n]
