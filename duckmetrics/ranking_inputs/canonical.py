"""The canonical inputs of one evaluation of rankings, put together from the tables a user names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import quoted, stacked
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.inputs import ITEMS, Inputs
from duckmetrics.inputs.slices import advice_without, attribute, lacking
from duckmetrics.inputs.systems import ONE_SYSTEM, Attach
from duckmetrics.ranking_inputs.predictions import RankingPredictions
from duckmetrics.ranking_inputs.side_tables import side_queries
from duckmetrics.ranking_inputs.tables import Extremes, RankingIds, RankingTables, Table
from duckmetrics.ranking_inputs.truth import has_labels, truth_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.inputs.request import Request


def ranking_inputs(request: Request, attach: Attach, extremes: Extremes) -> Inputs:
    """Attach the tables of a request and write the canonical query of each input.

    Raises:
        InputError: a table or column is missing, or of a type that cannot be used.
    """
    tables = RankingTables(request, attach)
    ids = RankingIds(tables, extremes)
    predictions = RankingPredictions(tables, ids, request.positions)
    queries = _queries(tables, ids, predictions, request.needs_truth)
    attributes = _attributes(request, tables, ids)
    if attributes.query is not None:
        queries["attributes"] = attributes.query
    names = _names(request, tables, ids, predictions)
    return Inputs(
        queries=queries,
        labels=tables.labels,
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
        wide_scores=predictions.has_wide_scores(),
        runs=predictions.all_runs,
        leftovers=predictions.leftovers(column for key, column in names.items() if key != "predictions.run"),
        text_ids=ids.of_text,
        catalog_columns=tuple(tables.extra[ITEMS].source.all_columns) if ITEMS in tables.extra else (),
        has_truth=tables.truth is not None or request.needs_truth or has_labels(tables),
    )


def _queries(
    tables: RankingTables, ids: RankingIds, predictions: RankingPredictions, needed: bool
) -> dict[str, exp.Query]:
    """Write the canonical query of each input but the attributes.

    Args:
        needed: whether there must be a truth.
    """
    queries = {"predictions": predictions.query(), "truth": truth_query(tables, ids, needed)}
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
    return names


@dataclass(frozen=True)
class _Attributes:
    """The attributes of the queries by which results are split or grouped.

    Attributes:
        by: the groupings, in the user's spelling of the columns.
        role: the tables that the attributes come from.
        query: one row per query with the attributes.
    """

    by: tuple[tuple[str, ...], ...]
    cluster: str | None = None
    role: str | None = None
    query: exp.Query | None = None


def _attributes(request: Request, tables: RankingTables, ids: RankingIds) -> _Attributes:
    """Find the tables that have all attributes that the caller asks for.

    Raises:
        InputError: there is no such table.
    """
    wanted = tables.asked
    if not wanted:
        return _Attributes(request.by)
    candidates = _candidates(tables)
    for role, of_role in candidates:
        having = [table for table in of_role if not _lacking(request, table, wanted)]
        if having:
            known = {
                name: name if name in request.computed else having[0].source.find(name) or name
                for name in wanted
            }
            by = (tuple(dict.fromkeys(known[name] for name in grouping)) for grouping in request.by)
            cluster = known[tables.cluster] if tables.cluster else None
            query = _attributes_query(request, having, ids, list(dict.fromkeys(known.values())))
            return _Attributes(tuple(dict.fromkeys(by)), cluster, role, query)
    asked = "by" if request.by else "cluster"
    found = {column: None for _, of_role in candidates for t in of_role for column in t.source.all_columns}
    needed = dict.fromkeys(
        c for _, of_role in candidates for t in of_role for c in _lacking(request, t, wanted)
    )
    missing = [n for n in needed if not any(n.lower() == c.lower() for c in found)]
    lacks = f"a column {', '.join(map(repr, missing))}" if missing else f"all of {', '.join(wanted)}"
    usual = "give the attributes of the queries with queries= (--queries)"
    raise InputError(
        asked,
        f"no table has {lacks}; found {', '.join(found)}",
        advice_without(missing, suggestion("".join(missing), found, usual)),
    )


def _lacking(request: Request, table: Table, wanted: Sequence[str]) -> list[str]:
    """Return the columns that a table does not have, of all that attributes need."""
    return [column for name in wanted for column in lacking(table.source, name, request.computed)]


def _candidates(tables: RankingTables) -> list[tuple[str, Sequence[Table]]]:
    """List the tables that may have the attributes: those of queries alone, if they are given."""
    if "queries" in tables.extra:
        return [("queries", [tables.extra["queries"]])]
    judged: list[tuple[str, Sequence[Table]]] = []
    if tables.truth is not None:
        judged.append(("truth", [tables.truth]))
    return [*judged, ("predictions", tables.predictions)]


def _attributes_query(
    request: Request, tables: Sequence[Table], ids: RankingIds, wanted: Sequence[str]
) -> exp.Query:
    return stacked(
        selected(table.source, {
            "query_id": ids.query_id(table),
            **{name: attribute(table.source, name, request.computed) or quoted(name) for name in wanted},
        })
        for table in tables
    )  # fmt: skip
