"""Orders with every direction written out: a session of DuckDB may have other defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.generators.duckdb import DuckDBGenerator

if TYPE_CHECKING:
    from collections.abc import Sequence

DIALECT = "duckdb"
# The settings that decide about orders without a direction, and their usual values.
_USUAL = (("ASC", "ASCENDING"), ("NULLS_LAST",))
SETTINGS = "SELECT current_setting('default_order'), current_setting('default_null_order')"


def are_usual(found: Sequence[str]) -> bool:
    """Return whether settings give orders the directions that DuckDB gives them by default."""
    return all(value in usual for value, usual in zip(found, _USUAL, strict=True))


def with_directions(tree: exp.Expr, pretty: bool = False) -> str:
    """Write a statement with the direction of every order, and the place of NULL.

    The generator leaves out what is usual. A generator of our own would be the usual way; those of a compiled
    sqlglot have no subclasses. To write an expression changes it, and some are written twice.
    """
    tree, generator = tree.copy(), DuckDBGenerator(dialect=DIALECT)
    for order in reversed(list(tree.find_all(exp.Order))):  # the innermost first
        order.set("expressions", [_directed(key, generator) for key in order.expressions])
    return DuckDBGenerator(dialect=DIALECT, pretty=pretty).generate(tree, copy=False)


def _directed(key: exp.Expr, generator: DuckDBGenerator) -> exp.Expr:
    """Return a key of an order as text, with its direction."""
    if isinstance(key, exp.Var):
        return key
    is_ordered = isinstance(key, exp.Ordered)
    direction = "DESC" if is_ordered and key.args.get("desc") else "ASC"
    nulls = "FIRST" if is_ordered and key.args.get("nulls_first") else "LAST"
    written = generator.generate(key.this if is_ordered else key, copy=False)
    return exp.Var(this=f"{written} {direction} NULLS {nulls}")
