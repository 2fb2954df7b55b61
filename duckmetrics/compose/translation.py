"""Translation of a query of DuckDB to the text of another engine.

Columns are qualified and types found first, because what sqlglot writes depends on them; the rewrites change
constructs that engines understand differently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import OptimizeError
from sqlglot.errors import UnsupportedError as UnsupportedFeature
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


SPARK = ("spark", "databricks")


def lists(tree: exp.Expr, dialect: str) -> None:
    """Rewrite ``SELECT unnest(items), unnest(scores)``, because Spark unnests one list at a time.

    ``list_extract(list, 2)`` becomes ``get(list, 1)``; both are NULL where there is no such element.
    The new query unnests the places in the lists, and takes from each list the element in its place.
    """
    if dialect in SPARK:
        for call in list(_calls(tree, "list_extract")):
            listed, place = call.expressions
            index: exp.Expr = exp.cast(exp.Sub(this=exp.paren(place), expression=literal(1)), "INT")
            if isinstance(place, exp.Literal):
                index = literal(int(place.name) - 1)
            call.replace(exp.Anonymous(this="get", expressions=[listed, index]))
        for select in list(tree.find_all(exp.Select)):
            calls = [c for c in _calls(select, "unnest") if c.find_ancestor(exp.Select) is select]
            if calls:
                _unnest_by_place(select, calls)


def _unnest_by_place(select: exp.Select, calls: list[exp.Anonymous]) -> None:
    kept: dict[str, exp.Expr] = {}
    for call in calls:
        (argument,) = call.expressions
        place = exp.column("_place")
        if isinstance(argument, exp.GenerateSeries) or next(_calls(argument, "range"), None):
            call.replace(exp.cast(exp.Add(this=place, expression=literal(1)), "BIGINT"))
        else:
            name = f"_list_{len(kept) + 1}"
            kept[name] = argument.copy()
            call.replace(exp.Anonymous(this="get", expressions=[exp.column(name), place]))
    sizes = [exp.Anonymous(this="size", expressions=[exp.column(name, "listed")]) for name in kept]
    longest = sizes[0] if len(sizes) == 1 else exp.func("greatest", *sizes)
    last = exp.Sub(this=longest.copy(), expression=literal(1))
    numbers = exp.Anonymous(this="sequence", expressions=[literal(0), last])
    filled = exp.Case().when(exp.GT(this=longest, expression=literal(0)), numbers)
    listed = exp.select("*", *(value.as_(name) for name, value in kept.items()), copy=False)
    listed.set("from_", select.args["from_"].copy())
    for tree in (listed, select):
        for length in [*tree.find_all(exp.Length), *_calls(tree, "len")]:
            argument = length.this if isinstance(length, exp.Length) else length.expressions[0]
            length.replace(exp.Anonymous(this="size", expressions=[argument.copy()]))
    source = select.args["from_"].this.alias_or_name
    placed = exp.select("*", exp.Anonymous(this="explode", expressions=[filled]).as_("_place"))
    select.set("from_", exp.From(this=placed.from_(listed.subquery("listed")).subquery(source)))


def _calls(tree: exp.Expr, name: str) -> Iterator[exp.Anonymous]:
    return (call for call in tree.find_all(exp.Anonymous) if call.name.lower() == name)


class DataFusion(Postgres):
    """Registered as "datafusion" by being defined; the names of its table functions are lower-case."""

    NORMALIZE_FUNCTIONS = "lower"


RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
ITEM = "item_id"
# PostgreSQL's own names of its text types.
# The excess kurtosis of a population, and a mean.
_OTHER_NAMES = {"kurtosis_pop": "KURTOSIS", "favg": "AVG"}
_TEXTS = ("text", "character varying", "character")

# The numbers from low to high, and their number, size; these three names stand for values.
_NUMBERS = {
    "spark": "SELECT id AS n FROM RANGE(low, high + 1)",
    "databricks": "SELECT id AS n FROM RANGE(low, high + 1)",
    "postgres": "SELECT g.n FROM GENERATE_SERIES(CAST(low AS BIGINT), CAST(high AS BIGINT)) AS g(n)",
    "datafusion": "SELECT value AS n FROM generate_series(low, high)",
    "clickhouse": "SELECT CAST(number AS Nullable(Int64)) + low AS n FROM numbers(size)",
    "trino": "SELECT n FROM UNNEST(SEQUENCE(low, high)) AS g(n)",
    "bigquery": "SELECT n FROM UNNEST(GENERATE_ARRAY(low, high)) AS n",
    "snowflake": "SELECT ROW_NUMBER() OVER (ORDER BY 1) - 1 + low AS n "
    "FROM TABLE(GENERATOR(ROWCOUNT => size))",
}


def numbers(tree: exp.Expr, dialect: str) -> None:
    """Replace ``FROM range(1, 11) AS slots(position)`` by the engine's own table of numbers."""
    for table in list(tree.find_all(exp.Table)):
        series = table.this
        if not isinstance(series, exp.GenerateSeries):
            continue
        low = _whole(series.args["start"])
        high = _whole(series.args["end"]) - (1 if series.args.get("is_end_exclusive") else 0)
        query = cast("exp.Select", sqlglot.parse_one(_NUMBERS[dialect], read=dialect))
        values = {"low": low, "high": high, "size": high - low + 1}
        for name in [c for c in query.find_all(exp.Column) if c.name in values]:
            name.replace(literal(values[name.name]))
        alias = table.args["alias"]
        (column,) = query.expressions
        query.set("expressions", [column.unalias().as_(alias.columns[0].name)])
        table.replace(query.subquery(alias.name))


