"""A metric of all lists of a system over its tables: the lists that count, and the further tables."""

from __future__ import annotations

import inspect
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.reference import exposure
from duckmetrics.reference.choice import choose
from duckmetrics.reference.extra_tables import ExtraTables, asked_for
from duckmetrics.reference.history import History
from duckmetrics.reference.policies import population_of
from duckmetrics.reference.query import Query
from duckmetrics.reference.switches import Switches
from duckmetrics.reference.tables import judgments, of_returned_rows, ranked_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from duckmetrics.reference.query import Id
    from duckmetrics.reference.tables import Judgment, Prediction

METRICS: Mapping[str, Callable[..., float | None]] = {
    name: getattr(exposure, name) for name in exposure.__all__
}


def per_system(
    name: str,
    predictions: Iterable[Prediction],
    truth: Iterable[Judgment] | None = None,
    *,
    queries: Collection[Id] | None = None,
    **params: Any,
) -> dict[str, float | None]:
    """Return the value of every system with an answer to one of the queries that count.

    params: as for `per_query`. queries: those of a slice; None for all.
    """
    extra, others = ExtraTables.split(params)
    if truth is None:
        others = {"population": "predictions", **others}
    switches, own = Switches.split(others)
    predictions = list(predictions)
    found: dict[str, dict[Id, Query]] = defaultdict(dict)
    for (system, query_id), query in _lists(predictions, list(truth or ()), switches).items():
        if queries is None or query_id in queries:
            found[system][query_id] = query
    metric = choose(METRICS, name)
    tables = _tables(extra, asked_for(metric), switches)
    keywords = {n: value for n, value in own.items() if n in inspect.signature(metric).parameters}
    return {system: metric(lists, *tables, **keywords) for system, lists in found.items()}


def _lists(
    predictions: list[Prediction], truth: list[Judgment], switches: Switches
) -> dict[tuple[str, Id], Query]:
    """Return the lists of the queries of the population."""
    in_truth = judged = judgments(truth, switches)
    if switches.labels == "returned":
        judged = of_returned_rows(predictions, in_truth)
    ranked = ranked_lists(predictions, judged, switches)
    counted = population_of(switches.population, in_truth, ranked, dict.fromkeys(s for s, _ in ranked))
    return {
        (system, query_id): Query(rows, judged.get(query_id, {}), query_id)
        for (system, query_id), rows in ranked.items()
        if query_id in counted
    }


def _tables(extra: ExtraTables, asked: Collection[str], switches: Switches) -> list[Any]:
    """Return the tables that a metric asks for, in its order."""
    history = None if extra.history is None else History(list(extra.history))
    known = history.items if extra.catalog is None and history is not None else extra.catalog
    rows = [("", *row) for row in extra.reference or ()]
    plain = replace(switches, by_rank=extra.reference_by_rank, unjudged="nonrelevant")
    ranked = ranked_lists(rows, {}, plain)
    reference = {query_id: Query(own, {}, query_id) for (_, query_id), own in ranked.items()}
    tables = {"history": history, "catalog": known or (), "reference": reference}
    return [tables[name] for name in asked]
