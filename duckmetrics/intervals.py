"""Intervals of results: the values of every unit, kept once, and the bounds that a file makes of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import sqlglot
from sqlglot import exp

from duckmetrics.bootstrapped import Samples, bootstrapped, can_be_bootstrapped
from duckmetrics.catalog import DIALECT
from duckmetrics.checks import NOTE, WARNING, Finding
from duckmetrics.compose import Composer, with_directions
from duckmetrics.errors import InputError
from duckmetrics.fold import bind, literal
from duckmetrics.functions import linked
from duckmetrics.inference import BOOTSTRAP, FEW_UNITS, INTERVALS, MOST_SAMPLES
from duckmetrics.linearized import Linearization
from duckmetrics.measure import DEFAULT_AGGREGATION
from duckmetrics.observations import GROUP, UNIT
from duckmetrics.segments import SegmentSummary, by_group
from duckmetrics.summary import ROUNDING
from duckmetrics.systems import ONE_SYSTEM
from duckmetrics.units import KEYS, PER_QUERY, QUERIES, ROWS, Units, struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog import Catalog
    from duckmetrics.engines import Engine
    from duckmetrics.fold import Value
    from duckmetrics.inference import Inference
    from duckmetrics.inputs import Inputs
    from duckmetrics.measure import Measure
    from duckmetrics.summary import Summary

HINT = "interval_method='bootstrap' (--interval-method bootstrap) takes all of it again"


def units_of_rankings(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], summary: Summary
) -> Units:
    """The values of the queries, or of clusters of them; only a mean has them."""
    chosen = [i for i, measure in enumerate(measures) if measure.aggregation == DEFAULT_AGGREGATION]
    without = {
        m.text: f"it is the {m.aggregation} of the queries, and no mean"
        for i, m in enumerate(measures) if i not in chosen
    }  # fmt: skip
    segments = None
    found = summary.segments()
    if found is not None:
        segments = engine.name("segments")
        engine.keep(segments, found)
    kind, members = QUERIES, None
    query = summary.units(chosen, segments) if chosen else _no_units()
    if inputs.cluster is not None and chosen:
        kind = f"clusters of {inputs.cluster}"
        _refuse_null(engine, query, "cluster_id", inputs.cluster, "queries")
        members = _with_values(query)
        composer = Composer(catalog, {PER_QUERY: query})
        query = composer.complete(exp.select(*KEYS).from_(composer.relation("clustered", {})))
    named = None
    if segments is not None:
        columns = (exp.column(alias) for alias in summary.by.values())
        named = exp.select("segment", "slice", *columns).from_(segments)
    texts = tuple(measures[i].text for i in chosen)
    return Units(query, named, summary.by, texts, kind, without, members=members)


def units_of_rows(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], inference: Inference
) -> Units:
    """What every cluster of rows, or every row, contributes to metrics that the delta method can take."""
    kind = ROWS if inputs.cluster is None else f"clusters of {inputs.cluster}"
    if inputs.cluster is not None:
        _refuse_null(engine, inputs.unsliced["predictions"], UNIT, inputs.cluster, "rows")
        if any(by_group(measure) for measure in measures):
            _refuse_split_groups(engine, inputs)
    linearization = Linearization(catalog, inputs, measures, independent=inputs.cluster is None)
    summary = SegmentSummary(catalog, inputs, measures, "")
    segments = summary.named_segments()
    texts = tuple(linear.measure.text for linear in linearization.linear)
    table = _sums(catalog, engine, linearization)
    query: exp.Query = _no_units()
    if texts:
        query, macros = linked(catalog, linearization.values(table))
        engine.define(macros)
    without, members = linearization.without, _counted(table)
    units = Units(
        query, segments, summary.by, texts, kind, without, linearized=True, members=members,
        speaking=linearization.speaking(table),
    )  # fmt: skip
    return _with_samples(catalog, engine, inputs, measures, inference, units)


def _with_samples(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    inference: Inference,
    units: Units,
) -> Units:
    """Draw samples for the measures that have no units, or tell that it can be asked for."""
    sampled = [m for m in measures if m.text in units.without and can_be_bootstrapped(m)]
    if inference.method != BOOTSTRAP:
        hints = {m.text: f"{units.without[m.text]}; {HINT}" for m in sampled}
        return replace(units, without={**units.without, **hints})
    if not sampled:
        return units
    inference = replace(inference, samples=_number_of_samples(engine, inputs, inference))
    table = bootstrapped(catalog, engine, inputs, sampled, inference)
    named = Units(_no_units(), units.segments, units.columns, tuple(m.text for m in sampled), units.kind)
    left = {text: why for text, why in units.without.items() if text not in named.measures}
    return replace(units, samples=Samples(named, table, inference.level, inference.samples), without=left)


def _number_of_samples(engine: Engine, inputs: Inputs, inference: Inference) -> int:
    """As usual, or as many as the comparisons of all systems and segments need."""
    if not inference.measures:
        return inference.samples
    rows = inputs.queries["predictions"].subquery("rows")
    keys = (struct("system", "segment"), exp.column("segment"))
    counts = [exp.Count(this=exp.Distinct(expressions=[key])) for key in keys]
    ((all_, segments),) = engine.rows(exp.select(*counts).from_(rows))
    return inference.enough(inference.measures * (all_ - segments), inference.samples, MOST_SAMPLES)


def _with_values(query: exp.Query) -> exp.Select:
    """Queries are the same where both sides have a value for them."""
    unit = struct("metric", "query_id").as_("unit")
    members = exp.select("system", unit, literal(1).as_("fingerprint")).from_(query.subquery("units"))
    return members.where(exp.not_(exp.Is(this=exp.column("value"), expression=exp.null())))


def _counted(table: str) -> exp.Select:
    """Clusters are the same where they have as many rows of each class."""
    unit, counts = struct("segment", UNIT).as_("unit"), struct("n", "n_positive").as_("fingerprint")
    return exp.select("system", unit, counts).from_(table)


def _sums(catalog: Catalog, engine: Engine, linearization: Linearization) -> str:
    """Keep the sums of every unit in a table, and return its name."""
    kept = {}
    for column, query in linearization.influence_queries().items():
        kept[column] = engine.name("influences")
        engine.keep(kept[column], query)
    table = engine.name("units")
    sums, macros = linked(catalog, linearization.sums(kept))
    engine.define(macros)
    engine.keep(table, sums)
    return table


def tested(
    catalog: Catalog, engine: Engine, units: Units, statistic: str, values: Mapping[str, Value]
) -> str:
    """Keep the rows of a test over units in a table, and return its name."""
    query, macros = linked(catalog, units.tested(catalog, statistic, values))
    engine.define(macros)
    name = engine.name(statistic)
    engine.keep(name, query)
    return name


def with_intervals(
    catalog: Catalog, engine: Engine, inference: Inference, units: Units, summary: exp.Query
) -> tuple[exp.Select, list[Finding]]:
    """Return the query of the summary with the bounds of its values, and what is to know about them.

    Args:
        summary: the rows where they are kept, in their order.
    """
    told = [_without(text, why) for text, why in units.without.items()]
    if not units.measures and units.samples is None:
        return cast("exp.Select", summary), told
    parts = [] if units.samples is None else [units.samples.bounds()]
    table = None
    if units.measures:
        statistic = INTERVALS[inference.method]
        declared = catalog.statistics[statistic].own_params
        values = {name: value for name, value in inference.values().items() if name in declared}
        table = tested(catalog, engine, units, statistic, values)
        names = ("system", "metric", "slice", *units.columns.values(), "lower", "upper")
        parts.append(exp.select(*names).from_(table))
    told = [*_told(engine, inference, units, table), *told]
    bounds = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
    columns = [_bounded(name, units) for name, _ in engine.columns(summary)]
    numbered = summary.copy().select(exp.Window(this=exp.RowNumber()).as_("place"))
    query = exp.select(*columns).from_(numbered.subquery("summary"))
    query = query.join(bounds.subquery("bounds"), on=_same_row(units), join_type="left").order_by("place")
    return cast("exp.Select", with_directions(query)), told


def _same_row(units: Units) -> exp.Expr:
    """Say that bounds belong to a row of the summary."""
    system = exp.func("coalesce", exp.column("system", "summary"), literal(ONE_SYSTEM))
    same: list[exp.Expr] = [exp.EQ(this=exp.column("system", "bounds"), expression=system)]
    for name in ("metric", "slice"):
        same.append(exp.EQ(this=exp.column(name, "bounds"), expression=exp.column(name, "summary")))
    for name, alias in units.columns.items():
        known = exp.column(name, "summary", quoted=True)
        same.append(exp.NullSafeEQ(this=exp.column(alias, "bounds"), expression=known))
    return exp.and_(*same)


def _bounded(name: str, units: Units) -> exp.Expr:
    """A column of the results; of a classifier that no unit moves, as with an AUC of 1, nothing is known."""
    own = exp.column(name, "summary", quoted=True)
    if name not in ("lower", "upper"):
        return own
    found: exp.Expr = exp.column(name, "bounds")
    known = _finite() if not units.linearized else exp.and_(_finite(), _varies())
    return exp.func("coalesce", exp.Case().when(known, found), own).as_(name)


@cache
def _finite() -> exp.Expr:
    return sqlglot.parse_one("isfinite(bounds.lower) AND isfinite(bounds.upper)", dialect=DIALECT)


@cache
def _varies() -> exp.Expr:
    """Say that bounds are further apart than rounding."""
    text = "bounds.upper - bounds.lower > $rounding * greatest(abs(bounds.lower), abs(bounds.upper))"
    return bind(sqlglot.parse_one(text, dialect=DIALECT), {"rounding": ROUNDING})


def _told(engine: Engine, inference: Inference, units: Units, bounds: str | None) -> list[Finding]:
    """What the intervals rest on."""
    n = 0
    if bounds is not None:
        query = exp.select(exp.Max(this=exp.column("n"))).from_(bounds).where("slice = ''")
        n = engine.rows(query)[0][0] or 0
    over = f"{n} {units.kind}" if n else units.kind
    how = "Student's t" if inference.method != BOOTSTRAP else f"bootstrap of {inference.resamples} resamples"
    advice = "if several belong to one user, say so with cluster='user_id'" if units.kind == ROWS else ""
    message = f"{100 * inference.level:g} % intervals: {how} over {over}"
    found = [_finding(NOTE, "; ".join(filter(None, (message, advice))), advice)]
    if 0 < n < FEW_UNITS:
        found.append(_finding(WARNING, f"intervals: only {over}; read them with care", "take more data"))
    return found


def _without(text: str, why: str) -> Finding:
    return _finding(WARNING, f"{text}: has no interval: {why}", "leave it out of what is decided on")


def biased(rows: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Warn of values that lie outside of their own intervals, as those of small samples may."""
    names = dict.fromkeys(
        row["metric"] for row in rows
        if row["lower"] is not None and row["value"] is not None
        and not row["lower"] <= row["value"] <= row["upper"]
    )  # fmt: skip
    text = "its value lies outside of its interval, which is of samples that it is biased on"
    return [_finding(WARNING, f"{name}: {text}; take more data", "take more data") for name in names]