def _whole(node: exp.Expr) -> int:
    """Return the value of an expression of integers."""
    match node:
        case exp.Literal() if node.is_int:
            return int(node.name)
        case exp.Paren() | exp.Cast():
            return _whole(node.this)
        case exp.Add():
            return _whole(node.this) + _whole(node.expression)
        case exp.Sub():
            return _whole(node.this) - _whole(node.expression)
    raise UnsupportedError("range", f"{node.sql()} is not a number", "give the parameter behind it a value")


def finite_numbers(tree: exp.Expr, dialect: str) -> None:
    """Replace isfinite and isinf, which are names of DuckDB, by a comparison with infinity."""
    for call in list(tree.find_all(exp.Anonymous, exp.IsInf)):
        is_infinite = isinstance(call, exp.IsInf)
        if is_infinite or call.name.lower() == "isfinite":
            argument = call.this if is_infinite else call.expressions[0]
            size = exp.Abs(this=argument.copy())
            infinity = exp.cast(exp.Literal.string("Infinity"), "DOUBLE")
            compared = exp.EQ if is_infinite else exp.LT
            call.replace(exp.paren(compared(this=size, expression=infinity)))


def nan_tests(tree: exp.Expr, dialect: str) -> None:
    """Replace isnan in PostgreSQL and Snowflake, where NaN equals itself; DataFusion spells it isnan."""
    if dialect == "datafusion":
        for test in list(tree.find_all(exp.IsNan)):
            test.replace(exp.Anonymous(this="isnan", expressions=[test.this.copy()]))
    if dialect in ("postgres", "snowflake"):
        for test in list(tree.find_all(exp.IsNan)):
            nan = exp.cast(exp.Literal.string("NaN"), "DOUBLE")
            test.replace(exp.paren(exp.EQ(this=test.this.copy(), expression=nan)))


# PostgreSQL refuses an exponential below the smallest normal number, near exp(-708.4).
_LOWEST_EXPONENT = -708.0


def small_exponentials(tree: exp.Expr, dialect: str) -> None:
    """Write exponentials that PostgreSQL refuses as too small as 0."""
    if dialect == "postgres":
        for node in list(tree.find_all(exp.Exp))[::-1]:  # the inner ones first, so that they are found
            too_small = exp.LT(this=exp.paren(node.this.copy()), expression=literal(_LOWEST_EXPONENT))
            node.replace(exp.Case().when(too_small, literal(0.0)).else_(node.copy()))


def double_literals(tree: exp.Expr, dialect: str) -> None:
    """Cast literals such as 1e-15, which is a DOUBLE in DuckDB and a decimal number elsewhere."""
    for number in list(tree.find_all(exp.Literal)):
        if not number.is_string and not number.is_int and not isinstance(number.parent, exp.Cast):
            number.replace(exp.cast(exp.Literal.number(number.name), "DOUBLE"))


