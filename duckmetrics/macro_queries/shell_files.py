"""Parts that several macros share: the small files under sql/macros, expanded where they are called."""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, Param, substituted
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import constant, literal
from duckmetrics.macro_queries.macro import FUNCTIONS, Argument, Macro, Overload, given, hidden, reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure

# Whether the predictions give ranks, and the step whose type shows it.
BY_RANK, ORDER = "by_rank", "order_columns"

TYPES: dict[type, str] = {int: "INT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN"}


def call(catalog: Catalog, name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a file under sql/macros that is one expression."""
    if len(arguments) != len(catalog.shell[name].own_params):
        raise DefinitionError(catalog.shell[name].path, f"called with {len(arguments)} arguments")
    return exp.Anonymous(this=FUNCTIONS + name, expressions=list(arguments))


def scalar_macros(catalog: Catalog) -> Iterator[Macro]:
    """Yield the files under sql/macros that are one expression, each after those that it calls."""
    written: set[str] = set()
    pending = [d for d in catalog.shell.values() if not d.query.args.get("from_") and not d.query.ctes
               and isinstance(d.query, exp.Select)]  # fmt: skip
    while pending:
        ready = [d for d in pending if not _calls(d, {other.name for other in pending} - {d.name})]
        if not ready:
            raise DefinitionError(pending[0].path, "calls itself through others", "break the circle")
        for definition in ready:
            body = given(expanded(catalog, definition.query.selects[0].unalias().copy()), {})
            arguments = tuple(Argument(name, required=True) for name in definition.own_params)
            overloads = (Overload(arguments, hidden(body)),)
            yield Macro(FUNCTIONS + definition.name, overloads, "", definition, is_table=False)
            written.add(definition.name)
        pending = [d for d in pending if d.name not in written]


def _calls(definition: Definition, names: set[str]) -> bool:
    return any(found.name.lower() in names for found in definition.query.find_all(exp.Anonymous))


def by_rank(catalog: Catalog) -> exp.Expr:
    """Write whether the predictions give ranks; their columns show it when the macro is called."""
    type_ = exp.Anonymous(this="typeof", expressions=[exp.select(ORDER).from_(ORDER).subquery()])
    return call(catalog, "is_ranked", type_, reference("score"), reference("rank"))


def query_of(catalog: Catalog, name: str, values: Mapping[str, exp.Expr]) -> exp.Query:
    """Return the query of a file under sql/macros; parameters without a value are those of the macro."""
    query = cast("exp.Query", given(catalog.shell[name].query.copy(), values))
    return cast("exp.Query", expanded(catalog, query))


def expanded(catalog: Catalog, tree: exp.Expr) -> exp.Expr:
    """Point the calls of files under sql/macros at the macros made of them."""
    for found in list(tree.find_all(exp.Anonymous)):
        if found.name.lower() in catalog.shell:
            found.set("this", FUNCTIONS + found.name.lower())
    return tree


def source(catalog: Catalog, argument: exp.Expr, reader: str | None = None) -> exp.Expr:
    """Return SQL text that reads the table that the argument of a macro names.

    Args:
        reader: the file that reads a TREC file, where it may be one.
    """
    trec = literal("")
    if reader is not None:
        trec = literal(re.sub(r"\$path\b", "{files}", catalog.shell[reader].query.sql(DIALECT)))
    return call(catalog, "source", argument, trec)


def typed(param: Param) -> exp.Expr:
    """Cast a parameter to its declared type; a value that cannot be read becomes NULL, which is refused."""
    value = reference(param.name)
    return value if param.type is bool else try_cast(value, TYPES[param.type])


def fixed(param: Param) -> bool:
    """Return whether no other value than the default is allowed."""
    if param.required:
        return False
    if param.type is bool and param.default is not None:
        return any(constant(substituted(c, {param.name: not param.default})) is False for c in param.checks)
    only_null = (isinstance(c, exp.Is) and isinstance(c.expression, exp.Null) for c in param.checks)
    return len(param.choices) == 1 or any(only_null)


def concatenated(*parts: str | exp.Expr) -> exp.Expr:
    """Return an expression that joins texts."""
    pieces = [literal(part) if isinstance(part, str) else part for part in parts]
    return reduce(lambda left, right: exp.DPipe(this=left, expression=right, safe=True), pieces)


def is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=value, expression=exp.null())


def is_distinct(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.NullSafeNEQ(this=one, expression=other)


def signature_name(catalog: Catalog, measure: Measure) -> str:
    """Return the name of a metric in its signature, with the family if the name alone is ambiguous."""
    name = measure.metric.name
    families = [family for family, known in catalog.names if known == name]
    is_ambiguous = len(families) > 1 and measure.values.get(CUTOFF) is None
    return f"{measure.metric.family}.{name}" if is_ambiguous else name
