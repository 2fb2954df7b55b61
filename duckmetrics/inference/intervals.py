"""Intervals of results: the values of every unit, kept once, and the bounds that a file makes of them."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.catalog import DIALECT
from duckmetrics.catalog.specs import DEFAULT_AGGREGATION
from duckmetrics.checks.examination import NOTE, WARNING, Finding
from duckmetrics.compose.composer import Composer, with_directions
from duckmetrics.compose.functions import linked
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.bootstrap import Samples, bootstrapped, can_be_bootstrapped
from duckmetrics.inference.delta_method import NONE, Linearization
from duckmetrics.inference.units import (
    HITS,
    KEYS,
    LOGIT,
    MEAN,
    PER_QUERY,
    PROPORTION,
    QUERIES,
    ROWS,
    SIZES,
    Scale,
    Units,
    struct,
)
from duckmetrics.inputs.classification import GROUP, UNIT
from duckmetrics.inputs.interval_options import BOOTSTRAP, FEW_UNITS, INTERVALS, MOST_SAMPLES
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.summaries.classification import SegmentSummary, by_group
from duckmetrics.summaries.ranking import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.specs import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.ranking import Inputs
    from duckmetrics.summaries.ranking import Summary

HINT = "interval_method='bootstrap' (--interval-method bootstrap) takes all of it again"
HINT_OF_PAIRS = "interval_method='bootstrap' compares systems all the same"
NO_INTERVAL = "no interval: "
# The number of units of a result, and of how many equal ones they are worth: column of the bounds, type.
N_UNITS, N_EFFECTIVE = "n_units", "n_effective"
SIZE_COLUMNS = {N_UNITS: ("n", "BIGINT"), N_EFFECTIVE: ("n_effective", "DOUBLE")}
# So many metrics or slices of few units are named.
LISTED = 5
# Percentiles of resamples are those of a normal distribution with too small a variance, by 1 / n.
TOO_FEW_TO_RESAMPLE = 50
_RANGE = re.compile(r"[\[(](-?[\d.]+|-inf), (-?[\d.]+|inf)[\])]")


def units_of_rankings(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], summary: Summary
) -> Units:
    """The values of the queries, or of clusters of them; only a mean has them."""
    chosen = [i for i, measure in enumerate(measures) if measure.aggregation == DEFAULT_AGGREGATION]
    without = {
        m.text: f"it is the {m.aggregation} of the queries, not their mean"
        for i, m in enumerate(measures) if i not in chosen
    }  # fmt: skip
    segments = None
    found = summary.segments()
    if found is not None:
        segments = engine.name("segments")
        engine.keep(segments, found)
    kind, members, clustered = QUERIES, None, inputs.cluster is not None
    query = summary.units(chosen, segments) if chosen else _no_units()
    if not clustered and chosen:
        query = exp.select(*KEYS, *unknown_sizes()).from_(query.subquery("values"))
    if inputs.cluster is not None and chosen:
        kind = f"clusters of {inputs.cluster}"
        _refuse_null(engine, query, "cluster_id", inputs.cluster, "queries")
        members = _with_values(query)
        composer = Composer(catalog, {PER_QUERY: query})
        query = composer.complete(exp.select(*KEYS, *SIZES).from_(composer.relation("clustered", {})))
    named = None
    if segments is not None:
        columns = (exp.column(alias) for alias in summary.by.values())
        named = exp.select("segment", "slice", *columns).from_(segments)
    texts = tuple(measures[i].text for i in chosen)
    scales = tuple(scale_of_queries(measures[i]) for i in chosen)
    return Units(
        query, named, summary.by, texts, kind, without, clustered=clustered, scales=scales, members=members
    )


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
    scales = tuple(_scale_of_rows(linear.measure) for linear in linearization.linear)
    units = Units(
        query, segments, summary.by, texts, kind, without, linearized=True, scales=scales, members=members,
        clustered=inputs.cluster is not None,
        speaking=linearization.speaking(table),
    )  # fmt: skip
    return _with_samples(catalog, engine, inputs, measures, inference, units)


def scale_of_queries(measure: Measure) -> Scale:
    """Values between 0 and 1 may all be hits and misses; the data tell."""
    low, high = _ends(measure)
    return Scale(HITS if (low, high) == (0, 1) else MEAN, low, high)


def _scale_of_rows(measure: Measure) -> Scale:
    name = measure.metric.header.get("interval", MEAN)
    return Scale(name if name in (LOGIT, PROPORTION) else MEAN, *_ends(measure))


def _ends(measure: Measure) -> tuple[float, float]:
    """The ends of the range that the file of a metric declares."""
    declared = _RANGE.match(measure.metric.header.get("range", ""))
    return (-math.inf, math.inf) if declared is None else (float(declared[1]), float(declared[2]))


def _unbounded(measure: Measure) -> str | None:
    """Why the samples of a bootstrap give no interval of a measure; None where they do."""
    said, _, why = measure.metric.header.get("interval", "").partition(", ")
    return why if said == NONE else None


def _with_samples(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    inference: Inference,
    units: Units,
) -> Units:
    """Draw samples for the measures that have no units, or say that it can be asked for."""
    sampled = [m for m in measures if m.text in units.without and can_be_bootstrapped(catalog, m)]
    unbounded = {m.text: why for m in sampled if (why := _unbounded(m)) is not None}
    if inference.method != BOOTSTRAP:
        hints = {m.text: f"{units.without[m.text]}; {HINT}" for m in sampled}
        pairs = "" if inputs.one_system else f"; {HINT_OF_PAIRS}"
        hints |= {text: f"{why}{pairs}" for text, why in unbounded.items()}
        return replace(units, without={**units.without, **hints})
    if inputs.one_system:
        sampled = [m for m in sampled if m.text not in unbounded]
    left = {text: why for text, why in units.without.items() if text not in [m.text for m in sampled]}
    units = replace(units, without={**left, **unbounded})
    if not sampled:
        return units
    inference = replace(inference, samples=_number_of_samples(engine, inputs, inference))
    table = bootstrapped(catalog, engine, inputs, sampled, inference)
    named = Units(_no_units(), units.segments, units.columns, tuple(m.text for m in sampled), units.kind)
    samples = Samples(named, table, inference.level, inference.samples, frozenset(unbounded))
    return replace(units, samples=samples)


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
    parts = [] if units.samples is None else [units.samples.bounds()]
    told: list[Finding] = []
    if units.measures:
        table = _bounds_of_units(catalog, engine, inference, units)
        parts.append(exp.select(*_bound_columns(units)).from_(table))
        told = _told(engine, inference, units, table)
    elif units.samples is not None:
        told = [_finding(NOTE, f"{100 * inference.level:g} % intervals: {_method(inference)}", "")]
    told += [_without(text, why) for text, why in units.without.items()]
    columns = [_bounded(name, units, bool(parts)) for name, _ in engine.columns(summary)]
    columns += [_size(name, bool(parts)) for name in (N_UNITS, N_EFFECTIVE)]
    numbered = summary.copy().select(exp.Window(this=exp.RowNumber()).as_("place"))
    query = exp.select(*columns).from_(numbered.subquery("summary"))
    if parts:
        bounds = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
        query = query.join(bounds.subquery("bounds"), on=_same_row(units), join_type="left")
    return cast("exp.Select", with_directions(query.order_by("place"))), told


def _bound_columns(units: Units) -> tuple[str, ...]:
    return ("system", "metric", "slice", *units.columns.values(), "lower", "upper", "n", "n_effective", "why")


def _bounds_of_units(catalog: Catalog, engine: Engine, inference: Inference, units: Units) -> str:
    """Keep the bounds of the measures that have units in a table, and return its name."""
    name = engine.name("bounds")
    query, macros = linked(catalog, units.intervals(catalog, inference.level))
    engine.define(macros)
    engine.keep(name, query)
    if inference.method != BOOTSTRAP:
        return name
    statistic = INTERVALS[BOOTSTRAP]
    declared = catalog.statistics[statistic].own_params
    values = {key: value for key, value in inference.values().items() if key in declared}
    resampled = tested(catalog, engine, units, statistic, values)
    same: list[exp.Expr] = [
        exp.EQ(this=exp.column(key, resampled), expression=exp.column(key, name))
        for key in ("system", "metric", "slice")
    ]
    same += [
        exp.NullSafeEQ(this=exp.column(alias, resampled), expression=exp.column(alias, name))
        for alias in units.columns.values()
    ]
    # Where no value differs, no resample does: the bounds of the proportion, or none.
    columns = [
        exp.Case().when(exp.column("varies", name), exp.column(key, resampled))
        .else_(exp.column(key, name)).as_(key)
        if key in ("lower", "upper") else exp.column(key, name)
        for key in _bound_columns(units)
    ]  # fmt: skip
    both = engine.name("bounds")
    engine.keep(both, exp.select(*columns).from_(name).join(resampled, on=exp.and_(*same), join_type="left"))
    return both


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


def _bounded(name: str, units: Units, has_bounds: bool) -> exp.Expr:
    """One result column; where there is a value and no interval, the reason says why.

    Bounds of an approximation give way: they mean something else.
    """
    own = exp.column(name, "summary", quoted=True)
    known = _finite() if has_bounds else exp.false()
    if name in ("lower", "upper"):
        found = exp.column(name, "bounds") if has_bounds else exp.null()
        return exp.cast(exp.Case().when(known, found), "DOUBLE").as_(name)
    if name != "reason":
        return own
    why = exp.Case()
    for text, said in units.without.items():
        same = exp.EQ(this=exp.column("metric", "summary"), expression=literal(text))
        why = why.when(same, literal(said.partition(f"; {HINT}")[0]), copy=False)
    whys: list[exp.Expr] = [exp.column("why", "bounds")] if has_bounds else []
    whys += [why] if units.without else []
    whys.append(literal("it varies too much"))
    told = exp.DPipe(this=literal(NO_INTERVAL), expression=exp.func("coalesce", *whys))
    no_value = exp.Is(this=exp.column("value", "summary"), expression=exp.null())
    without = exp.and_(exp.not_(no_value), exp.not_(exp.func("coalesce", known, exp.false())))
    return exp.Case().when(without, exp.func("coalesce", own, told)).else_(own.copy()).as_(name)


def _size(name: str, has_bounds: bool) -> exp.Expr:
    """The number of units, or what they are worth; NULL where the metric has none."""
    column, type_ = SIZE_COLUMNS[name]
    found = exp.column(column, "bounds") if has_bounds else exp.null()
    return exp.cast(found, type_).as_(name)


@cache
def _finite() -> exp.Expr:
    """An infinite value has no bounds, though samples that lack the rows behind it are finite."""
    text = "isfinite(bounds.lower) AND isfinite(bounds.upper) AND isfinite(summary.value)"
    return sqlglot.parse_one(text, dialect=DIALECT)


def _method(inference: Inference) -> str:
    if inference.method != BOOTSTRAP:
        return "Student's t"
    return f"bootstrap of {inference.resamples} resamples"


def _told(engine: Engine, inference: Inference, units: Units, bounds: str) -> list[Finding]:
    """What the intervals rest on."""
    columns = ("metric", "slice", *units.columns.values(), "n", "n_effective")
    rows = engine.rows(exp.select(*columns).from_(bounds).order_by("metric", "slice", "system"))
    overall = [n for _, slice_, *_, n, _ in rows if not slice_ and n]
    counts = f"{min(overall)} to {max(overall)}" if len(set(overall)) > 1 else "".join(map(str, overall[:1]))
    over = f"{counts} {units.kind}".strip()
    advice = "if several belong to one user, say so with cluster='user_id'" if units.kind == ROWS else ""
    message = f"{100 * inference.level:g} % intervals: {_method(inference)} over {over}"
    found = [_finding(NOTE, "; ".join(filter(None, (message, advice))), advice)]
    few = dict.fromkeys(
        _few(units, metric, segment, n, effective)
        for metric, _, *segment, n, effective in rows if n and effective < FEW_UNITS
    )  # fmt: skip
    if few:
        listed = ", ".join([*few][:LISTED]) + (f", and {len(few) - LISTED} more" if len(few) > LISTED else "")
        found.append(_finding(WARNING, f"intervals: only {listed}; read them with care", "take more data"))
    if inference.method == BOOTSTRAP and overall and min(overall) < TOO_FEW_TO_RESAMPLE:
        message = (
            f"intervals: percentiles of resamples of fewer than {TOO_FEW_TO_RESAMPLE} units are too narrow: "
            "of 20, 95 % intervals cover about 91 %; interval_method='t' holds its level"
        )
        found.append(_finding(WARNING, message, "leave interval_method out"))
    return found


def _few(units: Units, metric: str, segment: Sequence[Any], n: int, effective: float) -> str:
    """How many units a metric rests on, and where."""
    # A number such as 1.9999999 stems from sums in another order.
    worth = f"{n}" if n - effective < 0.05 else f"{effective:.1f} effective of {n}"
    where = [
        f"{name}={value}" for name, value in zip(units.columns, segment, strict=True) if value is not None
    ]
    return f"{worth} {units.kind} for {metric}" + (f" where {', '.join(where)}" if where else "")


def _without(text: str, why: str) -> Finding:
    return _finding(WARNING, f"{text}: has no interval: {why}", "leave it out of what is decided on")


def biased(units: Units, rows: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Warn of values that lie outside of the percentiles of their own samples."""
    sampled = () if units.samples is None else units.samples.units.measures
    names = dict.fromkeys(
        row["metric"] for row in rows
        if row["metric"] in sampled and row["lower"] is not None and row["value"] is not None
        and not row["lower"] - _rounding(row) <= row["value"] <= row["upper"] + _rounding(row)
    )  # fmt: skip
    text = "the value lies outside its bootstrap interval: the metric is biased on samples of this size"
    return [_finding(WARNING, f"{name}: {text}; use more data", "use more data") for name in names]


def _rounding(row: Mapping[str, Any]) -> float:
    return ROUNDING * max(abs(float(row["lower"])), abs(float(row["upper"])))


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


def unknown_sizes() -> list[exp.Expr]:
    """Every query weighs the same, and its own value tells whether it is a hit."""
    types = {"n_effective": "DOUBLE", "hits": "BOOLEAN"}
    return [exp.cast(exp.null(), types[name]).as_(name) for name in SIZES]


def _no_units() -> exp.Select:
    nothing: Any = exp.select(*(exp.null().as_(key) for key in (*KEYS, *SIZES)))
    return cast("exp.Select", nothing.where(exp.false()))
