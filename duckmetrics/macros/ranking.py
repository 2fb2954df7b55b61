"""Macros of rankings: one that computes any list of metrics for every query, and those that call it.

The query is the one that the Python layer composes, its parameters left open; every step that asks
for the cut-off k is computed once for every cut-off asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.catalog.facts import CORRECTED, parameter_of
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, Value, bind, literal
from duckmetrics.macros.like import Likeness
from duckmetrics.macros.macro import (
    Argument,
    Call,
    Macro,
    Overload,
    given,
    reference,
)  # fmt: skip
from duckmetrics.macros.parameters import TABLE, Asked, Offer, aliases_of
from duckmetrics.macros.query import COUNTS, METRICS, SOURCE, Body, Steps, shown, tables_of_user, whole
from duckmetrics.macros.shell_files import BY_RANK, by_rank, call, is_null, query_of, source
from duckmetrics.macros.usual import CONSTANTS, DEPTH, POPULATION, Usual, plain_cutoffs, plain_list
from duckmetrics.summaries.ranking import shown_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition

REL, RELEVANT = "rel", "relevant"
VALUES, SUMMARY = "duckmetrics_query_values", "duckmetrics_summary"


def ranking_macros(catalog: Catalog, names: Mapping[str, str], only: Collection[str] = ()) -> Iterator[Macro]:
    """Yield every macro of rankings, each after those that it calls.

    Args:
        names: metric or alias -> the name of its macro, for those that have one.
        only: the metrics and aliases that are wanted; all of them if it is empty.
    """
    aliases = aliases_of(catalog, RANKING, only)
    # Samples of candidates are rare, and what checks them would be in every macro.
    settled: dict[str, Value] = {parameter_of(catalog, CORRECTED): None}
    offer = Offer(catalog, aliases, settled, {POPULATION: _population(catalog)})
    tables = Argument("predictions", required=True), Argument("truth", required=True)
    columns = columns_of_tables(catalog)
    shared = (*tables, Argument(METRICS, required=True), *offer.arguments)
    aggregated = Argument(AGGREGATION, DEFAULT_AGGREGATION)
    body = _Rankings(catalog, offer, (*shared, aggregated, *columns))
    yield (values := Macro(VALUES, (Overload((*shared, aggregated, *columns), body.query()),), ""))
    by_query = Call(
        values,
        {AGGREGATION: literal(DEFAULT_AGGREGATION)},
        ("query_id", "metric", "value", "missing", "no_relevant"),
    )
    usual = Usual(catalog, offer.asked)
    listed = call(catalog, "asked_metrics", reference(METRICS)), plain_list(usual.entries, reference(METRICS))
    chosen = usual.choice(*listed, offer.arguments, by_query)
    yield Macro("evaluate_by_query", (Overload((*shared, *columns), chosen),),
                "Values of several metrics for every query")  # fmt: skip
    every = (*shared, aggregated, *columns)
    yield (summary := Macro(SUMMARY, (Overload(every, body.summary(Call(values, {}))),), ""))
    overall = usual.choice(*listed, (*offer.arguments, aggregated), Call(summary, {}))
    yield (evaluate := Macro("evaluate", (Overload(every, overall),),
                             "Several metrics of one ranking, from one scan"))  # fmt: skip
    for asked in offer.asked:
        for name in asked.names:
            if name in names:
                yield _of_metric(catalog, offer, asked, evaluate, name, names[name], (tables, columns))


def _of_metric(
    catalog: Catalog,
    offer: Offer,
    asked: Asked,
    evaluate: Macro,
    name: str,
    macro: str,
    arguments: tuple[Sequence[Argument], Sequence[Argument]],
) -> Macro:
    """Return the macro of one metric; its k may be a list."""
    k = reference(CUTOFF) if asked.has_cutoff else exp.null()
    tables, columns = arguments
    aggregated = Argument(AGGREGATION, asked.agg or DEFAULT_AGGREGATION)
    metric = asked.measure.metric
    own = offer.arguments_of(asked)
    one = call(catalog, "one_metric", literal(name), k)
    called = Call(evaluate, {METRICS: one})
    usual = Usual(catalog, [asked])
    switches = [argument for argument in own if argument.name != CUTOFF]
    body = usual.choice(one, plain_cutoffs(k), (*switches, aggregated), called)
    plain = Overload((*tables, *own, aggregated, *columns), body)
    likeness = Likeness(catalog, metric, own)
    if not likeness.entries:
        return Macro(macro, (plain,), metric.title, metric)
    # Typed, so that DuckDB distinguishes it from a k without its name.
    like = replace(likeness.like, required=True, by_name=True, type="VARCHAR")
    passed = {**likeness.passed(), METRICS: one}
    liked = Call(evaluate, passed, where=likeness.can_be_followed)
    needed = [argument for argument in own if argument.required]
    opened = [argument for argument in likeness.opened(own) if not argument.required]
    by_tool = Overload((*tables, *needed, like, *opened, aggregated, *columns), liked)
    return Macro(macro, (plain, by_tool), metric.title, metric)


def _population(catalog: Catalog) -> exp.Expr:
    """Return the word given as population, or the word for a table if a table was given."""
    return call(catalog, "population_word", reference(POPULATION))


def columns_of_tables(catalog: Catalog) -> tuple[Argument, ...]:
    """Return the parameters for the names of the user's columns."""
    found = {}
    for name in ("predictions", "truth"):
        for param in catalog.shell[name].own_params.values():
            if param.name != SOURCE:
                found[param.name] = Argument(param.name, param.default)
    return tuple(found.values())


