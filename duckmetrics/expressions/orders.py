"""Orders with every direction written out: the session of a macro may have other defaults."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.generators.duckdb import DuckDBGenerator

DIALECT = "duckdb"


def with_directions(tree: exp.Expr) -> str:
    """Write a statement with the direction of every order, and the place of NULL.

    The generator leaves out what is usual. A generator of our own would be the usual way; those of a compiled
    sqlglot have no subclasses. To write an expression changes it, and some are written twice.
    """
    tree, generator = tree.copy(), DuckDBGenerator(dialect=DIALECT)
    for order in reversed(list(tree.find_all(exp.Order))):  # the innermost first
        order.set("expressions", [_directed(key, generator) for key in order.expressions])
    return DuckDBGenerator(dialect=DIALECT).generate(tree, copy=False)


def _directed(key: exp.Expr, generator: DuckDBGenerator) -> exp.Expr:
    """Return a key of an order as text, with its direction."""
    if isinstance(key, exp.Var):
        return key
    is_ordered = isinstance(key, exp.Ordered)
    direction = "DESC" if is_ordered and key.args.get("desc") else "ASC"
    nulls = "FIRST" if is_ordered and key.args.get("nulls_first") else "LAST"
    written = generator.generate(key.this if is_ordered else key, copy=False)
    return exp.Var(this=f"{written} {direction} NULLS {nulls}")
