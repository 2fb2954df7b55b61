"""Small builders of SQL expressions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp
from sqlglot.generators.duckdb import DuckDBGenerator

from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from duckmetrics.expressions.folding import Value


# The number of rows that show where parts of about the same size begin.
SAMPLED = 20_000


def stacked(queries: Iterable[exp.Query]) -> exp.Query:
    """Return the UNION ALL of queries with the same columns."""
    first, *others = queries
    result: exp.Query = first
    for other in others:
        result = exp.union(result, other, distinct=False, copy=False)
    return result


def everything(source: str | exp.Expr) -> exp.Select:
    """Return SELECT * of a table, by name or as an expression."""
    return exp.select(exp.Star()).from_(source)


def picked(source: str | exp.Expr, *columns: str | exp.Expr) -> exp.Select:
    """Return a SELECT of some columns of a table, by name or as an expression."""
    return exp.select(*columns).from_(source)


def rows_of(source: str | exp.Expr, column: str, value: Value) -> exp.Select:
    """Return the rows of a table in which a column has a value."""
    return everything(source).where(exp.EQ(this=exp.column(column), expression=literal(value)))


def named_step(name: str, query: exp.Query) -> exp.CTE:
    """Return a step of a query, under a name."""
    return exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(name)))


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that all have to hold."""
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def equal_columns(keys: Iterable[str], one: str, other: str) -> exp.Expr:
    """Write that columns of two tables are equal."""
    return exp.and_(*(exp.EQ(this=exp.column(key, one), expression=exp.column(key, other)) for key in keys))


def is_inner(join: exp.Join) -> bool:
    """Return whether a join keeps the rows that match, and nothing else."""
    return not join.side and join.kind in ("", "INNER")


def joined_left(rows: exp.Query, other: exp.Query, key: str, columns: Sequence[str]) -> exp.Select:
    """Return the rows of a table, with columns of another one that has a row for each key."""
    known = other.subquery("other")
    wanted = [exp.column(exp.to_identifier(name, quoted=True), "other") for name in columns]
    query = exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier("source")), *wanted)
    same = exp.EQ(this=exp.column(key, "other"), expression=exp.column(key, "source"))
    return query.from_(rows.subquery("source")).join(known, on=same, join_type="left")


def least_by(rows: exp.Query, key: str, value: exp.Expr, name: str) -> exp.Select:
    """Return the least value of each key under a name."""
    return exp.select(key, exp.Min(this=value).as_(name)).from_(rows.subquery("rows")).group_by(key)


def first_of_parts(rows: exp.Select, column: str, number: int) -> exp.Select:
    """Return the first values of parts of about the same size of some sampled rows, in their order.

    Args:
        rows: the query of the column.
        number: of parts; with few different values, there are fewer.
    """
    some = rows.copy()
    some.set("sample", exp.TableSample(method=exp.var("RESERVOIR"), size=literal(SAMPLED), seed=literal(1)))
    part = exp.Window(this=exp.Ntile(this=literal(number)), order=exp.Order(expressions=[exp.column(column)]))
    placed = picked(some.subquery("sampled"), column, part.as_("part")).subquery("placed")
    first = exp.Min(this=exp.column(column)).as_(column)
    firsts = picked(placed, first).group_by("part").subquery("firsts")
    return picked(firsts, column).distinct().order_by(column)


def column_type(type_: str) -> exp.DataType:
    """Return the type of a column; one that the parser does not know, as TIMESTAMPTZ_NS, by its name."""
    return exp.DataType.build(type_, dialect="duckdb", udt=True)


def try_cast(value: exp.Expr, type_: str | exp.DataType) -> exp.TryCast:
    """Cast a value; it becomes NULL where that fails, also in other engines."""
    return exp.TryCast(this=value, to=exp.DataType.build(type_), safe=True)


