"""A metric over two tables: the queries that count, and the value of a query without an answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from duckmetrics.reference import categories, popularity, propensity, ranking, versions
from duckmetrics.reference.choice import choose
from duckmetrics.reference.extra_tables import ExtraTables, asked_for
from duckmetrics.reference.query import Id, Query, is_relevant
from duckmetrics.reference.switches import Switches
from duckmetrics.reference.tables import (
    Judgment,
    Judgments,
    Lists,
    Prediction,
    judgments,
    of_returned_rows,
    ranked_lists,
    rows_of_truth,
)

Key: TypeAlias = tuple[str, Id]  # system, query_id
Metric: TypeAlias = Callable[..., float | None]

BEYOND_ACCURACY: Mapping[str, Metric] = {
    name: getattr(module, name)
    for module in (popularity, propensity, categories, versions)
    for name in module.__all__
}
METRICS: Mapping[str, Metric] = {
    **{name: getattr(ranking, name) for name in ranking.__all__},
    **BEYOND_ACCURACY,
}
# These describe a list, so they need no relevant item, and have no value without a list.
OF_LISTS = tuple(
    name for name, metric in BEYOND_ACCURACY.items() if "rel" not in inspect.signature(metric).parameters
)
NO_RELEVANT: Mapping[str, float | None] = {"keep": None, "null": None, "zero": 0.0, "one": 1.0}
# These look at the other items too, or at no ranks.
WITHOUT_RANKS = (
    "bpref", "infap", "judged", "n_relevant", "n_returned", "query_auc", "user_coverage", *BEYOND_ACCURACY
)  # fmt: skip
# These have a value where nothing is relevant.
KEPT = ("judged", "n_relevant", "n_returned", "user_coverage", *OF_LISTS)
MISSING: Mapping[str, float | None] = {"zero": 0.0, "skip": None, "undefined": None}


class Status(NamedTuple):
    """Reasons why a query of the population is not measured; both may hold."""

    missing: bool  # the system returned no row for it
    no_relevant: bool  # nothing in it is relevant for this metric


def per_query(
    name: str,
    predictions: Iterable[Prediction],
    truth: Iterable[Judgment] | None = None,
    *,
    systems: Sequence[str] | None = None,
    empty: Iterable[Key] = (),
    metric: Metric | None = None,
    **params: Any,
) -> dict[Key, float | None]:
    """Return the value of a ranking metric for every (system, query of the population).

    params: the metric's own (`METRICS`), the switches (`Switches`) and further tables (`ExtraTables`).
    systems: further systems, which may have no rows at all. empty: queries that a system answered with
    an empty list. Without a truth, the population is the queries of the predictions. metric: the function
    of a metric that is not one of `METRICS`.
    """
    extra, others = ExtraTables.split(params)
    function = choose(METRICS, name) if metric is None else metric
    switches, own = _parameters(name, _without_truth(others, truth), function)
    truth = list(truth or ())
    tables_of = extra.of(function, judgments(truth, switches), switches)
    return {
        key: _value(name, query, tables_of, _status(name, query, missing, own), switches, own, function)
        for key, query, missing in _queries(predictions, truth, systems or (), switches, empty)
    }


def status(
    name: str,
    predictions: Iterable[Prediction],
    truth: Iterable[Judgment] | None = None,
    *,
    systems: Sequence[str] | None = None,
    **params: Any,
) -> dict[Key, Status]:
    """Return for the keys of `per_query` whether the query is missing, or has no relevant item."""
    _, others = ExtraTables.split(params)
    switches, own = _parameters(name, _without_truth(others, truth), choose(METRICS, name))
    return {
        key: _status(name, query, missing, own)
        for key, query, missing in _queries(predictions, truth or (), systems or (), switches)
    }


def _without_truth(params: dict[str, Any], truth: Iterable[Judgment] | None) -> dict[str, Any]:
    return {"population": "predictions", **params} if truth is None else params


def _parameters(name: str, params: dict[str, Any], metric: Metric) -> tuple[Switches, dict[str, Any]]:
    switches, own = Switches.split(params)
    signature = inspect.signature(metric)
    if "ties" in signature.parameters:
        own["ties"] = switches.ties
    elif switches.ties == "expected":
        raise ValueError(f"{name} has no ties='expected'; its mean over all orders has no formula here")
    if switches.catalog_size is not None and (name in WITHOUT_RANKS or switches.ties == "expected"):
        raise ValueError(f"{name}, ties={switches.ties!r}: needs more than the rank of the relevant item")
    complete = signature.bind(None, *asked_for(metric), **own)
    complete.apply_defaults()
    return switches, dict(complete.kwargs)


def _queries(
    predictions: Iterable[Prediction],
    truth: Iterable[Judgment],
    systems: Sequence[str],
    switches: Switches,
    empty: Iterable[Key] = (),
) -> Iterator[tuple[Key, Query, bool]]:
    truth = list(truth)
    in_truth = judged = judgments(truth, switches)
    rows = rows_of_truth(truth)
    if switches.labels == "returned":
        predictions = list(predictions)
        judged = of_returned_rows(predictions, in_truth)
    lists = ranked_lists(predictions, judged, switches)
    for answered in empty:
        lists.setdefault(answered, [])
    every_system = dict.fromkeys([*systems, *(system for system, _ in lists)])
    for query_id in population_of(switches.population, in_truth, lists, every_system):
        for system in every_system:
            key = system, query_id
            query = Query(lists.get(key, []), judged.get(query_id, {}), query_id, rows.get(query_id, ()))
            yield key, query, key not in lists


def population_of(
    population: str | Sequence[Id], judged: Judgments, lists: Lists, systems: Iterable[str]
) -> list[Id]:
    """Return the queries that count: those of a switch, or a given list."""
    if not isinstance(population, str):
        return list(population)
    answered = dict.fromkeys(query_id for _, query_id in lists)
    by_all = [query_id for query_id in judged if all((s, query_id) in lists for s in systems)]
    return choose({"truth": list(judged), "predictions": list(answered), "both": by_all}, population)


def _status(name: str, query: Query, missing: bool, own: Mapping[str, Any]) -> Status:
    """Judge a query by what the metric calls relevant: a grade > 0 where the grade is the gain."""
    if name in KEPT or own.get("relevance") == "none":
        return Status(missing, no_relevant=False)
    rel = own.get("rel") if own.get("gain", "binary") == "binary" else None
    found = query.relevant_count(rel) > 0
    if own.get("ideal") == "returned" and not missing:
        found = any(is_relevant(row.grade, rel) for row in query.rows)
    return Status(missing, not found)


def _value(
    name: str,
    query: Query,
    tables_of: Callable[[Id], list[Any]],
    state: Status,
    switches: Switches,
    own: Mapping[str, Any],
    metric: Metric,
) -> float | None:
    """Return the value of a query: missing comes before no_relevant; either may leave the query out.

    The number of relevant items is that of the truth, whether the query is answered or not.
    """
    if name == "first_rank" and (state.missing or state.no_relevant):
        return None
    if name in OF_LISTS and state.missing:
        return None
    if state.no_relevant and NO_RELEVANT[switches.no_relevant] is None:
        return None
    if state.missing and not (name == "n_relevant" and switches.missing != "skip"):
        return MISSING[switches.missing]
    if state.no_relevant:
        return NO_RELEVANT[switches.no_relevant]
    return metric(query, *tables_of(query.query_id), **own)
