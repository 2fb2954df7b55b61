"""The SQL constructs that a definition may use on every engine, and the tables of its user there.

The list names allowed constructs, not forbidden ones: of 199 constructs that were tried on four engines, 27
gave another value without an error somewhere. A file that needs more says so in its header, in the line
``portable``: ``no, <reason>``, or ``with plan = sorted`` where a parameter chooses a way that is portable.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import bind, literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure


# The clauses of a query, and the nodes that name things.
_CLAUSES = (
    exp.Alias, exp.CTE, exp.Column, exp.Distinct, exp.From, exp.Group, exp.Having, exp.Identifier, exp.Join,
    exp.Order, exp.Ordered, exp.Placeholder, exp.Qualify, exp.Select, exp.Star, exp.Subquery, exp.Table,
    exp.TableAlias, exp.Union, exp.Where, exp.Window, exp.WindowSpec, exp.With, exp.GenerateSeries,
    exp.Exists, exp.Tuple,
)  # fmt: skip
_VALUES = (exp.Boolean, exp.Cast, exp.DataType, exp.Literal, exp.Null)
_OPERATORS = (
    exp.Add, exp.And, exp.Between, exp.Case, exp.Coalesce, exp.Div, exp.EQ, exp.GT, exp.GTE, exp.If, exp.In,
    exp.Is, exp.LT, exp.LTE, exp.Mul, exp.NEQ, exp.Neg, exp.Not, exp.Nullif, exp.Or, exp.Paren, exp.Sub,
)  # fmt: skip
_FUNCTIONS = (
    exp.Abs, exp.Avg, exp.Count, exp.Exp, exp.Filter, exp.Floor, exp.Greatest, exp.IsInf, exp.IsNan, exp.Lag,
    exp.Least, exp.Ln, exp.Log, exp.Max, exp.Min, exp.Pow, exp.Rank, exp.DenseRank, exp.RowNumber, exp.Sqrt,
    exp.Sum,
)  # fmt: skip
ALLOWED = frozenset((*_CLAUSES, *_VALUES, *_OPERATORS, *_FUNCTIONS))
# Why other engines cannot run a file, perhaps after the name of one that can.
_REASON = re.compile(r"(?:except (\w+): )?(.+)", re.DOTALL)
# Names that sqlglot does not know, and a rewrite does.
KNOWN = ("isfinite",)
TYPES = ("BIGINT", "BOOLEAN", "DOUBLE", "FLOAT", "INT", "TEXT", "VARCHAR")
# Values that stand for those of any parameter that takes a list of numbers.
A_LIST = (None, (0.0, 0.5, 1.0))
# Expressions that are integers already, so that no engine has to round them.
_WHOLE = (exp.Sum, exp.Floor, exp.Count, exp.Placeholder, exp.Null, exp.Boolean)


def reason_against(catalog: Catalog, definition: Definition, dialect: str = "") -> str | None:
    """Return why a definition, or one that it builds on, cannot run on other engines; None if it can.

    Args:
        dialect: of one engine, which the header may except.
    """
    for one in (definition, *catalog.foundations(definition)):
        declared = one.header.get("portable", "")
        if declared.startswith("no, "):
            ((excepted, reason),) = _REASON.findall(declared.removeprefix("no, "))
            if not excepted or excepted != dialect:
                return str(reason)
    return None


def problems(catalog: Catalog, definition: Definition) -> list[str]:
    """Return the parts of a definition that are outside of the portable subset."""
    chosen = dict(_chosen(definition))
    query = without_idle_steps(bind(definition.query, chosen)) if chosen else definition.query
    # A list is folded into comparisons with its values; without one, other branches are left.
    lists = [param.name for param in definition.own_params.values() if param.type is tuple]
    queries = [bind(query, dict.fromkeys(lists, value)) for value in A_LIST] if lists else [query]
    return sorted({problem for one in queries for problem in _problems(catalog, one)})


def _chosen(definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the parameters with which a file is portable: ``with plan = sorted``."""
    declared = definition.header.get("portable", "")
    if declared.startswith("with "):
        for pair in declared.removeprefix("with ").split(","):
            name, _, value = pair.partition("=")
            yield name.strip(), value.strip()


def _problems(catalog: Catalog, query: exp.Expr) -> Iterator[str]:
    for node in query.walk():
        if isinstance(node, exp.Anonymous):
            if node.name.lower() not in (*KNOWN, *catalog.functions):
                yield f"{node.name}() is a function that other engines lack"
        elif type(node) not in ALLOWED:
            yield f"{type(node).__name__} is not in the portable subset"
        elif isinstance(node, exp.DataType) and node.this.name not in TYPES:
            yield f"the type {node.sql()}; use one of {', '.join(TYPES)}"
        else:
            yield from _misused(node)


def _misused(node: exp.Expr) -> Iterator[str]:
    """Yield a message for a construct that is allowed, but not in this form."""
    match node:
        case exp.Literal() if not node.is_string and not node.is_int and "e" not in node.name.lower():
            yield f"{node.name} is a decimal number; write {node.name}e0"
        case exp.Log() if node.expression is None:
            yield "the base of log(x) differs; write ln(x) or log(2, x)"
        case exp.Max() | exp.Min() if any(value for key, value in node.args.items() if key != "this"):
            yield f"{node.sql()} yields a list"
        case exp.Cast() if node.to.this.name in ("INT", "BIGINT") and not _is_whole(node.this):
            yield f"{node.sql()} rounds or cuts off, depending on the engine; take floor(x) first"
        case exp.Join() if node.args.get("kind") not in (None, "", "CROSS") or node.args.get("method"):
            yield f"a join of kind {node.args.get('method') or node.args.get('kind')}"
        case exp.With() if node.args.get("recursive"):
            yield "a recursive query"
        case exp.Group() if node.args.get("all"):
            yield "GROUP BY ALL"
        case exp.Subquery() if not node.alias and isinstance(node.parent, exp.From | exp.Join):
            yield "a subquery without a name"


