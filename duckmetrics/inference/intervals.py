"""Intervals of results, from the values of every unit, and chances to be the best."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.functions import linked
from duckmetrics.engines.engine import keep_new
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.units import ROWS, SHARED_ROWS, Units, of_measures
from duckmetrics.inputs.interval_options import BOOTSTRAP, FEW_UNITS, INTERVALS
from duckmetrics.inputs.slices import slice_label
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.results import findings
from duckmetrics.results.findings import NOTE, WARNING, Finding
from duckmetrics.words.lists import joined
from duckmetrics.words.rounding import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference


HINT = "interval_method='bootstrap' (--interval-method bootstrap) takes all of it again"
HINT_ELSEWHERE = f"evaluate it with DuckDB, where {HINT}"
HINT_OF_PAIRS = "interval_method='bootstrap' compares systems all the same"
NO_INTERVAL = "no interval: "
# The number of units of a result, and their effective number: column of the bounds, type.
N_UNITS, N_EFFECTIVE = "n_units", "n_effective"
SIZE_COLUMNS = {N_UNITS: ("n", "BIGINT"), N_EFFECTIVE: ("n_effective", "DOUBLE")}
# The number of metrics or slices with few units that a warning names.
LISTED = 5
# Percentiles of resamples are those of a normal distribution with too small a variance, by 1 / n.
TOO_FEW_TO_RESAMPLE = 50


def tested(
    catalog: Catalog,
    engine: Engine,
    units: Units,
    statistic: str,
    values: Mapping[str, Value],
    unread: Collection[str],
) -> str:
    """Keep the rows of a test over units in a table, and return its name.

    Args:
        unread: columns of the test that nothing reads.
    """
    query, macros = linked(catalog, units.tested(catalog, statistic, values, unread))
    engine.define(macros)
    name = engine.name(statistic)
    engine.keep(name, query)
    return name


def with_intervals(
    catalog: Catalog, engine: Engine, inference: Inference, units: Units, summary: exp.Query
) -> tuple[exp.Select, list[Finding]]:
    """Return the query of the summary with the bounds of its values, and the findings about them.

    Args:
        summary: the rows where they are kept, in their order.
    """
    parts: list[exp.Select] = []
    told: list[Finding] = []
    for one in (units, *units.aggregated):
        if one.measures:
            table = _bounds_of_units(catalog, engine, inference, one)
            parts.append(exp.select(*_bound_columns(one)).from_(table))
            told += _told(engine, inference, one, table)
    if units.samples is not None and units.members is not None:
        table = keep_new(engine, "bounds", units.samples.bounds(catalog, units.members))
        parts.append(exp.select(*_bound_columns(units)).from_(table))
        found = _told(engine, inference, units, table)
        told += [one for one in found if one not in told and (one.severity != NOTE or not units.measures)]
    units = _without_tests_only(units)
    # The difference of two systems is tested all the same.
    compared = frozenset() if units.samples is None else units.samples.unbounded
    told += [_without(text, why) for text, why in units.without.items() if text not in compared]
    names = [name for name, _ in engine.columns(summary)]
    columns = [_bounded(name, units, bool(parts)) for name in names]
    place = names.index("signature")
    columns[place:place] = [_size(name, bool(parts)) for name in (N_UNITS, N_EFFECTIVE)]
    numbered = summary.copy().select(exp.Window(this=exp.RowNumber()).as_("place"))
    query = exp.select(*columns).from_(numbered.subquery("summary"))
    if parts:
        bounds = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
        query = query.join(bounds.subquery("bounds"), on=_same_row(units), join_type="left")
    return cast("exp.Select", with_directions(query.order_by("place"))), told


def _without_tests_only(units: Units) -> Units:
    """Return the units, `without` the measures that have an interval and no test."""
    bounded = {text for one in units.aggregated for text in one.measures}
    return replace(units, without={text: why for text, why in units.without.items() if text not in bounded})


def _bound_columns(units: Units) -> tuple[str, ...]:
    return ("system", "metric", "slice", *units.columns.values(), "lower", "upper", "n", "n_effective", "why")


def _bounds_of_units(catalog: Catalog, engine: Engine, inference: Inference, units: Units) -> str:
    """Keep the bounds of the measures that have units in a table, and return its name."""
    name = engine.name("bounds")
    query, macros = linked(catalog, units.intervals(catalog, inference.level))
    engine.define(macros)
    engine.keep(name, query)
    if inference.method != BOOTSTRAP or units.method:
        return name
    statistic = INTERVALS[BOOTSTRAP]
    declared = catalog.statistics[statistic].own_params
    values = {key: value for key, value in inference.values().items() if key in declared}
    resampled = tested(catalog, engine, units, statistic, values, ())
    same: list[exp.Expr] = [
        exp.EQ(this=exp.column(key, resampled), expression=exp.column(key, name))
        for key in ("system", "metric", "slice")
    ]
    same += [
        exp.NullSafeEQ(this=exp.column(alias, resampled), expression=exp.column(alias, name))
        for alias in units.columns.values()
    ]
    # If all values are equal, all resamples are equal: the bounds are those of the proportion, or NULL.
    columns = [
        exp.Case().when(exp.column("varies", name), _in_range(units, exp.column(key, resampled), name))
        .else_(exp.column(key, name)).as_(key)
        if key in ("lower", "upper") else exp.column(key, name)
        for key in _bound_columns(units)
    ]  # fmt: skip
    both = engine.name("bounds")
    engine.keep(both, exp.select(*columns).from_(name).join(resampled, on=exp.and_(*same), join_type="left"))
    return both


def _in_range(units: Units, bound: exp.Expr, table: str) -> exp.Expr:
    """Return a bound within the range of its measure: values of units may lie outside.

    Args:
        table: it has the texts of the measures.
    """
    found = exp.Case()
    for text, scale in zip(units.measures, units.scales, strict=False):
        is_own = exp.column("metric", table).eq(literal(text))
        for end, beyond in ((scale.low, exp.LT), (scale.high, exp.GT)):
            if math.isfinite(end):
                is_beyond = beyond(this=bound.copy(), expression=literal(end))
                found = found.when(exp.and_(is_own.copy(), is_beyond), literal(end), copy=False)
    return found.else_(bound) if found.args.get("ifs") else bound


def _same_row(units: Units) -> exp.Expr:
    """Return the condition that bounds belong to a row of the summary."""
    system = exp.func("coalesce", exp.column("system", "summary"), literal(ONE_SYSTEM))
    same: list[exp.Expr] = [exp.EQ(this=exp.column("system", "bounds"), expression=system)]
    for name in ("metric", "slice"):
        same.append(exp.EQ(this=exp.column(name, "bounds"), expression=exp.column(name, "summary")))
    for name, alias in units.columns.items():
        known = exp.column(name, "summary", quoted=True)
        same.append(exp.NullSafeEQ(this=exp.column(alias, "bounds"), expression=known))
    return exp.and_(*same)


def _bounded(name: str, units: Units, has_bounds: bool) -> exp.Expr:
    """Return one result column; if there is a value and no interval, the reason says why.

    Bounds of an approximation are replaced, because they mean something else.
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
    """Return the number of units, or the effective number; NULL if the metric has no units."""
    column, type_ = SIZE_COLUMNS[name]
    found = exp.column(column, "bounds") if has_bounds else exp.null()
    return exp.cast(found, type_).as_(name)