class _Rankings(Body):
    """The query of every metric of rankings, for every cut-off asked for."""

    def __init__(self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument]) -> None:
        composer = Composer(catalog, {}, CONSTANTS, {BY_RANK: Parameter(BY_RANK)})
        query, self.columns = composer.per_query([one.measure for one in offer.asked])
        super().__init__(catalog, offer, arguments, query)
        self.blocks = [block.name for block in composer.blocks if block.name in self.steps]
        self._share_relevant()
        self.only_where_asked([(c.value, c.no_relevant, c.undefined) for c in self.columns])
        self._per_cutoff()
        self.values = {**offer.values(), **self._of_cutoffs(), BY_RANK: by_rank()}

    def internal(self) -> dict[str, exp.Expr]:
        return {BY_RANK: by_rank()}

    def columns_of(self, one: Asked) -> dict[str, Value | exp.Expr]:
        agg = reference(AGGREGATION) if one.agg is None else literal(one.agg)
        return {**super().columns_of(one), AGGREGATION: exp.cast(agg, "VARCHAR")}

    def query(self) -> exp.Query:
        """Return one row for every metric, cut-off and query, after all checks pass."""
        steps: Steps = [
            *self.specs(), ("cutoffs", exp.select(CUTOFF).distinct().from_("specs")),
            *self.steps.items(), ("per_query", self.outer), ("query_values", self._query_values()),
            ("aggregations", self._aggregations()),
            *self.checked(CONSTANTS, "bad_metrics", "bad_aggregations", "no_rows", "no_order", "mixed_ids"),
        ]  # fmt: skip
        written = [(name, cast("exp.Query", given(step, self.values))) for name, step in steps]
        return whole(self.catalog, self.shell("checked_values"), [*self._inputs(), *written])

    def summary(self, values: Call) -> exp.Query:
        """Return one row for every metric and cut-off asked for."""
        value, why = shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))
        columns = {"metric": exp.column("metric"), CUTOFF: exp.column(CUTOFF), "value": value,
                   **{name: exp.column(name) for name in COUNTS}, "reason": why}  # fmt: skip
        steps = [*self.specs(), ("query_values", values.query(self.arguments)), ("counted", self._counted()),
                 ("placed", self._placed()), ("summary", self.shell("summary"))]  # fmt: skip
        query = exp.select(*(e.as_(n) for n, e in columns.items())).from_("summary")
        return shown(whole(self.catalog, query.order_by(exp.column("segment")), steps))

    def _of_cutoffs(self) -> dict[str, exp.Expr]:
        """Return the values of ``$k`` and of the depth of the ranking outside of the blocks."""
        cutoffs = call(self.catalog, "all_cutoffs", reference(METRICS))
        deepest = call(self.catalog, "deepest", cutoffs)
        largest = exp.Anonymous(this="list_max", expressions=[cutoffs.copy()])
        return {CUTOFF: largest, DEPTH: self._depth(deepest)}

    def _depth(self, deepest: exp.Expr) -> exp.Expr:
        """Return the deepest rank that a metric asked for looks at; NULL for all ranks."""
        unlimited: dict[exp.Expr, list[Asked]] = {}
        for one in self.asked:
            text = one.measure.metric.header.get("depth")
            if text != CUTOFF:
                tree = exp.null() if text is None else sqlglot.parse_one(text, dialect=DIALECT)
                unlimited.setdefault(bind(tree, one.measure.values, exp.Column), []).append(one)
        shallow = exp.Case()
        for tree, metrics in unlimited.items():
            depth = given(exp.paren(tree.copy()), {**self.offer.values(), CUTOFF: deepest})
            every = exp.and_(self.is_asked(metrics), is_null(depth))
            shallow = shallow.when(every, exp.null(), copy=False)
        return shallow.else_(deepest.copy()) if shallow.args.get("ifs") else deepest

    def _share_relevant(self) -> None:
        """Plan rule: without `rel`, what is relevant for a gain is what is relevant for all.

        The items are then joined and numbered once, and not once for gains and once for the others.
        """
        every = [name for name in self.steps if name.rstrip("_0123456789") == RELEVANT]
        if len(every) < 2:
            return
        first, *others = every
        known = self._without_rel(first)
        for name in others:
            if self._without_rel(name) == known:
                step = self.steps[name]
                absent = is_null(literal(Parameter(REL)))
                columns = [exp.column(column) for column in step.named_selects]
                shared = exp.select(*columns).from_(first).where(absent)
                own = exp.select(*columns).from_(step.subquery(name)).where(exp.not_(absent.copy()))
                self.steps[name] = exp.union(shared, own, distinct=False)

    def _without_rel(self, name: str) -> str:
        """Return the SQL of a step without `rel`, with all steps that it reads inside."""
        step = bind(self.steps[name], {REL: None})
        for table in list(step.find_all(exp.Table)):
            if table.name in self.steps:
                table.replace(exp.var(f"({self._without_rel(table.name)})"))
        return step.sql(DIALECT)

    def _per_cutoff(self) -> None:
        """Compute the blocks that ask for k once for every cut-off."""
        cutoff = exp.column(CUTOFF, "cutoffs")
        repeated = []
        for name in self.blocks:
            block = cast("exp.Select", self.steps[name])
            if _ask_for_cutoff(block, cutoff):
                block.join("cutoffs", join_type="cross", copy=False)
                block.group_by(cutoff.copy(), copy=False).select(cutoff.copy(), copy=False)
                repeated.append(name)
        outer = cast("exp.Select", self.outer)
        for join in outer.args.get("joins") or []:
            if join.this.name in repeated:
                same = exp.NullSafeEQ(this=exp.column(CUTOFF, join.this.name), expression=cutoff.copy())
                join.set("on", exp.and_(join.args["on"], same))
        every = exp.Join(this=exp.to_table("cutoffs"), kind="CROSS")
        outer.set("joins", [every, *(outer.args.get("joins") or [])])
        outer.select(cutoff.copy(), copy=False)
        _ask_for_cutoff(outer, cutoff)

    def _query_values(self) -> exp.Query:
        """Return the values of every metric and cut-off asked for, one below the other."""
        of_measure: list[exp.Expr] = []
        for kind in ("value", "no_relevant", "undefined"):
            names = [getattr(columns, kind) for columns in self.columns]
            chosen = exp.Case(this=exp.column("measure", "specs"))
            for one, name in zip(self.asked, names, strict=True):
                # A metric that nobody asked for is not aggregated.
                value = exp.Case().when(self.is_asked([one]), exp.column(name, "per_query"))
                chosen = chosen.when(literal(one.measure.text), value, copy=False)
            of_measure.append(chosen.as_(kind))
        query = exp.select(
            exp.column("segment", "specs"), exp.column("metric", "specs"),
            exp.column("agg", "specs"), exp.column("query_id", "per_query"),
            exp.column("missing", "per_query"), *of_measure,
        ).from_("specs")  # fmt: skip
        same = exp.NullSafeEQ(this=exp.column(CUTOFF, "specs"), expression=exp.column(CUTOFF, "per_query"))
        return query.join("per_query", on=same)

    def _counted(self) -> exp.Query:
        """Count the queries behind every number, and compute the number if one aggregate is enough."""
        value = exp.Case()
        for definition in self.catalog.aggregations.values():
            if not definition.query.args.get("with_"):
                number = definition.query.selects[-1].unalias().copy()
                value = value.when(self._is_aggregated_by(definition), number, copy=False)
        return cast("exp.Select", self.shell("counted")).select(value.as_("value"))

    def _placed(self) -> exp.Query:
        """Return the aggregation under sql/aggregations that needs the values in order."""
        parts: list[exp.Query] = []
        for definition in self.catalog.aggregations.values():
            if definition.query.args.get("with_"):
                values = {name: self._bound(definition, name) for name in definition.own_params}
                part = cast("exp.Query", given(definition.query.copy(), values))
                _without_system(part)
                for cte in part.ctes:
                    cast("exp.Select", cte.this).where(self._is_aggregated_by(definition), copy=False)
                parts.append(part)
        (placed,) = parts
        return placed

    def _is_aggregated_by(self, definition: Definition) -> exp.Expr:
        names = [n for n, alias in self.catalog.aggregation_names.items() if alias.metric is definition]
        return exp.In(this=exp.column(AGGREGATION), expressions=[literal(name) for name in names])

    def _bound(self, definition: Definition, param: str) -> exp.Expr:
        """Return the value to which the name of an aggregation binds a parameter."""
        value = exp.Case(this=exp.column(AGGREGATION))
        for name, alias in self.catalog.aggregation_names.items():
            if alias.metric is definition:
                bound = definition.own_params[param].type(alias.bound[param])
                value = value.when(literal(name), literal(bound), copy=False)
        return value

    def _aggregations(self) -> exp.Query:
        names = exp.Array(expressions=[literal(name) for name in self.catalog.aggregation_names])
        return exp.select(exp.Anonymous(this="unnest", expressions=[names]).as_("name"))

    def _inputs(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the user's tables under canonical names; also the population, if a table lists it."""
        is_table = exp.EQ(this=_population(self.catalog), expression=literal(TABLE))
        listed = exp.Case().when(is_table, reference(POPULATION)).else_(reference("truth"))
        yield from tables_of_user(self.catalog)
        read = {SOURCE: source(self.catalog, listed, "read_trec_qrels")}
        yield POPULATION, query_of(self.catalog, POPULATION, read)


def _ask_for_cutoff(tree: exp.Expr, cutoff: exp.Expr) -> bool:
    """Put the column of the cut-offs where ``$k`` stands; say whether it did."""
    found = [p for p in tree.find_all(exp.Placeholder) if p.name == CUTOFF]
    for placeholder in found:
        placeholder.replace(cutoff.copy())
    return bool(found)


def _without_system(query: exp.Query) -> None:
    """Remove the column of the system from a file under sql/aggregations, because there is one system."""
    for select in query.find_all(exp.Select):
        select.set("expressions", [p for p in select.expressions if p.alias_or_name != "system"])
        group = select.args.get("group")
        if group is not None:
            group.set("expressions", [key for key in group.expressions if key.name != "system"])
    for window in query.find_all(exp.Window):
        kept = [key for key in window.args.get("partition_by") or [] if key.name != "system"]
        window.set("partition_by", kept)