def wide_integers(tree: exp.Expr, dialect: str) -> None:
    """Replace integers of 128 bits, which only DuckDB has; ids of mixed widths may become such."""
    for type_ in list(tree.find_all(exp.DataType)):
        if type_.is_type("INT128", "UINT128", "UBIGINT"):
            type_.replace(exp.DataType.build("DECIMAL(38, 0)"))


def signed_counts(tree: exp.Expr, dialect: str) -> None:
    """Give a sign to ranks and counts in DataFusion and ClickHouse; their differences would wrap around."""
    if dialect in ("datafusion", "clickhouse"):
        for node in list(tree.find_all(*RANKS, exp.Count, exp.Sum)):
            if isinstance(node, exp.Sum) and not _counts(node):
                continue
            whole: exp.Expr = node
            while isinstance(whole.parent, exp.Filter | exp.Window) and whole.parent.this is whole:
                whole = whole.parent
            if not isinstance(whole.parent, exp.Cast):
                whole.replace(exp.cast(whole.copy(), "BIGINT"))


def _counts(node: exp.Sum) -> bool:
    """Return whether a sum adds up ones and zeros."""
    case = node.this
    results = [branch.args["true"] for branch in case.args["ifs"]] if isinstance(case, exp.Case) else []
    return bool(results) and all(isinstance(result, exp.Literal) and result.is_int for result in results)


def default_nulls(tree: exp.Expr, dialect: str) -> None:
    """Use BigQuery's default order of NULL in windows: it refuses others, and keys are not NULL there."""
    if dialect == "bigquery":
        for window in tree.find_all(exp.Window):
            for key in window.find_all(exp.Ordered):
                key.set("nulls_first", not key.args.get("desc"))


def filters(tree: exp.Expr, dialect: str) -> None:
    """Write ``sum(x) FILTER (WHERE c)`` as ``sum(CASE WHEN c THEN x END)`` for engines without FILTER."""
    if dialect in ("bigquery", "snowflake"):
        for node in list(tree.find_all(exp.Filter)):
            aggregate, condition = node.this, node.expression.this
            argument = literal(1) if isinstance(aggregate.this, exp.Star) else aggregate.this
            case = exp.Case().when(condition.copy(), argument.copy())
            node.replace(type(aggregate)(this=case))


def order_of_bytes(tree: exp.Expr, dialect: str) -> None:
    """Order items that are text by their bytes; PostgreSQL orders text by the collation of its column.

    The type of the items is known to the table only, so a key that is NULL for other types comes first.
    """
    if dialect != "postgres":
        return
    for key in list(tree.find_all(exp.Ordered)):
        if isinstance(key.this, exp.Cast) and key.this.to.is_type("TEXT", "VARCHAR"):
            key.set("this", _in_order_of_bytes(key.this))
        elif isinstance(key.this, exp.Column) and key.this.name == ITEM and isinstance(key.parent, exp.Order):
            keys = key.parent.expressions
            place = next(i for i, one in enumerate(keys) if one is key)
            bytes_of_text = key.copy()
            bytes_of_text.set("this", _bytes_of_text(key.this))
            key.parent.set("expressions", [*keys[:place], bytes_of_text, *keys[place:]])


def _bytes_of_text(column: exp.Expr) -> exp.Expr:
    type_of = exp.cast(exp.Anonymous(this="pg_typeof", expressions=[column.copy()]), "TEXT")
    is_text = exp.In(this=type_of, expressions=[literal(name) for name in _TEXTS])
    return exp.Case().when(is_text, _in_order_of_bytes(exp.cast(column.copy(), "TEXT")))


def _in_order_of_bytes(text: exp.Expr) -> exp.Expr:
    return exp.Collate(this=text.copy(), expression=exp.to_identifier("C", quoted=True))


def plain_columns(tree: exp.Expr, dialect: str) -> None:
    """Write ``t.x AS x`` as ``t.x``: Spark's optimizer removes such names, and then fails in a UNION."""
    if dialect in SPARK:
        for alias in list(tree.find_all(exp.Alias)):
            if isinstance(alias.this, exp.Column) and alias.this.name == alias.alias:
                alias.replace(alias.this)


