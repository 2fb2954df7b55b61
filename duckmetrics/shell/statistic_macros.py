"""Macros of the statistics, which are table macros.

A table of values per query is read by the names of its columns, which can be given. For all other inputs,
the columns are expressions over those of the user's table, in the order in which the file declares them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import literal
from duckmetrics.results.findings import ERROR
from duckmetrics.shell.macro import (
    Argument,
    Call,
    Macro,
    Overload,
    call,
    given,
    is_null,
    query_of,
    reference,
    source,
    typed,
    without_with,
)
from duckmetrics.shell.parameters import Offer
from duckmetrics.shell.query import SOURCE, finite, shown, told, whole
from duckmetrics.shell.template import run_as_text
from duckmetrics.statistics.checks import checks_of
from duckmetrics.statistics.counts import CELLS, COUNT_THEM, COUNTS, ROWS, Tested, reading
from duckmetrics.statistics.inputs import CONTESTANTS, LABELS, PER_QUERY, input_of, is_number, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.shell.query import Steps


DATA = Argument("data", required=True)
# The advice for a text in place of a number, which may be the name of a column between quotes.
QUOTED_COLUMN = "if it is the name of a column, write it without quotes"
# The rows as they were given; the statistic reads their sums, or the finite values.
GIVEN = ROWS


def statistic_macros(catalog: Catalog) -> Iterator[Macro]:
    """Yield a macro for every statistic and every alias, each after the one that it calls."""
    for definition in catalog.statistics.values():
        macro = _macro(catalog, definition)
        yield macro
        for name, bound in definition.aliases():
            params = definition.own_params
            passed = {key: literal(params[key].type(value)) for key, value in bound.items()}
            (overload,) = macro.overloads
            arguments = tuple(a for a in overload.arguments if a.name not in bound)
            yield Macro(name, (Overload(arguments, Call(macro, passed)),), definition.title, definition)


def _macro(catalog: Catalog, definition: Definition) -> Macro:
    contestants = {key: param for key, param in definition.own_params.items() if key in CONTESTANTS}
    offer = Offer(catalog, {}, {}, {key: typed(param) for key, param in contestants.items()})
    (asked,) = offer.add(definition)
    params = [
        replace(argument, required=False, is_needed=True) if argument.required else argument
        for argument in offer.arguments_of(asked)
    ]
    table, columns = input_of(definition)
    if table == PER_QUERY:
        arguments = (DATA, *params, *(Argument(name, name) for name in columns))
    else:
        optional = definition.optional
        read = [Argument(name, optional.get(name), name not in optional) for name in columns]
        arguments = (DATA, *sorted(read, key=lambda argument: not argument.required), *params)
    query = _query(catalog, definition, offer)
    return Macro(
        definition.macros.get(definition.name, definition.name),
        (Overload(arguments, query),), definition.title, definition,
    )  # fmt: skip


def _query(catalog: Catalog, definition: Definition, offer: Offer) -> exp.Query:
    """Return the rows of the statistic, after all checks pass."""
    composer = Composer(catalog)
    (asked,) = offer.asked
    query = composer.resolved(definition, asked.measure.values)
    order = query.args.pop("order", None)
    keys = order.expressions if order else [exp.Ordered(this=exp.column(key)) for key in keys_of(definition)]
    name = composer.step(definition.name, query)
    _, computed = without_with(composer.complete(exp.select("*").from_(name)))
    read, tables = _inputs(catalog, definition)
    steps: Steps = [
        ("specs", exp.select(literal(definition.name).as_("measure"))),
        *tables, *computed, *_checked(catalog, definition, offer),
    ]  # fmt: skip
    names = definition.query.named_selects
    # The refusals are in a UNION with the rows and not in a join, which is not computed where
    # DuckDB sees that there are none.
    refused = exp.select(*(exp.null().as_(c) for c in names)).from_("checked")
    refused = refused.where(exp.not_(exp.column("fine")))
    both = exp.union(exp.select(*names).from_(name), refused, distinct=False)
    values = offer.values()
    written = [(step, cast("exp.Query", given(tree, values))) for step, tree in steps]
    result = run_as_text([*definition.own_params], whole(catalog, both, written), names, keys)
    return shown(whole(catalog, result, read))


def _inputs(catalog: Catalog, definition: Definition) -> tuple[Steps, Steps]:
    """Return the user's rows as they are given, and the rows that the statistic reads.

    Numbers that are refused are left out for the statistic, so that it does not fail over them first.
    """
    table, columns = input_of(definition)
    rows = _by_name(columns) if table == PER_QUERY else _expressions(catalog, definition)
    steps = [(GIVEN, cast("exp.Query", given(rows, {SOURCE: source(catalog, reference("data"))})))]
    if table == PER_QUERY:
        steps = [("named_rows", steps[0][1])]
        typed_rows = exp.select(*(_typed(catalog, definition, c, exp.column(c)).as_(c) for c in columns))
        steps.append((GIVEN, typed_rows.from_("named_rows")))
    if table in (COUNTS, CELLS):
        counts = Tested(table, "data", exp.select(*columns).from_(GIVEN), {}, DIALECT)
        return steps, [(table, counts.grouped())]
    read = (finite(c).as_(c) if is_number(c) else exp.column(c) for c in columns)
    return steps, [(table, exp.select(*read).from_(GIVEN))]


def _by_name(columns: Sequence[str]) -> exp.Select:
    """Select the columns whose names the arguments give, whatever the case of their letters."""
    return exp.select(*map(_column_of_name, columns)).from_(exp.alias_(_given_table(), "given", table=True))


def _column_of_name(name: str) -> exp.Expr:
    """Return ``COLUMNS('(?i)^' || regexp_escape($name) || '$') AS name``."""
    escaped = exp.Anonymous(this="regexp_escape", expressions=[exp.Placeholder(this=name)])
    begun = exp.DPipe(this=literal("(?i)^"), expression=escaped, safe=True)
    return exp.Columns(this=exp.DPipe(this=begun, expression=literal("$"), safe=True)).as_(name)


def _expressions(catalog: Catalog, definition: Definition) -> exp.Select:
    _, columns = input_of(definition)
    typed = (_typed(catalog, definition, c, reference(c)).as_(c) for c in columns)
    return exp.select(*typed).from_(_given_table())


def _given_table() -> exp.Table:
    """Return the table argument of a macro as a table."""
    return exp.Table(this=exp.Anonymous(this="query", expressions=[exp.Placeholder(this=SOURCE)]))


def _typed(catalog: Catalog, definition: Definition, name: str, value: exp.Expr) -> exp.Expr:
    table, _ = input_of(definition)
    if name in LABELS:
        return exp.cast(value, "VARCHAR")
    if not is_number(name):
        return value
    read = call(catalog, "number" if table in (COUNTS, CELLS) else "grade", value, literal(name))
    if table == PER_QUERY:
        return read
    hint = f"{QUOTED_COLUMN}; {COUNT_THEM}" if table == COUNTS else QUOTED_COLUMN
    if "categorical" in definition.header:
        hint += f"; to compare categories, use {definition.header['categorical']}"
    return call(catalog, "unquoted", value.copy(), literal(name), literal(hint), read)


def _checked(catalog: Catalog, definition: Definition, offer: Offer) -> Steps:
    """Return the steps that refuse bad calls and data; the order of the checks is that of the messages."""
    table, columns = input_of(definition)
    no_data = query_of(catalog, "no_data", {})
    for read in list(no_data.find_all(exp.Table)):
        read.replace(exp.to_table(GIVEN))
    steps: Steps = []
    refused = [no_data, *offer.problems()]
    for key in definition.own_params.keys() & CONTESTANTS.keys():
        column = CONTESTANTS[key]
        names = exp.select(exp.column(column).as_("name")).distinct().from_(GIVEN)
        steps.append(("contestants", names.where(exp.not_(is_null(exp.column(column))))))
        refused.append(query_of(catalog, "no_contestant", {
            "given": reference(key), "parameter": literal(key), "kind": literal(column),
            "is_needed": literal(definition.own_params[key].required),
            "is_expression": literal(table != PER_QUERY),
        }))  # fmt: skip
    refused += _offenders(catalog, table, columns)
    union: exp.Query = _placed(refused[0], 0)
    for place, other in enumerate(refused[1:], start=1):
        union = exp.union(union, _placed(other, place), distinct=False, copy=False)
    return [*steps, ("problems", union), ("checked", query_of(catalog, "checked", {}))]


def _offenders(catalog: Catalog, table: str, columns: Sequence[str]) -> Iterator[exp.Query]:
    """Yield the queries of the problems, one problem for every row that is wrong."""
    for check in checks_of(catalog, table, columns):
        if check.header["severity"] != ERROR:
            continue
        offenders: exp.Query = check.offenders
        where = f"data: {check.column}" if check.column else "data"
        if table in (COUNTS, CELLS):
            offenders = reading(offenders, exp.to_table(table if check.is_grouped else GIVEN))
            where = check.header.get("column", table)
        problem = told({**check.header, "column": where}, offenders, left_out=()).as_("problem")
        yield exp.select(problem).from_(offenders.subquery("offenders"))


def _placed(problems: exp.Query, place: int) -> exp.Query:
    """Add their place to problems."""
    found = exp.select("problem").from_(problems.subquery("found"))
    return found.select(literal(place).as_("place"))
