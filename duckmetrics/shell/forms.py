"""The forms of a query that a macro can write, and the metrics that a call asks for.

A form leaves the switches open that change no step of the query, and settles the others at their defaults.
The open form leaves all of them open. A macro takes the shortest form that its arguments allow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.checks.examination import REACHING
from duckmetrics.compose.composer import LISTS, Composer
from duckmetrics.compose.optimizer import SORTED, TOP, depth_of
from duckmetrics.expressions.build import picked
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inference.system_summary import joined_values
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.shell.macro import BY_RANK, call, closure, without_with
from duckmetrics.shell.template import BETWEEN, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.shell.parameters import OfferedMetric


# Stands for the cut-off of a metric, which replaces it when the macro is called.
SOME_CUTOFF = 987654321
# What the row of a query has of each metric.
KINDS = ("value", "no_relevant", "undefined")
# The step with every query of every system, once in each slice that it belongs to.
IN_SLICES = "in_slices"


@dataclass(frozen=True)
class Form:
    """How a query is composed.

    Attributes:
        plan: how the ranks are found, see `optimizer.ranking_plan`.
        is_open: whether every switch is open.
        has_systems: whether the predictions are of several systems.
    """

    plan: str
    is_open: bool = False
    has_systems: bool = True

    @property
    def constants(self) -> dict[str, Value]:
        """The columns that are the same in every row."""
        return {} if self.has_systems else {"system": ONE_SYSTEM}


OPEN, SHALLOW, USUAL = Form(SORTED, is_open=True), Form(TOP), Form(SORTED)


@dataclass(frozen=True)
class Entry:
    """A metric with a cut-off, or without one.

    Attributes:
        closed: the parameters that are open in the open form only.
    """

    asked: OfferedMetric
    has_cutoff: bool
    closed: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        """Its names, with an @ at the end if a cut-off follows."""
        return tuple(f"{name}@" if self.has_cutoff else name for name in self.asked.names)

    def measure(self, form: Form) -> Measure:
        """Return the metric with the values that a form gives its parameters."""
        closed = frozenset[str]() if form.is_open else self.closed
        return settled(self.asked, closed, SOME_CUTOFF if self.has_cutoff else None)


def entries_of(catalog: Catalog, offered: Iterable[OfferedMetric]) -> Iterator[Entry]:
    """Yield every metric without a cut-off and, if it takes one, with a cut-off."""
    switches: dict[str, bool] = {}
    for asked in offered:
        closed = frozenset(_closed(catalog, asked, switches))
        for has_cutoff in (True, False) if asked.has_cutoff else (False,):
            yield Entry(asked, has_cutoff, closed)


def _closed(catalog: Catalog, asked: OfferedMetric, switches: dict[str, bool]) -> Iterator[str]:
    """Yield the parameters that change the steps of the query when they are open.

    Args:
        switches: the switches, which do the same for all metrics.
    """
    every = {p.name for p in asked.measure.declared if isinstance(asked.measure.values[p.name], Parameter)}
    every -= {CUTOFF, *(p.name for p in asked.measure.declared if p.required)}
    cutoffs = (SOME_CUTOFF, None) if asked.has_cutoff else (None,)
    usual = {k: _steps(catalog, settled(asked, every, k)) for k in cutoffs}
    for name in sorted(every):
        is_own = name in asked.measure.metric.own_params
        if is_own or name not in switches:
            others = every - {name}
            found = any(_steps(catalog, settled(asked, others, k)) != usual[k] for k in cutoffs)
            switches[name] = found or switches.get(name, False)
            if found:
                yield name
        elif switches[name]:
            yield name


def settled(asked: OfferedMetric, closed: Iterable[str], k: Value) -> Measure:
    """Return a metric with the defaults of the closed parameters and a cut-off."""
    one = asked.measure
    defaults = {p.name: p.default for p in one.declared if p.name in closed}
    values = {n: defaults.get(n, v) if isinstance(v, Parameter) else v for n, v in one.params}
    if asked.has_cutoff:
        values[CUTOFF] = k
    return replace(one, params=tuple(values.items()))


def _steps(catalog: Catalog, measure: Measure) -> list[str]:
    composer = Composer(catalog, {}, {}, {BY_RANK: Parameter(BY_RANK)})
    return [cte.alias for cte in composed_query(composer, [measure], SORTED)[0].ctes]


def composed_query(
    composer: Composer, measures: Sequence[Measure], plan: str
) -> tuple[exp.Select, list[dict[str, str]]]:
    """Return the query with a row per query, or per slice for metrics of all lists of a system.

    Returns: the query, and the columns of each measure in it: what they hold -> the name.
    """
    if measures[0].metric.is_of_systems:
        return _of_systems(composer, measures, plan)
    query, columns = composer.per_query(measures, plan)
    return query, [{kind: getattr(own, kind) for kind in KINDS} for own in columns]


def _of_systems(
    composer: Composer, measures: Sequence[Measure], plan: str
) -> tuple[exp.Select, list[dict[str, str]]]:
    """Write the step of the queries without slices; with slices, the macro puts another one in its place."""
    known: dict[str, Value] = {"depth": depth_of(measures), "plan": plan}
    queries = composer.relation("queries", measures[0].values)
    number = literal(0)
    whole = {"segment": number, "slice_number": number, "slice": literal(""), "attributes": exp.null()}
    one = picked(queries, "system", "query_id", "missing")
    listed = composer.step(IN_SLICES, one.select(*(value.as_(name) for name, value in whole.items())))
    composer.inputs[LISTS] = picked(listed, "system", "query_id", "segment").where("NOT missing")
    asked = [(measure.metric, {**measure.values, **known}) for measure in measures]
    query = joined_values(composer, asked, listed, ("system", *whole), exact=True)
    return query, [{"value": f"value_{i}"} for i, _ in enumerate(measures)]


class Composed:
    """Metrics composed in one form: the steps, and what belongs to each metric."""

    def __init__(self, catalog: Catalog, entries: Sequence[Entry], form: Form) -> None:
        self.form = form
        self.entries = [e for e in entries if e.has_cutoff or form.plan != TOP]
        self.measures = [entry.measure(form) for entry in self.entries]
        composer = Composer(catalog, {}, form.constants, {BY_RANK: Parameter(BY_RANK)})
        query, self.columns = composed_query(composer, self.measures, form.plan)
        outer, steps = without_with(query)
        self.outer = cast("exp.Select", outer)
        self.steps: dict[str, exp.Query] = dict(steps)
        self.blocks = [block.name for block in composer.blocks if block.name in self.steps]

    @cached_property
    def values(self) -> list[dict[str, exp.Expr]]:
        """The columns of each metric in the row of a query, or of a slice: the value, and the other kinds."""
        known = {p.alias: p.unalias() for p in self.outer.selects}
        return [{kind: known[name] for kind, name in columns.items()} for columns in self.columns]

    @cached_property
    def aggregates(self) -> list[dict[str, dict[str, exp.Expr]]]:
        """The columns of each metric in the aggregates: block -> column -> aggregate."""
        known = {b: {p.alias: p.unalias() for p in self.steps[b].selects} for b in self.blocks}
        found = []
        for values in self.values:
            read = dict.fromkeys(
                (c.table, c.name) for value in values.values() for c in value.find_all(exp.Column)
                if c.table in known
            )  # fmt: skip
            found.append({b: {n: known[b][n] for t, n in read if t == b} for b in self.blocks})
        return found

    @cached_property
    def needed(self) -> list[set[str]]:
        """The steps that each metric needs."""
        first = self.outer.args["from_"].this.name
        return [
            closure(self.steps, {first, *(c.table for v in values.values() for c in v.find_all(exp.Column))})
            for values in self.values
        ]

    @property
    def joins(self) -> dict[str, exp.Join]:
        """The joins of the outer query by the step that they read."""
        return {join.this.name: join for join in self.outer.args.get("joins") or []}

    def keys(self) -> Mapping[str, exp.Expr]:
        """Return the columns of the row of a query that belong to no metric."""
        own = {name for columns in self.columns for name in columns.values()}
        return {p.alias_or_name: p for p in self.outer.selects if p.alias_or_name not in own}

    @property
    def reach(self) -> dict[str, Value]:
        """The parameters of checks that need not look at rows below the deepest rank."""
        if self.form.plan != TOP:
            return {}
        return {REACHING: True, "plan": TOP, "depth": depth_of(self.measures)}


@dataclass(frozen=True)
class AskedMetrics:
    """Expressions of the metrics asked for: a list of them, or one text with commas.

    Attributes:
        entries: the metrics that can be asked for.
        given: the argument.
    """

    catalog: Catalog
    entries: Sequence[Entry]
    given: exp.Expr

    @property
    def metrics(self) -> exp.Expr:
        """The texts of the metrics, as they are given."""
        return self.given.copy()

    @property
    def asked(self) -> exp.Expr:
        """The texts of the metrics, a list."""
        return call(self.catalog, "asked_metrics", self.metrics)

    @property
    def names(self) -> exp.Expr:
        """The names of the metrics that can be asked for, as `pieces.sql` reads them."""
        return literal(BETWEEN.join(f"|{'|'.join(entry.names)}|" for entry in self.entries))

    @property
    def can_be_written(self) -> exp.Expr:
        """The condition that all metrics are known and their cut-offs can be read."""
        return call(self.catalog, "can_be_written", self.asked, self.names)

    @property
    def deepest(self) -> exp.Expr:
        """The largest cut-off, NULL if one metric has none."""
        return call(self.catalog, "usual_depth", self.asked)

    @property
    def largest(self) -> exp.Expr:
        """The largest cut-off that there is."""
        cutoffs = call(self.catalog, "all_cutoffs", self.metrics)
        return exp.Anonymous(this="list_max", expressions=[cutoffs])

    def pieces(self, texts: Sequence[str]) -> exp.Expr:
        """Return the texts of the metrics asked for, a list.

        Args:
            texts: one for every entry.
        """
        return call(self.catalog, "pieces", self.asked, self.names, listed(texts))