def call(function: str, *arguments: exp.Expr) -> exp.Anonymous:
    """Call a function that the SQL files define."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def hash_of_all(text: exp.Expr) -> exp.Expr:
    """Return a hash of the texts of distinct rows, which no order of the rows changes."""
    return exp.cast(call("bit_xor", call("md5_number_lower", text)), "VARCHAR")


def row_count(source: str | exp.Expr, counted: exp.Expr | None = None) -> exp.Select:
    """Count the rows of a table, or the values of an expression in them."""
    return exp.select(exp.Count(this=counted or exp.Star())).from_(source)


def longest_list(rows: exp.Subquery, constants: Collection[str], *, by_rank: bool) -> exp.Select:
    """Return the number of places of the longest list.

    Args:
        rows: system, query_id and score of each item of the lists.
        constants: the columns that the rows lack, because they are the same in every row.
        by_rank: whether the score is the negative of a rank.
    """
    if by_rank:
        return exp.select(exp.Max(this=exp.Neg(this=exp.column("score")))).from_(rows)
    keys = [key for key in ("system", "query_id") if key not in constants]
    sizes = exp.select(exp.Count(this=exp.Star()).as_("places")).from_(rows).group_by(*keys)
    return exp.select(exp.Max(this=exp.column("places"))).from_(sizes.subquery("sizes"))


def distinct(column: str) -> exp.Distinct:
    """Return DISTINCT and a column, to be counted."""
    return exp.Distinct(expressions=[exp.column(column)])


def cast_to(value: exp.Expr | None, type_: str) -> exp.Cast:
    """Return the CAST of a value, or of NULL."""
    return exp.cast(exp.null() if value is None else value, column_type(type_))


def values_table(name: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> exp.Values:
    """Return a table of literals."""
    tuples = [exp.Tuple(expressions=[literal(value) for value in row]) for row in rows]
    named = [exp.to_identifier(column) for column in columns]
    return exp.Values(expressions=tuples, alias=exp.TableAlias(this=exp.to_identifier(name), columns=named))


def numbered_values(name: str, rows: Sequence[tuple[int, Any]], type_: str) -> exp.Select:
    """Return the query of values of one type, each with its number.

    Args:
        type_: the type of the values, in the words of DuckDB; a composite one for dictionaries.
    """
    queries = (
        exp.select(literal(number).as_("number"), cast_to(_value(value), type_).as_(name))
        for number, value in rows
    )
    return exp.select("number", name).from_(stacked(queries).subquery("numbered"))


def _value(value: Any) -> exp.Expr:
    """Write a value that came from the database; one of a type that SQL has no literal for as text."""
    if isinstance(value, dict):
        fields = [
            exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=_value(part))
            for name, part in value.items()
        ]
        return exp.Struct(expressions=fields)
    return literal(value if isinstance(value, bool | int) else str(value))


def quoted(name: str) -> exp.Column:
    """Return a user's column, whatever its name holds."""
    return exp.column(exp.to_identifier(name, quoted=True))


def over(query: exp.Query, columns: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """Return the columns of a query of one table by name, over expressions in place of its columns."""
    query = query.copy()
    for column in list(query.find_all(exp.Column)):
        if column.name in columns:
            column.replace(columns[column.name].copy())
    return {projection.alias_or_name: projection.unalias() for projection in query.selects}


DIALECT = "duckdb"


def with_directions(tree: exp.Expr) -> str:
    """Write a statement with the direction of every order and of every sorted list, and the place of NULL.

    The generator leaves out what is usual. A generator of our own would be the usual way; those of a compiled
    sqlglot have no subclasses. To write an expression changes it, and some are written twice.
    """
    tree, generator = exp.paren(tree.copy(), copy=False), DuckDBGenerator(dialect=DIALECT)
    for found in list(tree.find_all(exp.ArraySort)):
        ascends = found.args.get("asc")
        words = ("ASC" if ascends is None or ascends.this else "DESC", f"NULLS {_place_of_null(found)}")
        found.replace(exp.Anonymous(this="LIST_SORT", expressions=[found.this, *map(literal, words)]))
    tree = cast("exp.Expr", tree.this.pop())
    for order in reversed(list(tree.find_all(exp.Order))):  # the innermost first
        order.set("expressions", [_directed(key, generator) for key in order.expressions])
    return DuckDBGenerator(dialect=DIALECT).generate(tree, copy=False)


def _directed(key: exp.Expr, generator: DuckDBGenerator) -> exp.Expr:
    """Return a key of an order as text, with its direction."""
    if isinstance(key, exp.Var):
        return key
    is_ordered = isinstance(key, exp.Ordered)
    direction = "DESC" if is_ordered and key.args.get("desc") else "ASC"
    nulls = _place_of_null(key) if is_ordered else "LAST"
    written = generator.generate(key.this if is_ordered else key, copy=False)
    return exp.Var(this=f"{written} {direction} NULLS {nulls}")


def _place_of_null(key: exp.Expr) -> str:
    first = key.args.get("nulls_first")
    return "FIRST" if (first.this if isinstance(first, exp.Boolean) else first) else "LAST"


INTEGER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,0\)")
NUMBER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\)|FLOAT|DOUBLE")
# Types with more digits than a DOUBLE: it keeps 53 bits of whole numbers, and 15 digits of decimals.
WIDE = re.compile(r"U?(?:BIGINT|HUGEINT)|DECIMAL\((?:1[6-9]|[23]\d),(?P<scale>\d+)\)")
NARROW = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER)|BIGINT")


def is_wide(type_: str) -> bool:
    """Return whether a DOUBLE may lose digits of the numbers of a type, so that different numbers tie."""
    return WIDE.fullmatch(type_) is not None


def is_zoned(type_: str) -> bool:
    """Return whether values of a type are points in time, whose day depends on a time zone."""
    return type_.startswith("TIMESTAMP") and holds_zoned(type_)


def holds_zoned(type_: str) -> bool:
    """Return whether values of a type are points in time, or have one inside."""
    return "TIMESTAMP WITH" in type_ or "TIMESTAMPTZ" in type_
