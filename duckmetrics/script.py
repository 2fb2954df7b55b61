"""A composed query as text to read, or to run elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError as UnsupportedDialectFeature

from duckmetrics.catalog import DIALECT
from duckmetrics.errors import UnsupportedError
from duckmetrics.functions import linked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog import Catalog


def script(
    catalog: Catalog,
    query: exp.Select,
    titles: Mapping[str, str],
    dialect: str = DIALECT,
    steps: bool = False,
) -> str:
    """Write a query as text; with `steps`, as one table after the other.

    Args:
        titles: column of the query -> the name it gets.

    Raises:
        UnsupportedError: the dialect is unknown or lacks something the query needs.
    """
    for projection in query.expressions:
        if projection.alias in titles:
            projection.set("alias", exp.to_identifier(titles[projection.alias], quoted=True))
    named, macros = linked(catalog, query)
    if macros and dialect != DIALECT:
        functions = ", ".join(macro.this.this.name for macro in macros)
        raise UnsupportedError(
            f"{dialect}: the functions {functions} are there for {DIALECT} only; choose it"
        )
    written: list[exp.Expr] = [*macros, named]
    if steps:
        tables = [(cte.alias, cte.this) for cte in named.ctes]
        named.set("with_", None)
        temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
        created = [
            exp.Create(this=exp.to_table(n), kind="TABLE", expression=q, properties=temporary.copy())
            for n, q in tables
        ]
        written = [*macros, *created, named]
    try:
        return ";\n\n".join(
            tree.sql(dialect, pretty=True, unsupported_level=ErrorLevel.RAISE) for tree in written
        )
    except (ValueError, UnsupportedDialectFeature) as error:
        raise UnsupportedError(f"{dialect}: {error}; choose another dialect") from error
