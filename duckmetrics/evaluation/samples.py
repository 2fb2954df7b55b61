"""Samples that are the same in every run: queries of a population, rows of a classifier.

The database chooses them and keeps them in temporary tables; the number of rows in Python is bounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.compose.composer import with_directions
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.classification import GROUP
from duckmetrics.inputs.columns import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# The number of rows in Python at once, unless one query has more; a query with more than the second number
# is left out.
CHUNK, TOO_MANY = 100_000, 1_000_000
# The input that lists the queries of a population.
LISTED_IN = {"truth": "truth", "predictions": "predictions", "table": "population"}
# Ids of these kinds mean the same in Python: equal where they are equal, and in the same order.
ALIKE = ("integer", "text", "uuid", "boolean")
COLUMNS = ("system", "segment", "label", "score", WEIGHT, GROUP)
# What metrics of users read of a row, by its name, and of which table a row of a sample has it.
MORE, MORE_OF = "own_columns", ("of_prediction", "of_truth")


class Item(str):
    """An item id of a type that Python lacks: ordered by its place, written as in the database."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, place: str, text: str) -> Item:
        """Create an id; `place` holds the digits of its number in the order of the ids."""
        item = super().__new__(cls, place)
        item.text = text
        return item

    def __str__(self) -> str:
        return self.text


@dataclass
class SampledQuery:
    """One query of a sample.

    Attributes:
        predictions: (system, number of the query, item_id, score, what metrics of users read), in the order
            of their positions.
        truth: (number of the query, item_id, relevance, what metrics of users read).
        values: the values of SQL, by system: one value per column asked for; NaN where it has
            several rows for one query.
    """

    number: int
    predictions: list[tuple[str, int, Any, float, Mapping[str, Any]]] = field(default_factory=list)
    truth: list[tuple[int, Any, float | None, Mapping[str, Any]]] = field(default_factory=list)
    values: dict[str, tuple[Any, ...]] = field(default_factory=dict)


