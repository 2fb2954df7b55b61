"""The tables that a text reads: only the columns it needs, and numbers of any type as DOUBLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SYSTEM, POSITION = "system", "position"
# Engines that distinguish -0.0 from 0.0, so that equal scores would not tie.
SIGNED_ZEROS = ("clickhouse", "datafusion")
# The types of the columns that metrics read, wherever they run.
TYPES = {
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
            table: {self._named(column): TYPES[column] for column in self.read[table]}
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
            return exp.cast(exp.null(), TYPES[column])
        if TYPES[column] != "DOUBLE":
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
