"""Values per query that were computed elsewhere: checked, put next to each other, and summarized as ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.given import LOWER, given_measure, signed_measure
from duckmetrics.catalog.measure import AGGREGATION, Measure, Signature, refuse_weighted
from duckmetrics.checks.notes import counted_notes, unasked, varying
from duckmetrics.compose.composer import Columns, Composer
from duckmetrics.engines.engine import keep_once
from duckmetrics.errors import InputError, MetricError, suggestion, unknown
from duckmetrics.evaluation.family_evaluation import FamilyEvaluation, with_bounds
from duckmetrics.expressions.build import everything, picked
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.kept import kept_rows, materialized
from duckmetrics.inference.ranking_summary import (
    RankingSummary,
    bands_of_values,
    value_ranges,
    weighing,
)
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.inputs.values import GIVEN, value_inputs
from duckmetrics.results.findings import NOTE, WARNING, Finding
from duckmetrics.words.lists import FEW_NAMES, counted, joined, verb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.systems import Attach


PROFILE, COMMON = "value_profile", "common_queries"
# Counts of trec_eval, which are no metrics.
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
KEYS = ("system", "query_id")


@dataclass(frozen=True)
class GivenValues:
    """The values of a call.

    Attributes:
        table: the rows: system, query_id, metric, value, signature, and flags.
        systems: their names; of a single one that has none, an empty name.
        measures: name of a metric -> the mean of its values.
        usual: those that are computed if the caller names none.
    """

    inputs: Inputs
    table: str
    systems: tuple[str, ...]
    measures: Mapping[str, Measure]
    usual: tuple[str, ...]

    def label(self, measure: Measure) -> str | None:
        """Return the metric of the table that a measure such as ``latency(agg=p95)`` is of, None if none."""
        names = (measure.text, measure.text.partition("(")[0].strip())
        return next((name for name in names if name in self.measures), None)

    def chosen_note(self) -> Finding:
        """Return the note on the metrics that nobody named: which are read, and which are left out."""
        named = [f"{name} ({self.measures[name].metric.range.direction} is better)" for name in self.usual]
        left = [*(name for name in self.measures if name not in self.usual), *self.inputs.unread]
        told = f"{self.inputs.labels['predictions']}: metrics are {', '.join(named)}"
        told += f"; left out: {', '.join(left)}" if left else ""
        advice = "name those that you want with metrics= (-m)"
        return Finding("metrics", NOTE, "", "", 0, (), f"{told}; {advice}", advice)

    def unasked(self, part: FamilyEvaluation) -> FamilyEvaluation:
        """Return results with the note that no metric of these values was asked for."""
        label, names = self.inputs.labels["predictions"], joined(list(self.measures)[:FEW_NAMES])
        told = f"{label}: not used, because none of its metrics is asked for"
        advice = f"name those that you want with metrics= (-m), such as {names}"
        note = Finding("metrics", NOTE, label, "", 0, (), f"{told}; {advice}", advice)
        return replace(part, findings=(*part.findings, note))


def read_given(
    catalog: Catalog, engine: Engine, request: Request, attach: Attach,
    known: Mapping[str, Measure] | None = None,
) -> GivenValues:  # fmt: skip
    """Read the values of a request, and check them.

    Args:
        known: the measures of values that were checked before.

    Raises:
        InputError: a table lacks a column, or has values that cannot be used; or there is no metric of a name
            in `lower_is_better`.
    """
    inputs = value_inputs(catalog, request, attach, engine.extremes)
    table = keep_once(engine, GIVEN, inputs.queries[GIVEN])
    inputs = replace(inputs, queries={**inputs.queries, GIVEN: engine.kept(table)})
    named = picked(exp.to_table(table), "system").distinct()
    systems = tuple(str(name) for (name,) in engine.rows(named.order_by("system")))
    if systems == (ONE_SYSTEM,):
        inputs = replace(inputs, one_system=True)
    if inputs.systems is None:
        inputs = replace(inputs, queries={**inputs.queries, "systems": named})
    for name in request.lower_is_better:
        there = [row[0] for row in engine.rows(picked(exp.to_table(table), "metric").distinct())]
        if name not in there:
            raise InputError("lower_is_better", *unknown("metric", name, sorted(map(str, there))))
    if known is not None:
        return GivenValues(inputs, table, systems, known, tuple(known))
    measures, shared = _measures(catalog, engine, request, inputs)
    usual = tuple(name for name in measures if name not in (*shared, *COUNTS))
    return GivenValues(inputs, table, systems, measures, usual or tuple(measures))


def _measures(
    catalog: Catalog, engine: Engine, request: Request, inputs: Inputs
) -> tuple[dict[str, Measure], tuple[str, ...]]:
    """Return the measures of the values, those of a table with signatures by these; and those of no system.

    Values that are the same for all systems, such as the year of a query, are no values of systems.

    Raises:
        InputError: values that cannot be used, or of several conventions.
    """
    composer = Composer(catalog, {GIVEN: inputs.queries[GIVEN]})
    profile = composer.complete(everything(composer.relation(PROFILE, {})))
    label = inputs.labels["predictions"]
    found: dict[str, Measure] = {}
    shared: list[str] = []
    for row in engine.rows(profile.order_by("metric")):
        name, is_shared, is_binary, n_without, n_infinite, infinite, n_repeated, repeated, *signatures = row
        if name is None:
            raise InputError(label, "metric is NULL", "name the metric of each value")
        if n_without:
            what = f"{name}: query_id is NULL for {counted(n_without, 'value', 'values')}"
            raise InputError(label, what, "give each value a query, or leave it out")
        if n_infinite:
            values = counted(n_infinite, "value is", "values are")
            what = f"{name}: {values} NaN or infinite, such as that of query {infinite}"
            raise InputError(label, what, "give numbers, or NULL for a query without a value")
        if n_repeated:
            queries = counted(n_repeated, "query has", "queries have")
            what = f"{name}: {queries} several values, such as {repeated}"
            advice = "name the column that distinguishes systems with system= (--system), or drop the copies"
            raise InputError(label, what, advice)
        if signatures[0] != signatures[1]:
            one, two = map(Signature.parse, signatures)
            differing = "; ".join(f"{key}: {a} and {b}" for key, (a, b) in one.differences(two).items())
            what = f"{name}: the values follow other conventions ({differing})"
            raise InputError(label, what, "compute them in the same way")
        better = LOWER if name in request.lower_is_better else None
        found[name] = (
            given_measure(catalog, name, better, is_binary)
            if signatures[0] is None
            else signed_measure(catalog, signatures[0], name, is_binary)
        )
        if request.weight is None:
            refuse_weighted(found[name], "map the weights with columns={'weight': ...} (--column weight=...)")
        if is_shared and signatures[0] is None:
            shared.append(name)
    return found, tuple(shared)


def evaluate_given(
    catalog: Catalog,
    engine: Engine,
    request: Request,
    given: GivenValues,
    measures: Sequence[Measure],
    is_named: bool,
    computed: Sequence[FamilyEvaluation] = (),
) -> FamilyEvaluation:
    """Summarize values per query, with their intervals if the request asks for some.

    Args:
        is_named: whether the caller named the metrics.
        computed: the results of metrics that are computed from predictions.

    Raises:
        InputError: the values are of other systems than the predictions.
    """
    inputs = given.inputs
    if computed:
        _refuse_other_systems(given, computed)
    if not request.flagged:  # whoever wrote the states has checked it
        varying(engine, inputs)
    table = engine.name("per_query")
    query, columns = _side_by_side(given, measures, request.flagged)
    engine.keep(table, query)
    weights = weighing(engine, inputs, table)
    summary = RankingSummary(catalog, inputs, measures, columns, table)
    with engine.step("means of the queries"):
        query = summary.joined(bands_of_values(engine, summary), value_ranges(engine, summary))
        joined = materialized(engine, query)
    rows, kept = kept_rows(engine.results(), summary.query(joined))
    policy = measures[0].values if request.flagged else {}
    notes = [*weights, *counted_notes(rows, inputs, policy), *unasked(inputs, measures[0].family)]
    notes += [] if is_named else [given.chosen_note()]
    for one in computed:
        if (note := _other_queries(catalog, engine, given, measures[0], one)) is not None:
            notes.append(note)
    part = FamilyEvaluation(
        rows, inputs.by, tuple(notes), tuple(measures), kept, summary.per_query(),
        query_name=inputs.column_label("predictions", "query_id"), is_given=True,
        values=summary,
    )  # fmt: skip
    if request.inference is None:
        return part
    from duckmetrics.inference.unit_values import units_of_ranking

    with engine.step("units of the intervals"):
        units = units_of_ranking(catalog, engine, inputs, measures, summary)
    return with_bounds(catalog, engine, request.inference, part, units)


def _side_by_side(
    given: GivenValues, measures: Sequence[Measure], complete: bool
) -> tuple[exp.Select, list[Columns]]:
    """Write a row for every query of each system, with the values side by side, and name their columns.

    Args:
        complete: whether each system has a row for every query and metric.
    """
    rows = exp.to_table(given.table)
    wide = exp.select(*KEYS).from_(rows.copy()).group_by(*KEYS)
    systems = given.inputs.queries["systems"].subquery("systems")
    queries = picked(rows.copy(), "query_id").distinct().subquery("queries")
    wide = wide.select(exp.Max(this=exp.column("missing")).as_("missing"))
    absent = exp.Is(this=exp.column("query_id", "wide"), expression=exp.null())
    missing = exp.func("coalesce", exp.column("missing", "wide"), absent)
    keys = [exp.column(key, of) for key, of in zip(KEYS, ("systems", "queries"), strict=True)]
    if complete:
        keys = [exp.column(key, "wide") for key in KEYS]
    frame = exp.select(*keys, missing.as_("missing"))
    columns = []
    for i, measure in enumerate(measures):
        of_metric = exp.column("metric").eq(literal(given.label(measure)))
        value = exp.Case().when(of_metric, exp.column("value"))
        wide = wide.select(exp.Max(this=value).as_(f"value_{i}"))
        for flag in ("no_relevant", "undefined"):
            of_query = exp.Case().when(of_metric.copy(), exp.column(flag))
            wide = wide.select(exp.Max(this=of_query).as_(f"{flag}_{i}"))
        is_null = exp.Is(this=exp.column(f"value_{i}", "wide"), expression=exp.null())
        shown = {"no_relevant": exp.false(), "undefined": exp.and_(exp.not_(missing.copy()), is_null)}
        frame = frame.select(exp.column(f"value_{i}", "wide"))
        for flag, usual in shown.items():
            said = exp.func("coalesce", exp.column(f"{flag}_{i}", "wide"), usual)
            frame = frame.select(said.as_(f"{flag}_{i}"))
        columns.append(Columns(f"value_{i}", f"no_relevant_{i}", f"undefined_{i}"))
    if complete:
        return frame.from_(wide.subquery("wide")), columns
    same = [
        exp.EQ(this=one.copy(), expression=exp.column(key, "wide"))
        for one, key in zip(keys, KEYS, strict=True)
    ]
    frame = (
        frame.from_(systems)
        .join(queries, join_type="cross")
        .join(wide.subquery("wide"), on=exp.and_(*same), join_type="left")
    )
    return frame, columns


def _refuse_other_systems(given: GivenValues, parts: Sequence[FamilyEvaluation]) -> None:
    """Refuse values of other systems than the predictions have.

    Raises:
        InputError: names both.
    """
    computed = {row["system"] or ONE_SYSTEM for part in parts for row in part.rows}
    if computed != set(given.systems):
        here, there = (
            " and ".join(sorted(names)) or "one without a name" for names in (given.systems, computed)
        )
        raise InputError(
            "values", f"are of the systems {here}, and the predictions of {there}",
            "give both the same names, in a column or as in {'A': ...}",
        )  # fmt: skip


def _other_queries(
    catalog: Catalog, engine: Engine, given: GivenValues, measure: Measure, computed: FamilyEvaluation
) -> Finding | None:
    """Return the warning that the queries are not those of a computed metric; None if they are."""
    if computed.values is None:
        return None
    value = exp.column(computed.values.columns[0].value)
    evaluated = exp.select("query_id").from_(computed.values.table).where(value.is_(exp.null()).not_())
    of_measure = exp.column("metric").eq(literal(given.label(measure)))
    known = everything(exp.to_table(given.table))
    known = known.where(exp.and_(of_measure, exp.column("value").is_(exp.null()).not_()))
    composer = Composer(catalog, {"computed": evaluated, GIVEN: known})
    query = composer.complete(everything(composer.relation(COMMON, {})))
    ((n_computed, n_given, n_common),) = engine.rows(query)
    label, metric = given.inputs.labels["predictions"], computed.measures[0].text
    told = [
        f"{whole - n_common:,} of {counted(whole, f'query {of}', f'queries {of}')} "
        f"{verb(whole - n_common, 'has', 'have')} no {lacking}"
        for whole, of, lacking in (
            (n_computed, f"of {metric}", "given value"),
            (n_given, "with given values", metric),
        )
        if whole > n_common
    ]
    if not told:
        return None
    advice = "compare the ids" if not n_common else "give values for the same queries, or read each n"
    message = f"{label}: {joined(told)}, so the metrics are of different queries; {advice}"
    n = n_computed + n_given - 2 * n_common
    return Finding("other_queries", WARNING, label, "query_id", n, (), message, advice)


def refuse_computed(request: Request, given: Mapping[str, Measure], specs: Sequence[str]) -> None:
    """Refuse what values alone do not have: other metrics, and the conventions of computed ones.

    Args:
        given: the metrics of the values.
        specs: the metrics that are none of these.

    Raises:
        MetricError: names the first of them.
    """
    for spec in specs:
        advice = suggestion(spec, given, "give predictions and a truth to compute it")
        raise MetricError(spec, "not among the values", advice)
    idle = [name for name in request.switches if name != AGGREGATION]
    idle += [name for name in ("like", "verify", "chunks") if getattr(request, name)]
    for name in idle:
        what = "is for metrics that are computed, and these values are given"
        raise MetricError(name, what, "leave it out")
