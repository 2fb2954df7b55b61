"""Columns of the user's tables that only metrics of users read, as macros read and check them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import TABLES, own_columns
from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.expressions.folding import literal
from duckmetrics.shell.macro import Argument, concatenated, query_of, quoted_name, reference
from duckmetrics.shell.query import JUDGED, METRICS, SOURCE, asks_for

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.shell.parameters import OfferedMetric

# The name of an expression over rows in messages, and the type of a column that a table does not have.
OF_ROWS, ABSENT = "data", '"NULL"'
# Marks in the two queries that read a table of the user.
GIVEN, READ = exp.var("__own_given__"), exp.var("__own_read__")
EXPRESSION = "the column, or an expression; by default the column of this name"


class OwnColumns:
    """The columns that only metrics of users read, and their parameters.

    Args:
        offered: the metrics of a macro.
        taken: the names of its other parameters. A column of such a name has a longer parameter.

    Attributes:
        readers: the metrics that read a column, by the table and the column.
    """

    def __init__(self, catalog: Catalog, offered: Iterable[OfferedMetric], taken: Collection[str]) -> None:
        self.catalog = catalog
        self.readers: dict[tuple[str, str], list[OfferedMetric]] = {}
        self._taken = {name.lower() for name in (*taken, CUTOFF)}
        for one in offered:
            for table in TABLES:
                for column in read_by(catalog, one.measure.metric, table):
                    same = (key for key in self.readers if _lower(key) == _lower((table, column)))
                    self.readers.setdefault(next(same, (table, column)), []).append(one)

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        return [column for of, column in self.readers if of == table]

    def arguments(self, of: OfferedMetric | None = None) -> tuple[Argument, ...]:
        """Return the parameters for the columns that a metric reads, or any of the metrics."""
        found: dict[str, Argument] = {}
        for (table, column), readers in self.readers.items():
            if of is None or any(one.measure.metric == of.measure.metric for one in readers):
                of_rows = readers[0].measure.metric.family == CLASSIFICATION
                meaning = EXPRESSION if of_rows else f"the column {column} of {table}"
                name = self.parameter(column)
                found.setdefault(name.lower(), Argument(name, meanings={"": meaning}))
        return tuple(found.values())

    def parameter(self, column: str) -> str:
        """Return the name of the parameter for a column."""
        return free_name(column, self._taken)

    def _named(self, given: exp.Expr) -> exp.Expr:
        """Return the column that has a name; one that does not exist is NULL, of the type "NULL"."""
        ids = query_of(self.catalog, JUDGED, {"query_id": given, SOURCE: literal("")})
        return ids.selects[0].unalias()

    def _missing(self, label: str, column: str, given: exp.Expr) -> exp.Expr:
        parameter = quoted_name(self.parameter(column))
        text = concatenated(
            f"duckmetrics: {label}: no column '", given, f"'; name it with {parameter} := ..."
        )
        return exp.Anonymous(this="error", expressions=[text])

    # --- rankings --------------------------------------------------------------------------------

    def marked(self, table: str, query: exp.Query) -> exp.Query:
        """Return the query that reads a table, with marks for the columns that the metrics asked for read."""
        if not self.columns(table):
            return query
        cast("exp.Select", query.ctes[0].this).select(GIVEN.copy(), copy=False)
        return cast("exp.Select", query).select(READ.copy(), copy=False)

    def marks(self, table: str) -> Iterator[tuple[str, list[tuple[exp.Select, list[OfferedMetric]]]]]:
        """Yield each mark with the columns that stand for it, and the metrics that read each."""
        readers = {column: metrics for (of, column), metrics in self.readers.items() if of == table}
        for mark, write in ((GIVEN, self._given), (READ, self._read)):
            yield mark.name, [(write(table, column), metrics) for column, metrics in readers.items()]

    def _given(self, table: str, column: str) -> exp.Select:
        """Return a column by its name, and its type."""
        name = self._name(column)
        kind = exp.Anonymous(this="typeof", expressions=[self._named(name.copy())])
        own = self._own(table, column)
        return exp.select(self._named(name).as_(own), kind.as_(f"{own}_type"))

    def _read(self, table: str, column: str) -> exp.Select:
        """Return a column, or an error if the table does not have it."""
        own, shown = self._own(table, column), self._name(column)
        is_there = exp.NEQ(this=exp.column(f"{own}_type"), expression=literal(ABSENT))
        value = exp.Case().when(is_there, exp.column(own)).else_(self._missing(table, column, shown))
        return exp.select(value.as_(column))

    def _name(self, column: str) -> exp.Expr:
        """Return the name of a column in a table of the user."""
        return exp.func("coalesce", reference(self.parameter(column)), literal(column))

    def _own(self, table: str, column: str) -> str:
        return f"own_{self.columns(table).index(column)}"

    def nulls(self) -> Iterator[tuple[exp.Select, OfferedMetric]]:
        """Yield the queries of the problem that a column is NULL, each with the metric that reads it."""
        for (table, column), readers in self.readers.items():
            for one in readers:
                yield _nulls(table, column, one, exp.column("n")), one

    # --- rows ------------------------------------------------------------------------------------

    def of_rows(self, rows: exp.Select) -> exp.Select:
        """Return the query of the rows with these columns: the expression given, or the column of the name.

        Only those of the metrics asked for are read: others may be missing.
        """
        source = rows.args["from_"].this.this
        for (table, column), readers in self.readers.items():
            named = f"_duckmetrics_{self._own(table, column)}"
            source.select(self._named(literal(column)).as_(named), copy=False)
            given, known = reference(self.parameter(column)), exp.column(named)
            unasked = exp.not_(asks_for(self.catalog, reference(METRICS), _names(readers)))
            value = exp.Case().when(unasked, exp.null()).when(_is_column(given), given)
            value = value.when(_is_column(known), known)
            missing = self._missing(OF_ROWS, column, literal(column))
            rows = rows.select(value.else_(missing).as_(column))
        return rows

    def nulls_of_rows(self, copies: exp.Expr) -> Iterator[exp.Select]:
        """Yield the queries of the problem that a column of rows is NULL.

        Args:
            copies: how often each row is there.
        """
        for (table, column), readers in self.readers.items():
            for one in readers:
                n = exp.IntDiv(this=exp.column("n"), expression=copies.copy())
                asked = asks_for(self.catalog, reference(METRICS), one.names)
                yield _nulls(table, column, one, n, OF_ROWS).where(asked)


def free_name(column: str, taken: Collection[str]) -> str:
    """Return the parameter for a column, a longer one if another parameter has its name.

    Args:
        taken: the names of the others in small letters.
    """
    return f"{column}_column" if column.lower() in taken else column


def read_by(catalog: Catalog, metric: Definition, table: str) -> tuple[str, ...]:
    """Return the columns of a table that only metrics of users read, of those that a metric is made of."""
    return own_columns((metric, *catalog.foundations(metric)), table)


def _lower(key: tuple[str, str]) -> tuple[str, str]:
    return key[0], key[1].lower()


def _names(offered: Iterable[OfferedMetric]) -> list[str]:
    return [name for one in offered for name in one.names]


def _is_column(value: exp.Expr) -> exp.Expr:
    """Return the condition that a value is there, which its type shows before the rows are read."""
    kind = exp.Anonymous(this="typeof", expressions=[value.copy()])
    return exp.NEQ(this=kind, expression=literal(ABSENT))


def null_text(label: str, column: str, n: exp.Expr, reader: Definition) -> exp.Expr:
    """Return the message that a column is NULL in n rows."""
    is_one = exp.EQ(this=n.copy(), expression=literal(1))
    return concatenated(
        f"{label}: column '{column}' is NULL in ", exp.cast(n.copy(), "VARCHAR"),
        exp.Case().when(is_one, literal(" row")).else_(literal(" rows")),
        f", and {reader.name} reads it; fill it, as in COALESCE({column}, 0), ",
        "or leave these rows out",
    )  # fmt: skip


def _nulls(table: str, column: str, reader: OfferedMetric, n: exp.Expr, label: str = "") -> exp.Select:
    """Return the query of the problem that a column is NULL in some rows."""
    present = exp.Count(this=exp.column(column))
    counted = exp.Sub(this=exp.Count(this=exp.Star()), expression=present).as_("n")
    text = null_text(label or table, column, n, reader.measure.metric)
    query = exp.select(text.as_("problem")).from_(exp.select(counted).from_(table).subquery("counted"))
    return query.where(exp.GT(this=exp.column("n"), expression=literal(0)))