class QuerySample:
    """The queries whose ids, as text, have the smallest md5: the same ones for every system and metric.

    Args:
        table: the kept values per query.
        columns: those of its columns that are wanted.
        population: the word of the switch that says which queries count.
        size: how many queries.
        own: the columns that metrics of users read, by the table.

    Attributes:
        complete: whether no query is left out.
        too_large: how many queries are left out because of their number of rows.
    """

    def __init__(
        self,
        engine: Engine,
        inputs: Inputs,
        table: str,
        columns: Sequence[str],
        population: str,
        size: int,
        own: Mapping[str, Collection[str]],
    ) -> None:
        self.engine = engine
        self.inputs = inputs
        self.size = size
        self.columns = columns
        self.alike = len(inputs.item_kinds) == 1 and inputs.item_kinds[0] in ALIKE
        self.queries = self._keep("sampled_queries", self._numbered(table, population))
        tables: dict[str, exp.Expr] = {
            name: _with_more(inputs.queries[name], own.get(name, ())) for name in ("predictions", "truth")
        }
        tables["sampled_queries"] = exp.to_table(self.queries)
        self.rows = self._keep("sampled_rows", relation_over("sampled_rows", tables, size, self.alike))
        self.values = self._keep("sampled_values", self._joined(exp.to_table(table), ["system", *columns]))
        more = exp.select("number").from_(self.queries).where(exp.column("number") > literal(size))
        tables["sampled_rows"] = exp.to_table(self.rows)
        sizes = engine.rows(with_directions(relation_over("sample_sizes", tables, size).order_by("number")))
        self._sizes_of = [(number, n) for number, n in sizes if n <= TOO_MANY]
        self.too_large = len(sizes) - len(self._sizes_of)
        self.complete = not engine.rows(more) and not self.too_large

    def __iter__(self) -> Iterator[SampledQuery]:
        for first, last in chunks(self._sizes_of):
            yield from self._read(first, last)

    def listed(self) -> set[int]:
        """Return the numbers of the queries that the table of the population lists."""
        population = self.inputs.queries["population"].subquery("population")
        return {number for (number,) in self.engine.rows(self._joined(population, []).distinct())}

    def answered(self) -> dict[int, list[str]]:
        """Return the systems that answered each query, also with an empty list; empty without lists."""
        found: dict[int, list[str]] = {}
        if "answers" in self.inputs.queries:
            answers = self.inputs.queries["answers"].subquery("answers")
            for number, system in self.engine.rows(self._joined(answers, ["system"])):
                found.setdefault(number, []).append(system)
        return found

    def systems(self) -> list[str]:
        """Return every system, also one without rows in the sample."""
        systems = self.inputs.queries.get("systems")
        if systems is None:
            predictions = self.inputs.queries["predictions"].subquery("predictions")
            systems = exp.select("system").distinct().from_(predictions)
        return [system for (system,) in self.engine.rows(systems)]

    def attributes(self) -> dict[int, dict[str, Any]]:
        """Return the slicing columns and the weight of every query that has them."""
        weight = [self.inputs.weight] if self.inputs.weight else []
        names = list(dict.fromkeys([*self.inputs.by_columns, *weight]))
        source = self.inputs.queries["attributes"].subquery("attributes")
        wanted = [exp.column(exp.to_identifier(name, quoted=True), "source") for name in names]
        rows = self.engine.rows(self._joined(source, wanted).distinct())
        return {number: dict(zip(names, values, strict=True)) for number, *values in rows}

    def shown(self, number: int) -> str:
        """Return the id of a query as the user knows it, with the name of its column."""
        text = exp.cast(exp.column("query_id"), "VARCHAR")
        query = exp.select(text).from_(self.queries).where(exp.column("number").eq(literal(number)))
        return f"{self.inputs.column_label('predictions', 'query_id')}={self.engine.rows(query)[0][0]}"

    def _keep(self, stem: str, query: exp.Query) -> str:
        name = self.engine.name(stem)
        self.engine.keep(name, with_directions(query))
        return name

    def _numbered(self, table: str, population: str) -> exp.Select:
        """Number the queries that SQL found or that the population lists.

        It takes both, so that a query that SQL lost or invented is in the sample too.
        """
        ids: exp.Query = exp.select("query_id").from_(table)
        if population in LISTED_IN:
            listed = self.inputs.queries[LISTED_IN[population]].subquery("listed")
            ids = exp.union(ids, exp.select("query_id").from_(listed), distinct=True)
        written = exp.select("query_id", self._id_text().as_("id_text")).from_(ids.subquery("ids"))
        return relation_over("sampled_queries", {"query_ids": written.subquery()}, self.size)

    def _id_text(self) -> exp.Expr:
        """Return an id as text, a composite one as its fields."""
        parts: list[exp.Expr] = [exp.column("query_id")]
        if len(self.inputs.query_parts) > 1:
            parts = [
                exp.StructExtract(this=exp.column("query_id"), expression=literal(part))
                for part in self.inputs.query_parts
            ]
        texts = (exp.cast(part, "VARCHAR") for part in parts)
        return exp.Anonymous(this="concat_ws", expressions=[literal(","), *texts])

    def _joined(self, source: exp.Expr, columns: Sequence[str | exp.Expr]) -> exp.Select:
        """Return the rows of a table that belong to queries of the sample, with the number of the query."""
        same = exp.EQ(this=exp.column("query_id", "sample"), expression=exp.column("query_id", "source"))
        number = exp.column("number", "sample")
        wanted = (exp.column(column, "source") if isinstance(column, str) else column for column in columns)
        aliased = source.copy()
        aliased.set("alias", exp.TableAlias(this=exp.to_identifier("source")))
        joined = exp.select(number, *wanted).from_(aliased)
        joined = joined.join(exp.to_table(self.queries).as_("sample", table=True), on=same)
        return joined.where(number.copy() <= literal(self.size))

    def _read(self, first: int, last: int) -> list[SampledQuery]:
        found = {number: SampledQuery(number) for number in range(first, last + 1)}
        columns = ("number", "is_truth", "system", "item", "text", "score", "relevance", *MORE_OF)
        rows = _between(exp.select(*columns).from_(self.rows), first, last)
        ordered = with_directions(rows.order_by("number", "position", "item"))
        for row in self.engine.rows(ordered):
            number, is_truth, system, item, text, score, relevance, of_prediction, of_truth = row
            known = item if self.alike or text is None else Item(item, text)
            if is_truth:
                found[number].truth.append((number, known, relevance, of_truth or {}))
            else:
                found[number].predictions.append((system, number, known, score, of_prediction or {}))
        values = _between(exp.select("number", "system", *self.columns).from_(self.values), first, last)
        sorted_values = with_directions(values.order_by("number", "system"))
        for number, system, *computed in self.engine.rows(sorted_values):
            twice = system in found[number].values
            found[number].values[system] = tuple(math.nan if twice else value for value in computed)
        return list(found.values())


