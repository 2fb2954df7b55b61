"""Macros of rankings: those that compute any list of metrics, and one for every metric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.facts import CORRECTED, parameter_of
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.compose.reading import needs_truth
from duckmetrics.macro_queries.asked_for import OneMetric, SeveralMetrics
from duckmetrics.macro_queries.comparison_results import (
    ADJUST,
    ALLOW,
    ALWAYS_VALID,
    BASELINE,
    NAMED_TEST,
    NUMBERS_GIVEN,
    PLANNED,
    TEST,
    Compared,
    Comparison,
)
from duckmetrics.macro_queries.followed import CUTOFF_OF_QUERY, tool_entries
from duckmetrics.macro_queries.forms import CLOSED, entries_of
from duckmetrics.macro_queries.like import LIKE, Likeness
from duckmetrics.macro_queries.macro import FUNCTIONS, Argument, Macro, Overload, Written, reference
from duckmetrics.macro_queries.parameters import Offer, aliases_of, is_listed
from duckmetrics.macro_queries.query import METRICS, NAMES_RUNS, SOURCE, SYSTEM
from duckmetrics.macro_queries.ranking_call import BY, QUERIES, RankingCall
from duckmetrics.macro_queries.ranking_query import RankingQuery
from duckmetrics.macro_queries.ranking_results import ByQuery, Overall, Results
from duckmetrics.macro_queries.ranking_steps import POPULATION, RankingSteps
from duckmetrics.macro_queries.shell_files import call
from duckmetrics.macro_queries.side_tables import SideTables
from duckmetrics.macros.system_metrics import SystemResults, SystemSteps
from duckmetrics.presets.presets import presets
from duckmetrics.statistics.adjustment import HOLM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macro_queries.forms import Entry

TABLES = (Argument("predictions", required=True), Argument("truth", required=True))
# The tables of a metric that does not depend on relevant items.
NO_TRUTH = "the judged items; if there are none, the predictions of one system again"
UNJUDGED = (TABLES[0], Argument("truth", required=True, meanings={"": NO_TRUTH}))
SLICES = (
    Argument(SYSTEM, meanings={"": "the name of the column that distinguishes systems"}),
    Argument(BY, meanings={"": "the names of the columns to split the results by"}),
    Argument(QUERIES, meanings={"": "a table of the queries, with columns to split the results by"}),
)
# The macro of the values and means of metrics with the same arguments, for macros of several calls.
EACH_METRIC = f"{FUNCTIONS}each_metric"
TESTS = {"": "paired_t, or always_valid, whose p and intervals hold at every look at growing data"}
PLANS = {"": "with always_valid, the number of queries at which the intervals are the tightest"}
AGGREGATED = {"": "how the values of the queries are aggregated"}
COLUMNS = {
    "query_id": "the column of the query, in every table",
    "item_id": "the column of the item, in both tables",
    "score": "the column of the score; by default score, if there is one",
    "rank": "the column of the rank, if no score is given; by default rank, if there is one",
    "position": "the column of the order of the rows, for ties := 'input'",
    "relevance": "the column of the grade; by default relevance or label, otherwise every row has grade 1",
}


def ranking_macros(catalog: Catalog, names: Mapping[str, str]) -> Iterator[Macro]:
    """Yield every macro of rankings.

    Args:
        names: metric or alias -> the name of its macro, for those that have one.
    """
    aliases = aliases_of(catalog, RANKING)
    # Samples of candidates are rare, and their checks would be in every macro.
    settled: dict[str, Value] = {parameter_of(catalog, CORRECTED): None}
    word = call(catalog, "population_word", reference(POPULATION))
    offer = Offer(catalog, aliases, settled, {POPULATION: word})
    entries = list(entries_of(catalog, offer.asked))
    columns = columns_of_tables(catalog)
    shared = (*TABLES, Argument(METRICS, required=True), *SLICES, *offer.arguments)
    aggregated = Argument(AGGREGATION, DEFAULT_AGGREGATION, meanings=AGGREGATED)
    tools = sorted(name for name, tool in presets().items() if RANKING in tool.families)
    like = Argument(LIKE, None, choices=tuple(tools))
    several = SeveralMetrics(catalog, entries, reference(METRICS))
    yield tool_entries(catalog, offer)
    arguments = (*shared, like, *columns)
    query = RankingQuery(RankingCall(catalog, offer, entries, several, arguments), Compared)
    yield Macro(EACH_METRIC, (Overload(arguments, Written(query.body)),), "")
    lists: tuple[tuple[str, type[Results], tuple[Argument, ...], Mapping[str, str], str], ...] = (
        ("evaluate", Overall, (*shared, like, aggregated, *columns), names, "Several metrics, from one scan"),
        ("evaluate_by_query", ByQuery, (*shared, like, *columns), {"": EACH_METRIC},
         "Values of several metrics for every query"),
    )  # fmt: skip
    for name, results, arguments, called, title in lists:
        query = RankingQuery(RankingCall(catalog, offer, entries, several, arguments), results, called)
        yield Macro(name, (Overload(arguments, Written(query.body)),), title)
    means = [entry for entry in entries if entry.asked.agg in (None, DEFAULT_AGGREGATION)]
    yield _compare(catalog, offer, means, like, columns)
    yield from _of_metrics(catalog, offer, entries, names, columns)
    others = {name: catalog.names[RANKING, name] for name in names if name not in aliases}
    further = Offer(catalog, others, settled, offer.words)
    yield from _of_metrics(catalog, further, list(entries_of(catalog, further.asked)), names, columns)


def _of_metrics(
    catalog: Catalog,
    offer: Offer,
    entries: Sequence[Entry],
    names: Mapping[str, str],
    columns: Sequence[Argument],
) -> Iterator[Macro]:
    """Yield a macro for every metric of an offer that has one."""
    for asked in offer.asked:
        own = [entry for entry in entries if entry.asked is asked]
        for name in asked.names:
            if name in names:
                yield _of_metric(catalog, offer, own, name, names[name], columns)


def _compare(
    catalog: Catalog, offer: Offer, entries: Sequence[Entry], like: Argument, columns: Sequence[Argument]
) -> Macro:
    """Return the macro that compares systems with a baseline."""
    declared = catalog.statistics[TEST].own_params
    own = (
        Argument(SYSTEM, is_needed=True, meanings={"": "the column that identifies the system"}),
        Argument(BASELINE, is_needed=True, meanings={"": "the system that the others are compared with"}),
        *SLICES[1:],
        *(Argument(name, declared[name].default) for name in NUMBERS_GIVEN),
        Argument(ADJUST, HOLM), Argument(ALLOW, False), Argument(NAMED_TEST, TEST, meanings=TESTS),
        Argument(PLANNED, catalog.statistics[ALWAYS_VALID].own_params[PLANNED].default, meanings=PLANS),
    )  # fmt: skip
    arguments = (*TABLES, Argument(METRICS, required=True), *own, *offer.arguments, like, *columns)
    several = SeveralMetrics(catalog, entries, reference(METRICS))
    called = RankingCall(catalog, offer, entries, several, arguments)
    query = RankingQuery(called, Comparison, {"": EACH_METRIC})
    return Macro(
        "compare", (Overload(arguments, Written(query.body)),), "Systems next to a baseline, with tests"
    )


def _of_metric(
    catalog: Catalog,
    offer: Offer,
    entries: Sequence[Entry],
    name: str,
    macro: str,
    columns: Sequence[Argument],
) -> Macro:
    """Return the macro of one metric; its k may be a list."""
    asked = entries[0].asked
    metric = asked.measure.metric
    k = reference(CUTOFF) if asked.has_cutoff else exp.null()
    aggregated = () if metric.is_of_systems else (
        Argument(AGGREGATION, asked.agg or DEFAULT_AGGREGATION, meanings=AGGREGATED),
    )  # fmt: skip
    own = Offer(catalog, aliases_of(catalog, RANKING, asked.names), offer.settled, offer.words)
    params = offer.arguments_of(asked)
    likeness = Likeness(catalog, metric, params)
    like = (likeness.like,) if likeness.entries else ()
    usual = entries[0].measure(CLOSED[0])
    values = likeness.values(own.values()) if like else own.values()
    side = None if is_listed(metric) else SideTables(catalog, usual, {p.name: values[p.name] for p in params})
    tables = TABLES if side is None or needs_truth(catalog, [usual]) else UNJUDGED
    arguments = (
        *tables, *likeness.opened(params), *(side.arguments if side else ()), *SLICES, *like, *aggregated,
        *(side.columns(columns) if side else columns),
    )  # fmt: skip
    alone = [replace(entry, asked=own.asked[0]) for entry in entries]
    one = OneMetric(catalog, alone, name, k)
    called = RankingCall(catalog, own, alone, one, arguments, likeness if like else None, side)
    cutoffs = None
    if side is not None and called.composed(CLOSED[-1]).asks_deeper():
        # Steps depend on the cut-off. Those of the other metrics keep the ranks up to the largest one.
        cutoffs, called.asked_for = one, replace(one, k=exp.column(CUTOFF_OF_QUERY))
    written = (SystemResults, SystemSteps) if metric.is_of_systems else (Overall, RankingSteps)
    body = Written(RankingQuery(called, written[0], cutoffs=cutoffs, steps=written[1]).body)
    return Macro(macro, (Overload(arguments, body),), metric.title, metric)


def columns_of_tables(catalog: Catalog) -> tuple[Argument, ...]:
    """Return the parameters for the names of the user's columns."""
    found = {}
    for name in ("predictions", "truth"):
        for param in catalog.shell[name].own_params.values():
            if param.name not in (SOURCE, SYSTEM, NAMES_RUNS):
                meanings = {"": COLUMNS[param.name]}
                found[param.name] = Argument(param.name, param.default, meanings=meanings)
    return tuple(found.values())
