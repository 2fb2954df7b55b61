"""Macros of rankings: those that compute any list of metrics, and one for every metric."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.measure import AGGREGATION, CORRECTED, CUTOFF, DEFAULT_AGGREGATION, parameter_of
from duckmetrics.catalog.presets import presets
from duckmetrics.compose.composer import needs_truth
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inference.adjustment import HOLM
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.ranking import MEANINGS
from duckmetrics.shell.comparison_results import (
    ADJUST,
    ALLOW,
    ALWAYS_VALID,
    BASELINE,
    NAMED_TEST,
    NUMBERS_GIVEN,
    PLANNED,
    TEST,
    ComparisonAnswer,
)
from duckmetrics.shell.forms import AskedMetrics, entries_of, settled
from duckmetrics.shell.macro import FUNCTIONS, Argument, Call, Macro, Overload, Written, call, reference
from duckmetrics.shell.own_columns import OwnColumns
from duckmetrics.shell.parameters import Offer, aliases_of, is_listed
from duckmetrics.shell.query import METRICS, NAMES_RUNS, SOURCE, SYSTEM
from duckmetrics.shell.ranking_call import BY, LIKE, QUERIES, RankingCall, SideTable, SideTables
from duckmetrics.shell.ranking_query import Answer, ByQuery, likeness_of, ranking_body, tool_entries
from duckmetrics.shell.ranking_rows import ASKED_ROWS, METRICS_ASKED
from duckmetrics.shell.ranking_steps import POPULATION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Alias, Catalog
    from duckmetrics.expressions.folding import Value
    from duckmetrics.shell.forms import Entry
    from duckmetrics.shell.parameters import OfferedMetric


TABLES = (Argument("predictions", required=True), Argument("truth", required=True))
# The tables of a metric that does not depend on relevant items.
NO_TRUTH = "the judged items; if there are none, the predictions of one system again"
UNJUDGED = (TABLES[0], Argument("truth", required=True, meanings={"": NO_TRUTH}))
SLICES = (
    Argument(SYSTEM, meanings={"": "the name of the column that distinguishes systems"}),
    Argument(BY, meanings={"": "the names of the columns to split the results by"}),
    Argument(QUERIES, meanings={"": "a table of the queries, with columns to split the results by"}),
)
WEIGHED = Argument(WEIGHT, meanings={"": "the column of how much a query counts, of the same tables"})
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
    others = {
        name: alias for (family, name), alias in catalog.names.items()
        if family == RANKING and not is_listed(alias.metric)
    }  # fmt: skip
    listed, *further = (
        _Group(catalog, name, aliases)
        for name, aliases in (
            ("metrics", aliases_of(catalog, RANKING)),
            ("side_metrics", {n: a for n, a in others.items() if not a.metric.is_of_systems}),
            ("system_metrics", {n: a for n, a in others.items() if a.metric.is_of_systems}),
        )
        if aliases
    )
    yield tool_entries(catalog, [group.offer for group in (listed, *further)])
    yield listed.computes
    yield (evaluate := listed.answer("evaluate", "Several metrics, from one scan"))
    yield ByQuery(listed.call(), listed.computes).macro(
        "evaluate_by_query", "Values of several metrics for every query"
    )
    yield _compare(catalog, listed)
    answers = [evaluate]
    for group in further:
        yield group.computes
        yield (answer := group.answer(f"{FUNCTIONS}evaluate_{group.name}", ""))
        answers.append(answer)
    for group, answer in zip((listed, *further), answers, strict=True):
        for asked in group.offer.asked:
            for name in asked.names:
                if name in names:
                    yield group.of_metric(asked, name, names[name], answer)


class _Group:
    """Metrics that one macro computes.

    Args:
        name: the last part of the name of that macro.
        aliases: the metrics, by name and alias.
    """

    def __init__(self, catalog: Catalog, name: str, aliases: Mapping[str, Alias]) -> None:
        self.catalog, self.name = catalog, name
        # Samples of candidates are rare, and their checks would be in every macro.
        settled: dict[str, Value] = {parameter_of(catalog, CORRECTED): None}
        word = call(catalog, "population_word", reference(POPULATION))
        self.offer = Offer(catalog, aliases, settled, {POPULATION: word})
        self.values = self.offer.values()
        self.entries = list(entries_of(catalog, self.offer.asked))
        self.of_systems = self.offer.asked[0].measure.metric.is_of_systems
        self.slices = SLICES if self.of_systems else (*SLICES, WEIGHED)
        self.side = None
        self.tables: tuple[Argument, ...] = ()
        self.columns = columns_of_tables(catalog)
        if not is_listed(self.offer.asked[0].measure.metric):
            tables = [self._side_table(entry.asked) for entry in self.entries]
            self.side = SideTables(catalog, tables, self.columns)
            self.tables = tuple(Argument(name) for name in MEANINGS)
            self.columns = self.side.columns
        self.aggregation = () if self.of_systems else (
            Argument(AGGREGATION, DEFAULT_AGGREGATION, meanings=AGGREGATED),
        )  # fmt: skip
        tools = sorted(name for name, tool in presets().items() if RANKING in tool.families)
        self.like = Argument(LIKE, None, choices=tuple(tools))
        taken = (
            *TABLES, METRICS_ASKED, ASKED_ROWS, *self.slices, *self.tables, *self.offer.arguments, self.like,
            *self.aggregation, *self.columns, *_of_comparison(catalog),
        )  # fmt: skip
        self.own = OwnColumns(catalog, self.offer.asked, [argument.name for argument in taken])

    @cached_property
    def computes(self) -> Macro:
        """The macro that computes the metrics, all with the same arguments."""
        arguments = (
            *TABLES, METRICS_ASKED, ASKED_ROWS, *self.slices, *self.tables, *self.offer.arguments,
            Argument(LIKE), *self.aggregation, *self.columns, *self.own.arguments(),
        )  # fmt: skip
        of = self._call(self.entries, arguments)
        return Macro(f"{FUNCTIONS}{self.name}", (Overload(arguments, Written(lambda: ranking_body(of))),), "")

    def call(
        self, *own: Argument, aggregation: tuple[Argument, ...] = (), entries: Sequence[Entry] = ()
    ) -> RankingCall:
        """Return what a macro that people call reads.

        Args:
            own: further arguments, among the slices.
            aggregation: the argument for the aggregation, if it takes one.
            entries: the metrics that it takes, all by default.
        """
        arguments = (
            *TABLES, METRICS_ASKED, *(own or self.slices), *self.tables, *self.opened, self.like,
            *aggregation, *self.columns, *self.own.arguments(),
        )  # fmt: skip
        return self._call(entries or self.entries, arguments)

    def _call(self, entries: Sequence[Entry], arguments: Sequence[Argument]) -> RankingCall:
        asked = AskedMetrics(self.catalog, entries, reference(METRICS))
        return RankingCall(self.catalog, self.offer, entries, asked, arguments, self.own, self.side)

    @property
    def opened(self) -> tuple[Argument, ...]:
        """The parameters of the metrics: NULL stands for the value of a tool, or else the default."""
        return tuple(_opened(argument) for argument in self.offer.arguments)

    def answer(self, name: str, title: str) -> Macro:
        """Return the macro of the means of any of the metrics."""
        of = self.call(aggregation=self.aggregation)
        return Answer(of, self.computes, is_alone=self.side is not None).macro(name, title)

    def of_metric(self, asked: OfferedMetric, name: str, macro: str, answer: Macro) -> Macro:
        """Return the macro of one metric; its k may be a list."""
        metric = asked.measure.metric
        k = reference(CUTOFF) if asked.has_cutoff else exp.null()
        side = self._side_table(asked) if self.side else None
        needs_no_truth = side is not None and not needs_truth(self.catalog, [side.measure])
        aggregated = tuple(replace(a, default=asked.agg or a.default) for a in self.aggregation)
        params = self.offer.arguments_of(asked)
        tools = likeness_of(self.catalog, self.offer, asked).entries
        arguments = (
            *(UNJUDGED if needs_no_truth else TABLES), *(a if a.required else _opened(a) for a in params),
            *(side.arguments if side else ()), *self.slices,
            *([replace(self.like, choices=tuple(tools))] if tools else ()),
            *aggregated, *(side.columns(columns_of_tables(self.catalog)) if side else self.columns),
            *self.own.arguments(asked),
        )  # fmt: skip
        passed: dict[str, exp.Expr] = {METRICS: call(self.catalog, "one_metric", literal(name), k)}
        if asked.agg is not None:
            passed[AGGREGATION] = literal(DEFAULT_AGGREGATION)  # the name of the metric binds its own
        if self.side is not None and side is not None:
            renamed = self.side.renamed
            # The column of that name is no parameter of the metric.
            passed |= {name: exp.null() for name in renamed if name not in side.values}
            passed |= {renamed[n]: reference(side.renamed.get(n, n)) for n in renamed
                       if any(a.name == side.renamed.get(n, n) for a in arguments)}  # fmt: skip
        return Macro(macro, (Overload(arguments, Call(answer, passed)),), metric.title, metric)

    def _side_table(self, asked: OfferedMetric) -> SideTable:
        """Return the tables next to predictions and truth that a metric reads."""
        usual = settled(asked, [p.name for p in asked.measure.declared if not p.required], None)
        values = {p.name: self._value(asked, p.name) for p in asked.measure.declared}
        return SideTable(self.catalog, usual, asked.names, values)

    def _value(self, asked: OfferedMetric, name: str) -> exp.Expr:
        """Return the value of a parameter of a metric in a call."""
        value = asked.measure.values[name]
        return self.values[value.name] if isinstance(value, Parameter) else literal(value)


def _opened(argument: Argument) -> Argument:
    return replace(argument, default=None, usual=argument.default)


def _compare(catalog: Catalog, group: _Group) -> Macro:
    """Return the macro that compares systems with a baseline."""
    means = [entry for entry in group.entries if entry.asked.agg in (None, DEFAULT_AGGREGATION)]
    of = group.call(*_of_comparison(catalog), entries=means)
    return ComparisonAnswer(of, group.computes).macro("compare", "Systems next to a baseline, with tests")


def _of_comparison(catalog: Catalog) -> tuple[Argument, ...]:
    """Return the arguments of a comparison in the place of those of slices."""
    declared = catalog.statistics[TEST].own_params
    return (
        Argument(SYSTEM, is_needed=True, meanings={"": "the column that identifies the system"}),
        Argument(BASELINE, is_needed=True, meanings={"": "the system that the others are compared with"}),
        *SLICES[1:],
        *(Argument(name, declared[name].default) for name in NUMBERS_GIVEN),
        Argument(ADJUST, HOLM), Argument(ALLOW, False), Argument(NAMED_TEST, TEST, meanings=TESTS),
        Argument(PLANNED, catalog.statistics[ALWAYS_VALID].own_params[PLANNED].default, meanings=PLANS),
    )  # fmt: skip


def columns_of_tables(catalog: Catalog) -> tuple[Argument, ...]:
    """Return the parameters for the names of the user's columns."""
    found = {}
    for name in ("predictions", "truth"):
        for param in catalog.shell[name].own_params.values():
            if param.name not in (SOURCE, SYSTEM, NAMES_RUNS):
                meanings = {"": COLUMNS[param.name]}
                found[param.name] = Argument(param.name, param.default, meanings=meanings)
    return tuple(found.values())