@cache
def _finite() -> exp.Expr:
    """Return the condition that value and bounds are finite; samples of an infinite value may be finite."""
    text = "isfinite(bounds.lower) AND isfinite(bounds.upper) AND isfinite(summary.value)"
    return sqlglot.parse_one(text, dialect=DIALECT)


def _method(inference: Inference, units: Units) -> str:
    """Name the method; metrics that are computed again as a whole take fewer resamples."""
    if units.method:
        return units.method
    if inference.method != BOOTSTRAP:
        return "Student's t"
    if not units.measures:
        return f"bootstrap of {inference.samples:,} resamples"
    has_others = units.samples is not None and inference.samples != inference.resamples
    others = f" ({inference.samples:,} for metrics that are computed again as a whole)" if has_others else ""
    return f"bootstrap of {inference.resamples:,} resamples{others}"


def _told(engine: Engine, inference: Inference, units: Units, bounds: str) -> list[Finding]:
    """Report the method of the intervals, and the number and kind of units behind them."""
    columns = ("metric", "slice", *units.columns.values(), "n", "n_effective")
    order = [exp.Ordered(this=exp.column(name), desc=False)
             for name in ("metric", "slice", "system", *units.columns.values())]  # fmt: skip
    rows = engine.rows(exp.select(*columns).from_(bounds).order_by(*order))
    overall = [n for _, slice_, *_, n, _ in rows if not slice_ and n]
    counts = " to ".join(f"{n:,}" for n in dict.fromkeys((min(overall), max(overall)))) if overall else ""
    over = f"{counts} {units.kind}".strip()
    advice = (
        "if several belong to one user, say so with cluster='user_id' (--cluster user_id)"
        if units.kind in (ROWS, SHARED_ROWS)
        else ""
    )
    of = joined(units.measures, "and") if units.method else "the values"
    message = f"{100 * inference.level:g} % intervals of {of}: {_method(inference, units)} over {over}"
    found = [_finding(NOTE, "; ".join(filter(None, (message, advice))), advice)]
    few = dict.fromkeys(
        _few(units, metric, slice_, segment, n, effective)
        for metric, slice_, *segment, n, effective in rows
        if n and (n if effective is None else effective) < FEW_UNITS and not units.is_exact
    )  # fmt: skip
    if few:
        listed = ", ".join([*few][:LISTED]) + (f", and {len(few) - LISTED} more" if len(few) > LISTED else "")
        found.append(_warning_of_few(f"intervals: only {listed}; read them with care", "take more data"))
    is_resampled = inference.method == BOOTSTRAP and not units.method
    if is_resampled and overall and min(overall) < TOO_FEW_TO_RESAMPLE:
        message = (
            f"intervals: percentiles of resamples of fewer than {TOO_FEW_TO_RESAMPLE} units are too narrow: "
            "of 20, 95 % intervals cover about 91 %"
        )
        if units.measures:
            advice = "interval_method='t' holds its level; leave interval_method out"
        else:
            advice = "take more data"
        found.append(_warning_of_few(message, advice))
    return found


