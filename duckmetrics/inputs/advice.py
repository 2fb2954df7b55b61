"""Advice on how to change a column: in the SQL of an engine, or in the package that has the table."""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT

PANDAS, POLARS, ARROW = "pandas", "polars", "pyarrow"
# A dictionary of columns, one of dictionaries, a relation of DuckDB, and any other table of Python.
COLUMNS, PAIRS, RELATION, OTHER = "columns", "pairs", "duckdb relation", "other"
# The metadata of an Arrow table that was made of a dictionary.
MADE_OF = b"duckmetrics"
# What can be done with a column. For dictionaries, each value is changed.
_CHANGES = {
    "text": {
        DIALECT: "CAST({} AS VARCHAR)", PANDAS: "{}.astype('string')", POLARS: "{}.cast(pl.String)",
        ARROW: "{}.cast('string')", COLUMNS: "str({})",
    },
    "decoded": {
        DIALECT: "CAST({} AS VARCHAR)", PANDAS: "{}.str.decode('utf-8')", POLARS: "{}.cast(pl.String)",
        ARROW: "{}.cast('string')", COLUMNS: "{}.decode()",
    },
    "integer": {
        DIALECT: "CAST({} AS BIGINT)", PANDAS: "{}.astype('Int64')", POLARS: "{}.cast(pl.Int64)",
        ARROW: "{}.cast('int64')", COLUMNS: "int({})",
    },
    "number": {
        DIALECT: "CAST({} AS DOUBLE)", PANDAS: "{}.astype(float)", POLARS: "{}.cast(pl.Float64)",
        ARROW: "{}.cast('double')", COLUMNS: "float({})",
    },
    "number with decimal commas": {
        DIALECT: "CAST(replace({}, ',', '.') AS DOUBLE)",
        PANDAS: "{}.str.replace(',', '.').astype(float)",
        POLARS: "{}.str.replace(',', '.').cast(pl.Float64)",
        ARROW: "pc.replace_substring({}, ',', '.').cast('double')",
        COLUMNS: "float({}.replace(',', '.'))",
    },
    "first": {
        DIALECT: "{}[1]", PANDAS: "{}.str[0]", POLARS: "{}.list.first()",
        ARROW: "pc.list_element({}, 0)", COLUMNS: "{}[0]",
    },
    "second": {
        DIALECT: "{}[2]", PANDAS: "{}.str[1]", POLARS: "{}.list.get(1)",
        ARROW: "pc.list_element({}, 1)", COLUMNS: "{}[1]",
    },
    "second of an array": {
        DIALECT: "{}[2]", PANDAS: "{}.str[1]", POLARS: "{}.arr.get(1)",
        ARROW: "pc.list_element({}, 1)", COLUMNS: "{}[1]",
    },
    "seconds": {
        DIALECT: "epoch({})", PANDAS: "pd.to_datetime({}).astype('int64')",
        POLARS: "{}.dt.epoch('us')", ARROW: "{}.cast('timestamp[us]').cast('int64')",
        COLUMNS: "{}.toordinal()",
    },
    "timestamp": {
        DIALECT: "CAST({} AS TIMESTAMP)", PANDAS: "pd.to_datetime({}, utc=True).dt.tz_localize(None)",
        POLARS: "{}.cast(pl.Datetime('us'))", ARROW: "{}.cast('timestamp[us]')",
        COLUMNS: "pd.to_datetime({}, utc=True).tz_localize(None)",
    },
    "timestamp with time zone": {
        DIALECT: "CAST({} AS TIMESTAMP WITH TIME ZONE)", PANDAS: "pd.to_datetime({}, utc=True)",
        POLARS: "{}.cast(pl.Datetime('us', 'UTC'))", ARROW: "{}.cast(pa.timestamp('us', 'UTC'))",
        COLUMNS: "pd.to_datetime({}, utc=True)",
    },
    "positive class": {
        DIALECT: "CAST({} = 2 AS INTEGER)", PANDAS: "{} == 2", POLARS: "{} == 2",
        ARROW: "pc.equal({}, 2)", COLUMNS: "{} == 2",
    },
    "positive date": {
        DIALECT: "({} >= DATE '2024-12-31')", PANDAS: "pd.to_datetime({}) >= '2024-12-31'",
        POLARS: "{}.cast(pl.Date) >= pl.date(2024, 12, 31)",
        ARROW: "pc.greater_equal({}.cast('string'), '2024-12-31')",
        COLUMNS: "str({}) >= '2024-12-31'",
    },
    "name for NULL": {
        DIALECT: "coalesce({}, 'none')", PANDAS: "{}.fillna('none')", POLARS: "{}.fill_null('none')",
        ARROW: "pc.fill_null({}, 'none')", COLUMNS: "{} or 'none'",
    },
    "offset": {
        DIALECT: "{0} - min({0}) OVER ()", PANDAS: "{0} - {0}.min()", POLARS: "{0} - {0}.min()",
        ARROW: "pc.subtract({0}, pc.min({0}))", COLUMNS: "{0} - min({1})",
    },
    "list": {
        DIALECT: "string_split({}, '|')", PANDAS: "{}.str.split('|')", POLARS: "{}.str.split('|')",
        ARROW: "pc.split_pattern({}, '|')", COLUMNS: "{}.split('|')",
    },
}  # fmt: skip
_REPLACE = re.compile(r'"(SELECT \* REPLACE \(.+?\) FROM \.\.\.)"')