def _finding(severity: str, message: str, advice: str) -> Finding:
    return Finding("interval", severity, "", "", 0, (), message, advice)


def _refuse_null(engine: Engine, query: exp.Query, column: str, name: str, what: str) -> None:
    is_null = exp.Is(this=exp.column(column), expression=exp.null())
    offenders = exp.select(exp.Count(this=exp.Star())).from_(query.subquery("rows")).where(is_null)
    ((count,),) = engine.rows(offenders)
    if count:
        raise InputError(
            f"cluster: column {name!r} is NULL for {count} {what}; give every one a value, or leave them out"
        )


def _refuse_split_groups(engine: Engine, inputs: Inputs) -> None:
    """Groups are compared row by row within, so that their rows cannot be witnesses of several clusters."""
    rows = inputs.unsliced["predictions"].subquery("rows")
    several = exp.GT(this=exp.Count(this=exp.Distinct(expressions=[exp.column(UNIT)])), expression=literal(1))
    split = exp.select("system", GROUP).from_(rows).group_by("system", GROUP).having(several)
    count = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(split.subquery("split")))[0][0]
    if count:
        group = inputs.column_label("predictions", GROUP)
        raise InputError(
            f"cluster: {count} groups of {group!r} have rows in several {inputs.cluster!r}; leave "
            "cluster= out, and the groups are taken, or ask for metrics by group apart"
        )


def _no_units() -> exp.Select:
    nothing: Any = exp.select(*(exp.null().as_(key) for key in KEYS))
    return cast("exp.Select", nothing.where(exp.false()))
