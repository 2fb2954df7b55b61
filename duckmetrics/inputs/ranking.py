"""The canonical inputs of rankings: attributes of queries, cut-offs, history, catalogue, reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import NUMBER, is_zoned, quoted, stacked
from duckmetrics.inputs.columns import WEIGHT, number_expression, score_expression, selected
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE, Inputs
from duckmetrics.inputs.lists import elements, is_list, items_of, list_column, list_places
from duckmetrics.inputs.ranking_tables import (
    Extremes,
    RankingIds,
    RankingPredictions,
    RankingTables,
    has_labels,
    require_truth,
    truth_query,
    unread_grade,
)
from duckmetrics.inputs.slices import advice_without, attribute, columns_in, lacking, slicing_columns
from duckmetrics.inputs.systems import ONE_SYSTEM, Attach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.ranking_tables import RankingTable
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role


# The queries of all tables, one row for each.
KNOWN_QUERIES = "known_queries"
# The tables that may have queries of the population; lists without an item are among the answers only.
OF_QUERIES = ("predictions", "answers", "truth", "population")


@dataclass(frozen=True)
class FoundAttributes:
    """The attributes that a call asks for.

    Attributes:
        by: the groupings, in the user's spelling of the columns.
        cluster: the column of the independent units of intervals.
        weight: the column that says how much a query counts.
        role: the tables that the attributes come from.
        query: at least one row per query, with the attributes.
        derived: the slicing columns that no table has, and that come from the history.
    """

    by: tuple[tuple[str, ...], ...]
    cluster: str | None = None
    role: str | None = None
    query: exp.Query | None = None
    derived: tuple[str, ...] = ()
    weight: str | None = None


class Attributes:
    """Finds the attributes that a call asks for in its tables."""

    def __init__(self, catalog: Catalog, request: Request, tables: RankingTables, ids: RankingIds) -> None:
        self._catalog = catalog
        self._request = request
        self._tables = tables
        self._ids = ids

    def found(self, queries: Mapping[str, exp.Query], has_truth: bool) -> FoundAttributes:
        """Return the attributes; a column of a table has precedence over one that comes from the history.

        Args:
            queries: the canonical inputs.

        Raises:
            InputError: no table has all attributes, or the history or the truth is not given.
        """
        request, wanted = self._request, self._tables.asked
        if not wanted:
            return FoundAttributes(request.by)
        derived = self._derived(has_truth)
        own = [name for name in wanted if name not in derived]
        if not own:
            return FoundAttributes(request.by, None, HISTORY, self._joined(derived, None, queries), derived)
        role, having = self._having(own)
        known = {
            name: name if name in request.computed else having[0].source.find(name) or name for name in own
        }
        by = (tuple(dict.fromkeys(known.get(name, name) for name in grouping)) for grouping in request.by)
        cluster = known[self._tables.cluster] if self._tables.cluster else None
        weight = known[self._tables.weight] if self._tables.weight else None
        if weight is not None:
            _refuse_text(weight, having)
        query = self._of_tables(having, list(dict.fromkeys(known.values())))
        query = self._joined(derived, query, queries) if derived else query
        return FoundAttributes(tuple(dict.fromkeys(by)), cluster, role, query, derived, weight)

    def _of_tables(self, tables: Sequence[RankingTable], wanted: Sequence[str]) -> exp.Query:
        """Write the attributes of the tables that have them."""
        computed = self._request.computed
        return stacked(
            selected(table.source, {
                "query_id": self._ids.query_id(table),
                **{name: attribute(table.source, name, computed) or quoted(name) for name in wanted},
            })
            for table in tables
        )  # fmt: skip

    def _having(self, wanted: Sequence[str]) -> tuple[str, list[RankingTable]]:
        """Return the tables that have all of these attributes, and their role.

        Raises:
            InputError: there is no such table.
        """
        for role, of_role in self._candidates:
            having = [table for table in of_role if not self._lacking(table, wanted)]
            if having:
                return role, having
        raise self._no_table(wanted)

    @property
    def _candidates(self) -> list[tuple[str, Sequence[RankingTable]]]:
        """The tables that may have the attributes: those of queries alone, if they are given."""
        tables = self._tables
        if "queries" in tables.extra:
            return [("queries", [tables.extra["queries"]])]
        judged: list[tuple[str, Sequence[RankingTable]]] = []
        if tables.truth is not None:
            judged.append(("truth", [tables.truth]))
        return [*judged, ("predictions", tables.predictions)]

    def _lacking(self, table: RankingTable, wanted: Sequence[str]) -> list[str]:
        """Return the columns that a table does not have, of all that attributes need."""
        return [column for name in wanted for column in lacking(table.source, name, self._request.computed)]

    def _no_table(self, wanted: Sequence[str]) -> InputError:
        """Return the error for attributes that no table has."""
        others = "cluster" if self._tables.cluster else f"columns: {WEIGHT}"
        asked = "by" if self._request.by else others
        tables = [table for _, of_role in self._candidates for table in of_role]
        found = {column: None for table in tables for column in table.source.all_columns}
        needed = dict.fromkeys(column for table in tables for column in self._lacking(table, wanted))
        missing = [n for n in needed if not any(n.lower() == c.lower() for c in found)]
        lacks = f"a column {', '.join(map(repr, missing))}" if missing else f"all of {', '.join(wanted)}"
        usual = "give the attributes of the queries with queries= (--queries)"
        advice = advice_without(missing, suggestion("".join(missing), found, usual))
        from_history = [name for name in missing if name in self._catalog.slices]
        if from_history and HISTORY not in self._tables.extra:
            names = " and ".join(from_history)
            advice = f"give {MEANINGS[HISTORY]} with {HISTORY}= (--{HISTORY}); {names} comes from them"
        return InputError(asked, f"no table has {lacks}; found {', '.join(found)}", advice)

    # --- slices that no table has ----------------------------------------------------------------

    def _derived(self, has_truth: bool) -> tuple[str, ...]:
        """Return the slices that come from the history, as no table has a column of that name.

        Raises:
            InputError: one of them needs a truth, and there is none.
        """
        if HISTORY not in self._tables.extra:
            return ()
        names = [name for name in slicing_columns(self._request.by) if name in self._catalog.slices]
        tables = [table for _, of_role in self._candidates for table in of_role]
        derived = [
            name for name in names
            if name not in self._request.computed and all(table.source.find(name) is None for table in tables)
        ]  # fmt: skip
        for name in derived:
            if "truth" in self._catalog.slices[name].inputs and not has_truth:
                raise InputError("by", f"{name!r} needs the relevant items", "give a truth table (--truth)")
        return tuple(derived)

    def _joined(
        self, derived: Sequence[str], own: exp.Query | None, queries: Mapping[str, exp.Query]
    ) -> exp.Query:
        """Write the slices of all queries that come from the history, next to the attributes of tables."""
        parts = (
            exp.select("query_id").from_(queries[name].copy().subquery(name))
            for name in OF_QUERIES if name in queries
        )  # fmt: skip
        known = exp.select("query_id").distinct().from_(stacked(parts).subquery("all_queries"))
        composer = Composer(self._catalog, {**queries, KNOWN_QUERIES: known})
        composer.relation(KNOWN_QUERIES, {})
        query = exp.select(exp.column("query_id", KNOWN_QUERIES)).from_(KNOWN_QUERIES)
        for name in derived:
            query = query.select(exp.column(name, name))
            query = _with(query, exp.to_table(composer.relation(name, {})), name)
        if own is not None:
            names = [name for name in own.named_selects if name != "query_id"]
            query = query.select(*(exp.column(name, "own", quoted=True) for name in names))
            query = _with(query, own.subquery("own"), "own")
        return exp.select(exp.Star()).from_(composer.complete(query).subquery("derived"))


def _refuse_text(weight: str, tables: Sequence[RankingTable]) -> None:
    """Refuse a column of weights that is not a number."""
    for table in tables:
        type_ = table.source.columns[weight]
        if not NUMBER.fullmatch(type_):
            what = f"column {weight!r} is {type_}, and a weight is a number"
            raise InputError(table.source.label, what, "CAST it, or map another column")


def _with(query: exp.Select, table: exp.Table | exp.Subquery, alias: str) -> exp.Select:
    """Join a table of queries."""
    same = exp.EQ(this=exp.column("query_id", alias), expression=exp.column("query_id", KNOWN_QUERIES))
    source = table.as_(alias, table=True) if isinstance(table, exp.Table) else table
    return query.join(source, on=same, join_type="left")


CUTS = "cuts"
TIME = "timestamp"
DAY, MOMENT, ZONED, COUNTED = "day", "moment", "zoned", "number"


def cuts(tables: RankingTables, ids: RankingIds) -> tuple[exp.Query | None, bool]:
    """Write the input `cuts`: one row for each query of a table with times that the history can precede.

    Returns:
        The query, None if the tables have no times of one kind; and whether times are compared by day,
        because a table has dates only.
    """
    history = tables.extra.get(HISTORY)
    kind = None if history is None else kind_of_time(history, tables.columns)
    found = list(_comparable(tables, kind))
    if not found:
        return None, False
    by_day = DAY in {kind, *(of_table for _, _, of_table in found)}
    times = stacked(
        selected(table.source, {
            "query_id": ids.query_id(table),
            "cut": exp.cast(quoted(name), "DATE") if by_day else quoted(name),
        })
        for table, name, _ in found
    )  # fmt: skip
    first = exp.Min(this=exp.column("cut")).as_("cut")
    return exp.select("query_id", first).from_(times.subquery("times")).group_by("query_id"), by_day


def _comparable(tables: RankingTables, kind: str | None) -> Iterator[tuple[RankingTable, str, str]]:
    """Yield the predictions and the truth with times of this kind, their columns, and their own kinds."""
    same = {DAY: {DAY, MOMENT}, MOMENT: {DAY, MOMENT}, ZONED: {ZONED}, COUNTED: {COUNTED}}.get(
        str(kind), set()
    )
    for table in (*tables.predictions, *([tables.truth] if tables.truth is not None else [])):
        name, of_table = time_column(table, tables.columns), kind_of_time(table, tables.columns)
        if name is not None and of_table in same:
            yield table, name, str(of_table)


def time_column(table: RankingTable, columns: ColumnMap) -> str | None:
    """Return the column with the time of a row; a name that is mapped for all tables may be absent in one.

    Raises:
        InputError: the name that is mapped for this table is absent.
    """
    if f"{table.role}.{TIME}" in columns.names:
        return table.find(columns, TIME)
    try:
        mapped = table.source.find(columns.names.get(TIME, TIME))
        return mapped if mapped is not None else table.source.find(TIME)
    except InputError:  # two columns differ in case only, and nobody asked for one of them
        return None


def kind_of_time(table: RankingTable, columns: ColumnMap) -> str | None:
    """Return the kind of the times of a table; times of different kinds cannot be compared."""
    name = time_column(table, columns)
    type_ = "" if name is None else table.source.columns[name]
    if type_ == "DATE":
        return DAY
    if type_.startswith("TIMESTAMP"):
        return ZONED if is_zoned(type_) else MOMENT
    return COUNTED if NUMBER.fullmatch(type_) else None


# The inputs that come from the column of a catalogue: input -> column.
OF_COLUMNS = {"item_categories": "category", "item_vectors": "vector"}
MEANINGS: dict[Role, str] = {
    HISTORY: "the interactions that the systems were trained on",
    ITEMS: "the catalogue of all items",
    REFERENCE: "the run to compare with, such as that of the last release",
}
# All inputs of these tables.
SIDE_INPUTS = {*MEANINGS, *OF_COLUMNS}


def table_of(name: str) -> Role:
    """Return the table that holds an input."""
    return ITEMS if name in OF_COLUMNS else cast("Role", name)


def side_queries(tables: RankingTables, ids: RankingIds) -> dict[str, exp.Query]:
    """Write the canonical query of each input that these tables have."""
    queries: dict[str, exp.Query] = {}
    history = tables.extra.get(HISTORY)
    if history is not None:
        queries[HISTORY] = _history(history, tables.columns, ids)
    items = tables.extra.get(ITEMS)
    if items is not None:
        queries[ITEMS] = selected(items.source, {"item_id": ids.item_id(items)})
        queries |= dict(_of_columns(items, tables.columns, ids))
    reference = tables.extra.get(REFERENCE)
    if reference is not None:
        queries[REFERENCE] = _reference(reference, tables.columns, ids)
    return queries


def refuse_absent(
    queries: Mapping[str, exp.Query],
    needed: Mapping[str, str],
    labels: Mapping[str, str],
    columns: Sequence[str],
) -> None:
    """Refuse metrics that read a table which was not given, or a column that the catalogue lacks.

    Args:
        needed: input -> the text of a metric that reads it.
        labels: the names of the tables in messages.
        columns: those of the catalogue.

    Raises:
        InputError: names the table, its meaning, and the option.
    """
    for name, metric in needed.items():
        if name in queries:
            continue
        column = OF_COLUMNS.get(name)
        if column is not None and ITEMS in labels:
            raise InputError(
                labels[ITEMS],
                f"no column {column!r}, which {metric} reads; found {', '.join(columns)}",
                f"map it with columns={{'{ITEMS}.{column}': ...}} (--column {ITEMS}.{column}=...)",
            )
        table = ITEMS if column is not None else cast("Role", name)
        raise InputError(
            metric,
            f"needs {table}=, {MEANINGS[table]}",
            f"give {'a table with ' + column if column else 'it'} with {table}= (--{table})",
        )


def _history(table: RankingTable, columns: ColumnMap, ids: RankingIds) -> exp.Query:
    """Write the input `history`: one row for each interaction."""
    source = table.source
    time = time_column(table, columns)
    moment = {"timestamp": exp.null() if time is None else quoted(time)}
    if table.listed is None:
        return selected(source, {"query_id": ids.query_id(table), "item_id": ids.item_id(table), **moment})
    listed = {"query_id": ids.query_id(table), "item_id": elements(source, table.listed), **moment}
    unnested = selected(source, listed).subquery("unnested")
    return exp.select("query_id", ids.unnested_item(), "timestamp").from_(unnested)


def _of_columns(table: RankingTable, columns: ColumnMap, ids: RankingIds) -> Iterator[tuple[str, exp.Query]]:
    """Yield the categories and the vectors of the items, one row for each, if the catalogue has them.

    Raises:
        InputError: vectors are not lists of numbers.
    """
    source = table.source
    category = table.find(columns, "category")
    if category is not None:
        of_item = elements(source, category) if is_list(source, category) else quoted(category)
        found = selected(source, {"item_id": ids.item_id(table), "category": of_item}).subquery("listed")
        text = exp.cast(exp.column("category"), "VARCHAR").as_("category")
        known = exp.select("item_id", text).distinct().from_(found)
        yield "item_categories", known.where(exp.column("category").is_(exp.null()).not_())
    vector = table.find(columns, "vector")
    if vector is not None:
        if not is_list(source, vector):
            raise InputError(
                source.label,
                f"column {vector!r} is {source.columns[vector]}, not a list of numbers",
                f"give each item a vector in one column, such as CAST({vector} AS DOUBLE[])",
            )
        number_expression(items_of(source, vector), vector)
        found = selected(source, {
            "item_id": ids.item_id(table), "dimension": list_places(source, vector),
            "value": elements(source, vector),
        }).subquery("unnested")  # fmt: skip
        number = exp.cast(exp.column("value"), "DOUBLE").as_("value")
        yield "item_vectors", exp.select("item_id", "dimension", number).from_(found)


def _reference(table: RankingTable, columns: ColumnMap, ids: RankingIds) -> exp.Query:
    """Write the input `reference`: one row for each item of the other run."""
    source = table.source
    if table.listed is None:
        return selected(source, {
            "query_id": ids.query_id(table),
            "item_id": ids.item_id(table),
            "score": score_expression(source, columns, REFERENCE),
        })  # fmt: skip
    scores = list_column(source, columns, REFERENCE, "scores")
    place = list_places(source, table.listed)
    unnested = selected(source, {
        "query_id": ids.query_id(table),
        "item_id": elements(source, table.listed),
        "score": elements(source, scores) if scores else exp.Neg(this=place),
    }).subquery("unnested")  # fmt: skip
    score = exp.cast(exp.column("score"), "DOUBLE").as_("score")
    return exp.select("query_id", ids.unnested_item(), score).from_(unnested)


def ranking_inputs(catalog: Catalog, request: Request, attach: Attach, extremes: Extremes) -> Inputs:
    """Attach the tables of a request and write the canonical query of each input.

    Raises:
        InputError: a table or column is missing, or of a type that cannot be used.
    """
    tables = RankingTables(request, attach)
    require_truth(tables, request)
    ids = RankingIds(tables, extremes)
    predictions = RankingPredictions(tables, ids, request)
    queries = _queries(tables, ids, predictions, request)
    times, by_day = cuts(tables, ids)
    queries |= {} if times is None else {CUTS: times}
    has_truth = tables.truth is not None or request.needs_truth or has_labels(tables)
    attributes = Attributes(catalog, request, tables, ids).found(queries, has_truth)
    queries |= {} if attributes.query is None else {"attributes": attributes.query}
    names = _names(request, tables, ids, predictions)
    return Inputs(
        queries=queries,
        labels=tables.labels,
        words=tables.words,
        one_system=tables.systems.only,
        systems=tables.systems.names,
        truth_lists=tables.truth is not None and tables.truth.listed is not None,
        by=attributes.by,
        by_source=attributes.role,
        names=names,
        query_type=ids.query_type,
        query_parts=ids.query_parts,
        item_kinds=ids.item_kinds,
        constants={"system": ONE_SYSTEM} if tables.systems.only else {},
        by_rank=predictions.by_rank(),
        cluster=attributes.cluster,
        weight=attributes.weight,
        wide_scores=predictions.has_wide_scores(),
        runs=predictions.all_runs,
        leftovers=predictions.leftovers(_meaningful(names)),
        unread_grade=unread_grade(tables),
        unasked=tuple(_unread_weights(tables, request)),
        by_day=by_day,
        text_ids=ids.of_text,
        catalog_columns=tuple(tables.extra[ITEMS].source.all_columns) if ITEMS in tables.extra else (),
        has_truth=has_truth,
        judged_columns=tuple(tables.truth.source.all_columns) if tables.truth is not None else (),
        derived=attributes.derived,
    )


def _queries(
    tables: RankingTables, ids: RankingIds, predictions: RankingPredictions, request: Request
) -> dict[str, exp.Query]:
    """Write the canonical query of each input but the attributes."""
    # An error about the predictions comes first: they may be a truth in the wrong place.
    queries = {
        "predictions": predictions.query(),
        "truth": truth_query(
            tables, ids, request.needs_truth, request.truth_reader, request.own_columns.get("truth", {})
        ),
    }
    queries |= side_queries(tables, ids)
    population = tables.extra.get("population")
    if population is not None:
        queries["population"] = selected(population.source, {"query_id": ids.query_id(population)})
    systems = tables.systems.query()
    answers = predictions.answers()
    if answers is not None:
        queries["answers"] = answers
        systems = systems or exp.select("system").distinct().from_(answers.copy().subquery("answers"))
    if systems is not None:
        queries["systems"] = systems
    return queries


def _unread_weights(tables: RankingTables, request: Request) -> Iterator[tuple[str, str, bool]]:
    """Yield the columns of weights that nobody named, unless they are used otherwise."""
    expressions = (name for one in request.computed.values() for name in columns_in(one))
    named = {*tables.columns.names.values(), *tables.asked, *expressions, request.system}
    used = {name.lower() for name in named if name}
    for table in tables:
        if table.role not in ("predictions", "truth", "queries"):
            continue
        known = {**table.source.columns, **table.source.unread}
        for name, type_ in known.items():
            if name.lower() == WEIGHT and WEIGHT not in used and NUMBER.fullmatch(type_):
                yield table.role, name, False


def _names(
    request: Request, tables: RankingTables, ids: RankingIds, predictions: RankingPredictions
) -> dict[str, str]:
    """Map each canonical column, with its table, to the user's column."""
    first, columns = tables.predictions[0], tables.columns
    names = {
        "predictions.query_id": "+".join(ids.query_keys[first.name].parts),
        "predictions.item_id": "+".join(ids.item_keys[first.name].parts),
        "predictions.system": request.system or "system",
        "predictions.run": ", ".join(predictions.runs(first)),
    }
    for order in ("scores",) if first.listed else ("rank", "score"):
        known = first.find(columns, order)
        names["predictions.score"] = known or names.get("predictions.score", first.listed or order)
    truth = tables.truth or first
    for key, keys in (("query_id", ids.query_keys), ("item_id", ids.item_keys)):
        names[f"truth.{key}"] = "+".join(keys[truth.name].parts)
    for grade in ("label", "relevance"):
        names["truth.relevance"] = truth.find(columns, grade) or names.get("truth.relevance", grade)
    for role, table in tables.extra.items():
        ids_of = {"query_id": ids.query_keys.get(role), "item_id": ids.item_keys.get(role)}
        names |= {f"{role}.{column}": "+".join(key.parts) for column, key in ids_of.items() if key}
        if role == REFERENCE:
            names["reference.score"] = table.find(columns, "score", "rank") or table.listed or "score"
        if role == ITEMS:
            names |= {
                f"items.{column}": table.find(columns, column) or column for column in OF_COLUMNS.values()
            }
    for table in (first, truth, *tables.extra.values()):
        names[f"{table.role}.{TIME}"] = time_column(table, columns) or TIME
    return names


def _meaningful(names: Mapping[str, str]) -> list[str]:
    """Return the columns of the predictions and the truth that mean something already."""
    roles = ("predictions.", "truth.")
    return [column for key, column in names.items() if key.startswith(roles) and key != "predictions.run"]