def words_of(table: object) -> str:
    """Return the words for advice about a frame of Python."""
    package = type(table).__module__.partition(".")[0]
    if package == ARROW and hasattr(table, "set_column") and hasattr(table, "schema"):
        return ((table.schema.metadata or {}).get(MADE_OF) or ARROW.encode()).decode()
    return {"duckdb": RELATION, "_duckdb": RELATION}.get(
        package, package if package in (PANDAS, POLARS) else OTHER
    )


def replaced(name: str, change: str, words: str = DIALECT) -> str:
    """Return a query, or the code, that puts a changed column in the place of a column.

    Args:
        change: what is done with the column, such as "text".
        words: the engine or package that has the table.
    """
    known = _CHANGES[change]
    if words == PANDAS:
        new = known[words].format(f"df[{name!r}]")
        return f"df.assign({name}={new})" if name.isidentifier() else f"df.assign(**{{{name!r}: {new}}})"
    if words == POLARS:
        return f"df.with_columns({known[words].format(f'pl.col({name!r})')})"
    if words == ARROW:
        new = known[words].format(f"table[{name!r}]")
        return f"table.set_column(table.column_names.index({name!r}), {name!r}, {new})"
    if words == COLUMNS:
        new = known[words].format("value", f"data[{name!r}]")
        return f"{{**data, {name!r}: [{new} for value in data[{name!r}]]}}"
    if words == PAIRS:
        return _pairs(name, known[COLUMNS])
    column = exp.to_identifier(name).sql(DIALECT)
    columns = f"* REPLACE ({known[DIALECT].format(column)} AS {column})"
    if words == RELATION:
        return f"relation.project({columns!r})"
    if words == OTHER:
        return f"duckdb.sql({f'SELECT {columns} FROM data'!r})"
    return f'"{_query(columns, words)} FROM ..."'


def in_words(advice: str, words: str, name: str) -> str:
    """Write the queries of an advice about a column in other words, with the user's name of the column."""
    return _REPLACE.sub(lambda found: replaced(name, _change(found[1]), words), advice)


def _change(query: str) -> str:
    """Return what a query does with its column."""
    column = query.rpartition(" AS ")[2].partition(")")[0]
    return next(change for change in _CHANGES if replaced(column, change) == f'"{query}"')


def _pairs(name: str, new: str) -> str:
    """Write a changed dictionary of dictionaries."""
    if name == "query_id":
        return f"{{{new.format('query')}: items for query, items in data.items()}}"
    changed = f"item: {new.format('value', 'items.values()')}"
    inner = f"{new.format('item')}: value" if name == "item_id" else changed
    return f"{{query: {{{inner} for item, value in items.items()}} for query, items in data.items()}}"


def _query(columns: str, dialect: str) -> str:
    """Write a query with a replaced column; as a new one, for engines without REPLACE."""
    query = sqlglot.parse_one(f"SELECT {columns}", read=DIALECT, into=exp.Select)
    if dialect == DIALECT:
        return f"SELECT {columns}"
    (star,) = query.selects
    (new,) = star.args["replace"]
    others = exp.Star(except_=[exp.column(new.args["alias"].copy())])
    return exp.select(others, new).sql(dialect)