def ordered_ranks(tree: exp.Expr, dialect: str) -> None:
    """Add an arbitrary order to ranks without one, because some engines require an order."""
    if dialect in (*SPARK, "snowflake"):
        for window in tree.find_all(exp.Window):
            if isinstance(window.this, (*RANKS, exp.Lag)) and not window.args.get("order"):
                window.set("order", exp.Order(expressions=[exp.Ordered(this=literal(1), desc=False)]))


def steps_as_written(tree: exp.Expr, dialect: str) -> None:
    """Remove MATERIALIZED from the steps, which is a hint for DuckDB only."""
    for cte in tree.find_all(exp.CTE):
        cte.set("materialized", None)


def row_numbers(tree: exp.Expr, dialect: str) -> None:
    """Number rows without an order on Spark, which refuses such a window, by where they are stored.

    The numbers are different, but do not follow each other, because no worker counts all rows.
    """
    if dialect in SPARK:
        for window in list(tree.find_all(exp.Window)):
            order, keys = window.args.get("order"), window.args.get("partition_by")
            if isinstance(window.this, exp.RowNumber) and not order and not keys:
                window.replace(exp.Anonymous(this="MONOTONICALLY_INCREASING_ID"))


def other_names(tree: exp.Expr, dialect: str) -> None:
    """Use Spark's names of aggregates."""
    if dialect in SPARK:
        for call in list(tree.find_all(exp.Anonymous)):
            name = _OTHER_NAMES.get(call.name.lower())
            if name is not None:
                call.set("this", name)


def outer_joins(tree: exp.Expr, dialect: str) -> None:
    """Make ClickHouse put NULL where a LEFT JOIN finds nothing; by default it puts 0."""
    if dialect == "clickhouse" and isinstance(tree, exp.Query):
        setting = exp.EQ(this=exp.column("join_use_nulls"), expression=literal(1))
        tree.set("settings", [setting])


def qualified_rows(tree: exp.Expr, dialect: str) -> None:
    """Put a WHERE before each QUALIFY of BigQuery, whose parser refuses one without WHERE or GROUP BY."""
    if dialect == "bigquery":
        for select in tree.find_all(exp.Select):
            if select.args.get("qualify") and not any(map(select.args.get, ("where", "group", "having"))):
                select.where(exp.true(), copy=False)


REWRITES: tuple[Callable[[exp.Expr, str], None], ...] = (
    lists,
    numbers,
    finite_numbers,
    nan_tests,
    small_exponentials,
    double_literals,
    wide_integers,
    filters,
    signed_counts,
    default_nulls,
    order_of_bytes,
    plain_columns,
    row_numbers,
    ordered_ranks,
    steps_as_written,
    other_names,
    outer_joins,
    qualified_rows,
)


# Names keep their letters: those of columns are the user's.
_EXACT_NAMES = f"{DIALECT}, normalization_strategy=case_sensitive"


def translated(query: exp.Query, dialect: str, schema: Mapping[str, Mapping[str, str]]) -> str:
    """Write a query of DuckDB for another engine, so that it means the same there.

    Args:
        schema: the columns of the tables it reads, with their types in DuckDB.

    Raises:
        UnsupportedError: the other engine cannot express it.
    """
    return written(rewritten(query, dialect, schema), dialect)


def rewritten(query: exp.Query, dialect: str, schema: Mapping[str, Mapping[str, str]]) -> exp.Query:
    """Rewrite a query of DuckDB in terms that another engine understands; `written` makes it a text.

    Raises:
        UnsupportedError: the other engine cannot express it.
    """
    try:
        tree = query.copy()
        tree = qualify(
            tree, schema=_nested(schema), dialect=_EXACT_NAMES, quote_identifiers=False, identify=False
        )
        for rewrite in REWRITES:
            rewrite(tree, dialect)
        return annotate_types(tree, schema=_nested(schema), dialect=_EXACT_NAMES)
    except OptimizeError as error:
        raise UnsupportedError(DIALECTS[dialect].engine, error, "evaluate it with DuckDB") from error


def written(tree: exp.Expr, dialect: str) -> str:
    """Write a statement as text.

    Raises:
        UnsupportedError: the dialect lacks something.
    """
    try:
        return tree.sql(dialect, pretty=True, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedFeature as error:
        raise UnsupportedError(DIALECTS[dialect].engine, error, "evaluate it with DuckDB") from error


def _nested(schema: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    return {table: dict(columns) for table, columns in schema.items()}