def chunks(sizes: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of neighboring numbers whose rows, (number, n), add up to about `CHUNK`."""
    first: int | None = None
    last, rows = 0, 0
    for number, n in sizes:
        if first is not None and (rows + n > CHUNK or number > last + 1):
            yield first, last
            first = None
        if first is None:
            first, rows = number, 0
        last, rows = number, rows + n
    if first is not None:
        yield first, last


class SampledRow(NamedTuple):
    """A row of a classifier, in one segment."""

    system: str
    segment: int
    label: float
    score: float
    weight: float
    group: int | None
    more: Mapping[str, Any] | None


def row_sample(engine: Engine, inputs: Inputs, size: int, own: Collection[str]) -> exp.Query | None:
    """Keep the rows whose columns have the smallest md5, and return their query; None where all fit."""
    rows = inputs.queries["predictions"].subquery("predictions")
    if engine.rows(exp.select(exp.Count(this=exp.Star())).from_(rows))[0][0] <= size:
        return None
    name = engine.name("sampled_rows")
    tables = {"predictions": _with_more(inputs.queries["predictions"], own)}
    first = relation_over("sampled_predictions", tables, size)
    engine.keep(name, with_directions(first))
    more = (
        exp.StructExtract(this=exp.column(MORE), expression=literal(column)).as_(column) for column in own
    )
    return exp.select(*COLUMNS, *more).from_(name)


def rows_of(engine: Engine, inputs: Inputs, own: Collection[str]) -> Iterator[SampledRow]:
    """Read all rows; numbers identify the groups."""
    query = relation_over("numbered_groups", {"predictions": _with_more(inputs.queries["predictions"], own)})
    for row in engine.rows(with_directions(query)):
        yield SampledRow(*row)


def slices_of(engine: Engine, inputs: Inputs, by: Mapping[str, str]) -> dict[int, tuple[int, dict[str, Any]]]:
    """Return segment that has rows -> the number of its grouping and the slicing columns.

    Args:
        by: slicing column -> its column in the input `slices`.
    """
    if "slices" not in inputs.queries:
        return {}
    wanted = exp.select("segment", "slice_number", *by.values())
    present = exp.select("segment").from_(inputs.queries["predictions"].subquery("predictions"))
    slices = wanted.from_(inputs.queries["slices"].subquery("slices"))
    rows = engine.rows(slices.where(exp.column("segment").isin(query=present)))
    return {segment: (number, dict(zip(by, values, strict=True))) for segment, number, *values in rows}


def _with_more(query: exp.Query, own: Collection[str]) -> exp.Subquery:
    """Return a table, with the columns that metrics of users read as one."""
    names = [exp.to_identifier(name, quoted=True) for name in own]
    pairs = [exp.PropertyEQ(this=name, expression=exp.column(name.copy())) for name in names]
    more: exp.Expr = exp.Struct(expressions=pairs) if pairs else exp.cast(exp.null(), "VARCHAR")
    return exp.select("*", more.as_(MORE)).from_(query.subquery("given")).subquery()


def relation_over(
    name: str, tables: Mapping[str, exp.Expr], size: int = 0, alike: bool = False
) -> exp.Select:
    """Return a relation over these tables.

    No plan rule has changed it: a verification checks these rules, too.
    """
    query = bind(catalog().relations[name].query, {"size": size, "alike": alike})
    for table in list(query.find_all(exp.Table)):
        if table.name in tables:
            table.replace(exp.alias_(tables[table.name].copy(), table.name, table=True))
    return cast("exp.Select", query)


def _between(query: exp.Select, first: int, last: int) -> exp.Select:
    return query.where(exp.column("number").between(literal(first), literal(last)))