def _is_whole(node: exp.Expr) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Add | exp.Sub):
        return _is_whole(node.this) and _is_whole(node.expression)
    return isinstance(node, _WHOLE) or (isinstance(node, exp.Literal) and node.is_int)


def refuse_unportable(catalog: Catalog, dialect: str, measures: Sequence[Measure]) -> None:
    """Refuse metrics that are for DuckDB only, if the dialect is of another engine.

    Raises:
        UnsupportedError: one of the metrics is for DuckDB only.
    """
    for measure in measures if dialect != DIALECT else ():
        reason = reason_against(catalog, measure.metric)
        if reason is not None:
            engine = DIALECTS[dialect].engine
            raise UnsupportedError(measure.text, f"not on {engine}: {reason}", "evaluate it with DuckDB")


SYSTEM, POSITION = "system", "position"
# Engines that distinguish -0.0 from 0.0, so that equal scores would not tie.
SIGNED_ZEROS = ("clickhouse", "datafusion")
# The types of the columns that metrics read, wherever they run.
TYPES_OF_COLUMNS = {
    SYSTEM: "VARCHAR", "query_id": "VARCHAR", "item_id": "VARCHAR", "score": "DOUBLE", POSITION: "BIGINT",
    "run": "VARCHAR", "relevance": "DOUBLE", "segment": "BIGINT", "label": "DOUBLE", "weight": "DOUBLE",
    "group_id": "VARCHAR", "exact_score": "VARCHAR", "category": "VARCHAR", "dimension": "BIGINT",
    "value": "DOUBLE",
}  # fmt: skip


class UserTables:
    """The tables, under the names that a text uses.

    Args:
        declared: table -> the columns that it may have.
        dialect: the engine that the text is for.
        system: the column that names the systems; None if there is one system.
        positions: whether the tables have the place of a row, because it decides about equal scores.

    Attributes:
        read: table -> the columns that the text reads; filled by `put_into`.
    """

    def __init__(
        self,
        declared: Mapping[str, Sequence[str]],
        dialect: str,
        system: str | None = None,
        positions: bool = False,
    ) -> None:
        self.declared = declared
        self.dialect = dialect
        self.system = system
        self.positions = positions
        self.read: dict[str, list[str]] = {}

    @property
    def schema(self) -> dict[str, dict[str, str]]:
        """The columns that are read, in the words of the user, with the types that metrics read them as."""
        return {
            table: {
                self._named(column): TYPES_OF_COLUMNS.get(column, "DOUBLE") for column in self.read[table]
            }
            for table in self.declared
            if table in self.read
        }

    def put_into(self, query: exp.Query) -> None:
        """Replace each table by a query of its columns where they are not read as they are, in place."""
        steps = {cte.alias for cte in query.find_all(exp.CTE)}
        for select in list(query.find_all(exp.Select)):
            for table in _tables_of(select):
                if table.name in self.declared and table.name not in steps:
                    self._put(table, self._columns_read(select, table))

    def _columns_read(self, select: exp.Select, table: exp.Table) -> list[str]:
        """Return the columns of a table that a SELECT reads, in the declared order."""
        alone = not select.args.get("joins")
        own = (c for c in select.find_all(exp.Column) if c.find_ancestor(exp.Select) is select)
        names = {c.name for c in own if c.table == table.alias_or_name or (alone and not c.table)}
        return [column for column in self.declared[table.name] if column in names]

    def _put(self, table: exp.Table, columns: list[str]) -> None:
        known = self.read.setdefault(table.name, [])
        found = [*known, *(c for c in columns if c != POSITION or self.positions)]
        known[:] = [c for c in self.declared[table.name] if c in found]
        written = {column: self._written(table.name, column) for column in columns}
        if any(not isinstance(expression, exp.Column) for expression in written.values()):
            listed = (expression.as_(column) for column, expression in written.items())
            picked = exp.select(*map(_plain, listed)).from_(exp.to_table(table.name))
            table.replace(picked.subquery(table.alias_or_name))

    def _written(self, table: str, column: str) -> exp.Expr:
        if column == SYSTEM:
            # With its table, so that a column called user is not the function of that name.
            return exp.cast(exp.column(self._named(column), table), "VARCHAR")
        if column == POSITION and not self.positions:
            return exp.cast(exp.null(), TYPES_OF_COLUMNS[column])
        if TYPES_OF_COLUMNS.get(column) != "DOUBLE":
            return exp.column(column)
        number = exp.cast(exp.column(column), "DOUBLE")
        if self.dialect not in SIGNED_ZEROS:
            return number
        zero = literal(0.0)
        return exp.Case().when(exp.EQ(this=number, expression=zero), zero.copy()).else_(number.copy())

    def _named(self, column: str) -> str:
        return self.system if column == SYSTEM and self.system is not None else column


def _tables_of(select: exp.Select) -> Iterator[exp.Table]:
    """Yield the tables that a SELECT reads itself."""
    clauses = [select.args.get("from_"), *(select.args.get("joins") or [])]
    for clause in clauses:
        if clause is not None and isinstance(clause.this, exp.Table):
            yield clause.this


def _plain(projection: exp.Expr) -> exp.Expr:
    """Write ``x AS x`` as ``x``."""
    inner = projection.unalias()
    return inner if isinstance(inner, exp.Column) and inner.name == projection.alias_or_name else projection
