"""Macros for a database file: each holds all that it needs, because the macros of an attached file
are looked up in the database of the session, where those that it would call are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.macro_queries.like import LIKE
from duckmetrics.macro_queries.macro import Macro, Overload, Written
from duckmetrics.macro_queries.parameters import is_listed
from duckmetrics.macros.conventions import NAME as CONVENTIONS
from duckmetrics.macros.digest import digest
from duckmetrics.macros.script import macros
from duckmetrics.packing.queries import pack_literals, pack_query, pack_texts
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog

TITLE = f"""\
-- duckmetrics {__version__}: evaluation metrics for a DuckDB database, written by 'duckmetrics macros'.
-- Put them into one with: duckmetrics macros --database duckmetrics.duckdb, or in a shell without Python with
-- ATTACH 'duckmetrics.duckdb' AS dm (STORAGE_VERSION 'v1.4.0'); USE dm; .read duckmetrics_database.sql
-- Do not edit: the definitions are the files next to it, one for every metric. Their digest: """
# A query for every metric, each with the conventions of all tools.
TOO_LARGE = (CONVENTIONS,)
Scalars = dict[str, tuple[tuple[str, ...], exp.Expr]]
Alone = Callable[[exp.Expr], exp.Expr]


def self_contained(catalog: Catalog, names: Container[str] | None = None) -> Iterator[Macro]:
    """Yield every public macro, or those of some names, in a form that calls no other macro."""
    scalars = _scalars(catalog)
    every = macros(catalog)
    tables = {other.name: other for other in every if other.is_table}
    for macro in every:
        if is_in_database(macro) and (names is None or macro.name in names):
            yield _whole(macro, tables, scalars)


def is_in_database(macro: Macro) -> bool:
    """Return whether the database has a macro: those that `evaluate` does not offer would double its size."""
    is_long = macro.metric is not None and not is_listed(macro.metric)
    return not macro.is_internal and not is_long and macro.name not in TOO_LARGE


def database_script(catalog: Catalog) -> str:
    """Return the text of a file that creates the macros in the database in use, and comments on them."""
    statements = [f"{TITLE}{digest()}"]
    for macro in self_contained(catalog):
        statements += [macro.create("MACRO "), macro.comment_on("")]
    return "\n".join(statements) + "\n"


def _scalars(catalog: Catalog) -> Scalars:
    """Return the parameters and bodies of all scalar macros, in a form that calls no other macro."""
    scalars: Scalars = {}
    for macro in macros(catalog):
        if not macro.is_table:
            (overload,) = macro.overloads
            names = tuple(argument.name for argument in overload.arguments)
            holder = exp.paren(cast("exp.Expr", overload.body))
            _put_scalars_in(holder, scalars)
            scalars[macro.name] = names, cast("exp.Expr", holder.this)
    return scalars


def _whole(macro: Macro, tables: Mapping[str, Macro], scalars: Scalars) -> Macro:
    overloads = []
    for overload in macro.overloads:
        if any(argument.name == LIKE and argument.required for argument in overload.arguments):
            continue  # a second whole query for every metric, which takes its time to attach
        overloads.append(Overload(overload.arguments, _packed(overload, tables, scalars)))
    return Macro(macro.name, tuple(overloads), macro.comment, macro.metric, macro.is_table)


def _packed(overload: Overload, tables: Mapping[str, Macro], scalars: Scalars) -> exp.Expr:
    """Return the body with all its calls written out, and with its texts packed."""

    def alone(tree: exp.Expr) -> exp.Expr:
        holder = exp.paren(tree.copy(), copy=False)
        _put_tables_in(holder, tables, alone)
        _put_scalars_in(holder, scalars)
        return cast("exp.Expr", holder.this)

    if isinstance(overload.body, Written):
        body = alone(pack_texts(overload.body.write(alone)))
    else:
        body = alone(overload.query)
    return pack_literals(alone(pack_query(body, [argument.name for argument in overload.arguments])))


def _put_tables_in(tree: exp.Expr, tables: Mapping[str, Macro], alone: Alone) -> None:
    """Write the query of a table macro where it is called.

    Args:
        alone: writes out all calls of a query; a macro that writes its query when it is called needs it.
    """
    for table in list(tree.find_all(exp.Table)):
        call = table.this
        if not isinstance(call, exp.Anonymous) or call.name not in tables:
            continue
        passed = {pair.this.name.strip('"'): pair.expression for pair in call.expressions}
        target = tables[call.name]
        overload = next(o for o in target.overloads if passed.keys() <= {a.name for a in o.arguments})
        body = overload.body
        query = body.write(alone) if isinstance(body, Written) else overload.query
        holder = exp.paren(query.copy(), copy=False)
        defaults = {a.name: a.value for a in overload.arguments if not a.required}
        _replace_references(holder, {**defaults, **passed})
        _put_tables_in(holder, tables, alone)
        alias = exp.TableAlias(this=exp.to_identifier("_called"))
        table.replace(exp.Subquery(this=holder.this, alias=alias))


def _put_scalars_in(tree: exp.Expr, scalars: Scalars) -> None:
    """Write the expression of a scalar macro where it is called."""
    for call in reversed(list(tree.find_all(exp.Anonymous))):  # the calls within a call first
        known = scalars.get(call.name.lower())
        if known is not None:
            names, body = known
            holder = exp.paren(body.copy(), copy=False)
            _replace_references(holder, dict(zip(names, call.expressions, strict=True)))
            call.replace(holder)


def _replace_references(tree: exp.Expr, values: Mapping[str, exp.Expr]) -> None:
    for variable in list(tree.find_all(exp.Var)):
        name = variable.name.strip('"')
        if name in values and not (
            isinstance(variable.parent, exp.PropertyEQ) and variable.arg_key == "this"
        ):
            value = values[name].copy()
            plain = isinstance(value, exp.Var | exp.Literal | exp.Null | exp.Cast)
            variable.replace(value if plain else exp.paren(value))