def _few(
    units: Units, metric: str, slice_: str, segment: Sequence[Any], n: int, effective: float | None
) -> str:
    """Return a text with the number of units of a metric, and the slice."""
    # A number such as 1.9999999 stems from sums in another order.
    worth = f"{n}" if effective is None or n - effective < 0.05 else f"{effective:.1f} effective of {n}"
    in_force = [name for name in units.columns if f",{slice_label([name])}," in f",{slice_},"]
    values = dict(zip(units.columns, segment, strict=True))
    where = [f"{name} is NULL" if values[name] is None else f"{name}={values[name]}" for name in in_force]
    return f"{worth} {units.kind} for {metric}" + (f" where {', '.join(where)}" if where else "")


def _without(text: str, why: str) -> Finding:
    return _finding(WARNING, f"{text}: has no interval: {why}", "do not base a decision on it")


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


def _warning_of_few(message: str, advice: str) -> Finding:
    return Finding(findings.FEW_UNITS, WARNING, "", "", 0, (), message, advice)


def _finding(severity: str, message: str, advice: str) -> Finding:
    return Finding("interval", severity, "", "", 0, (), message, advice)


CHANCE = "probability_best"
# A chance is shown in percent, and 2,000 samples give it to one percent.
USUAL_SAMPLES, FEWEST_SAMPLES = 2000, 200
# Values of units times samples that are drawn at most; of more units, groups are drawn together.
WORK = 100_000_000
MOST_GROUPS, FEWEST_GROUPS = 10_000, 100


def samples_of_chances(inference: Inference, results: int) -> tuple[int, int]:
    """Return the number of samples, and of groups of units, that a chance comes from.

    Args:
        results: the number of systems, times slices, times metrics.
    """
    samples = inference.resamples
    if not inference.fixed:
        samples = min(max(WORK // (max(results, 1) * FEWEST_GROUPS), FEWEST_SAMPLES), USUAL_SAMPLES)
    groups = WORK // (max(results, 1) * samples)
    return samples, min(max(groups, FEWEST_GROUPS), MOST_GROUPS)


def chances_of_best(
    catalog: Catalog, engine: Engine, units: Units, measures: Iterable[Measure], values: Mapping[str, Value]
) -> dict[tuple[Any, ...], float | None]:
    """Return the chance of every system to be the best, by the keys of `Units.row_key`.

    Args:
        measures: those whose range says which values are better; others have no best.
        values: resamples, seed and groups.
    """
    ways: dict[tuple[tuple[str, Value], ...], list[str]] = {}
    for measure in measures:
        if (way := direction(measure)) is not None:
            ways.setdefault(tuple(way.items()), []).append(measure.text)
    found: dict[tuple[Any, ...], float | None] = {}
    for known, texts in ways.items():
        given = {**values, **dict(known)}
        queries = []
        if set(texts) & set(units.measures):
            own = replace(units, query=of_measures(units.each(CHANCE), units.measures, texts))
            queries.append(engine.kept(tested(catalog, engine, own, CHANCE, given, ("n", "mean"))))
        if units.samples is not None and set(texts) & set(units.samples.units.measures):
            queries.append(units.samples.best(catalog, given, texts))
        for query in queries:
            rows = engine.arrow(query).to_pylist()
            found |= {units.row_key(row): row["probability"] for row in rows}
    return found


def direction(measure: Measure) -> dict[str, Value] | None:
    """Return the parameters that say which values are better; None if the header does not say it."""
    declared = measure.metric.range
    if declared.direction is None:
        return None
    target: dict[str, Value] = {} if declared.target is None else {"target": declared.target}
    return {"better": declared.direction, **target}
