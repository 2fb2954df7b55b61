"""The canonical inputs of one evaluation of rankings, put together from the tables a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.column_types import NUMBER
from duckmetrics.inputs.columns import WEIGHT, selected
from duckmetrics.inputs.inputs import ITEMS, REFERENCE, Inputs
from duckmetrics.inputs.slices import columns_in
from duckmetrics.inputs.systems import ONE_SYSTEM, Attach
from duckmetrics.ranking_inputs.attributes import Attributes
from duckmetrics.ranking_inputs.cuts import CUTS, TIME, cuts, time_column
from duckmetrics.ranking_inputs.predictions import RankingPredictions
from duckmetrics.ranking_inputs.side_tables import OF_COLUMNS, side_queries
from duckmetrics.ranking_inputs.tables import Extremes, RankingIds, RankingTables
from duckmetrics.ranking_inputs.truth import (
    has_labels,
    require_truth,
    truth_query,
    unread_grade,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.inputs.request import Request


def ranking_inputs(catalog: Catalog, request: Request, attach: Attach, extremes: Extremes) -> Inputs:
    """Attach the tables of a request and write the canonical query of each input.

    Raises:
        InputError: a table or column is missing, or of a type that cannot be used.
    """
    tables = RankingTables(request, attach)
    require_truth(tables, request)
    ids = RankingIds(tables, extremes)
    predictions = RankingPredictions(tables, ids, request.positions)
    queries = _queries(tables, ids, predictions, request)
    times, by_day = cuts(tables, ids)
    queries |= {} if times is None else {CUTS: times}
    has_truth = tables.truth is not None or request.needs_truth or has_labels(tables)
    attributes = Attributes(catalog, request, tables, ids).found(queries, has_truth)
    if attributes.query is not None:
        queries["attributes"] = attributes.query
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
        "truth": truth_query(tables, ids, request.needs_truth, request.truth_reader),
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
    """Yield the columns of weights, which rankings do not read, unless they are used otherwise."""
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
