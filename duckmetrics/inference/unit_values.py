"""The values of units: queries or clusters of them, users or rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.engine import Feature, keep_new
from duckmetrics.engines.plans import by_group
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.class_units import OfClasses, of_classes
from duckmetrics.inference.intervals import HINT, HINT_ELSEWHERE, HINT_OF_PAIRS
from duckmetrics.inference.kept import collected, moved_query
from duckmetrics.inference.ranking_summary import bound_aggregation, units_of
from duckmetrics.inference.row_summary import ClassificationSummary
from duckmetrics.inference.row_units import (
    ManyUnits,
    bootstrapped,
    can_be_bootstrapped,
    units_at,
    units_of_sums,
)
from duckmetrics.inference.sums import NONE, Sums
from duckmetrics.inference.units import (
    HITS,
    KEYS,
    LOG,
    LOGIT,
    MEAN,
    PER_QUERY,
    PROPORTION,
    QUERIES,
    ROWS,
    SHARED_ROWS,
    SIZES,
    Samples,
    Scale,
    Units,
    no_units,
    struct,
)
from duckmetrics.inputs.classes import PLACE, ROW
from duckmetrics.inputs.classification import GROUP, UNIT, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.inputs.interval_options import BOOTSTRAP, MOST_SAMPLES, Inference
from duckmetrics.words.units import CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.engines.plans import Plan
    from duckmetrics.inference.ranking_summary import RankingSummary
    from duckmetrics.inference.system_summary import SystemSummary
    from duckmetrics.inputs.inputs import Inputs


# The methods that the header of an aggregation names in its line `interval`; LOG is the other one.
QUANTILE = "quantile"
UNITS, BOUNDS = "quantile_units", "quantile_bounds"
METHODS = {QUANTILE: "order statistics", LOG: "Student's t of logarithms"}


@dataclass(frozen=True)
class Quantiles(Units):
    """The values of queries of metrics that are percentiles.

    `query` also has the column cluster_id.

    Attributes:
        shares: the quantiles of the measures, in their places, such as 0.5 for the median.
    """

    shares: tuple[float, ...] = ()

    @property
    def is_exact(self) -> bool:
        return not self.clustered

    def intervals(self, catalog: Catalog, level: float) -> exp.Select:
        """Return the bounds of every measure, by system, measure and slice, or why there are none."""
        columns = self.by_measure({"q": self.shares})
        query = exp.select("system", "metric", "query_id", CLUSTER, "value", *columns)
        composer = Composer(catalog, {UNITS: query.from_(self.query.subquery("units"))})
        bounds = composer.relation(BOUNDS, {"level": level})
        own = (exp.column("clusters").as_("n"), exp.true().as_("varies"))
        others = ("n_effective", "lower", "upper", "why")
        step = composer.step("bounds", exp.select("system", "metric", *own, *others).from_(bounds))
        return composer.complete(self.named(step, ("n", "varies", *others)))


def method_of(catalog: Catalog, measure: Measure) -> str | None:
    """Return the method of the interval of an aggregation, None if it has none."""
    if measure.aggregation is None:
        return None
    method = catalog.aggregation_names[measure.aggregation].metric.header.get("interval")
    return method if method in METHODS else None


def share_of(catalog: Catalog, measure: Measure) -> float:
    """Return the quantile that a percentile is, such as 0.5 for the median."""
    return float(catalog.aggregation_names[str(measure.aggregation)].bound["p"]) / 100


def logarithms(catalog: Catalog, measure: Measure, values: exp.Query, others: Collection[str]) -> exp.Select:
    """Return the units of a geometric mean: the values whose mean it takes before it transforms it back.

    Args:
        values: system, metric, query_id, value, and the others.
        others: those of the columns cluster_id and weight that there are.
    """
    aggregation = bound_aggregation(catalog, str(measure.aggregation), "value", None)
    (mean,) = aggregation.find_all(exp.Avg)
    return exp.select("system", "metric", "query_id", *others, mean.this.copy().as_("value")).from_(
        values.subquery("values")
    )


def units_of_ranking(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    summary: RankingSummary | SystemSummary,
    segments: str | None = None,
) -> Units:
    """Return the values of the queries, or of clusters of queries, whose mean is a metric.

    Args:
        segments: the table of the segments, if there is one already.
    """
    reasons = {m.text: why for m in measures if (why := summary.without_units(m)) is not None}
    chosen = [i for i, measure in enumerate(measures) if measure.text not in reasons]
    if segments is None and (found := summary.segments()) is not None:
        segments = keep_new(engine, "segments", found)
    named = None
    if segments is not None:
        columns = (exp.column(alias) for alias in summary.by.values())
        named = collected(engine, "segments", exp.select("segment", "slice", *columns).from_(segments))
    kind = QUERIES if inputs.cluster is None else f"{CLUSTERS}{inputs.cluster}"
    # Queries of unequal weight are clusters of one query each.
    others = tuple(units_of(inputs))
    frame = Units(no_units(), named, summary.by, (), kind, reasons, clustered=bool(others))
    if chosen:
        values = _values_of(engine, inputs, summary, chosen, segments)
        frame = units_at(
            engine, _independent(catalog, values, others), segments=named, columns=summary.by,
            measures=tuple(measures[i].text for i in chosen), kind=kind, without=reasons,
            clustered=frame.clustered, scales=tuple(scale_of_queries(measures[i]) for i in chosen),
        )  # fmt: skip
        if inputs.cluster is not None:
            frame = replace(frame, members=_members(engine, frame, _with_values(values)))
    aggregated = []
    for method in METHODS:
        places = [i for i, measure in enumerate(measures) if method_of(catalog, measure) == method]
        if places:
            values = _values_of(engine, inputs, summary, places, segments)
            own = [measures[i] for i in places]
            aggregated.append(_aggregated(catalog, engine, own, values, frame, others))
    return replace(frame, aggregated=tuple(aggregated))


def _members(engine: Engine, units: Units, members: exp.Query) -> exp.Query:
    """Return the members of units where these are."""
    if isinstance(units, ManyUnits):
        return engine.kept(keep_new(engine, "members", members))
    return moved_query(engine, "members", members)


def _values_of(
    engine: Engine,
    inputs: Inputs,
    summary: RankingSummary | SystemSummary,
    places: Sequence[int],
    segments: str | None,
) -> exp.Query:
    """Return the values of queries for some of the measures."""
    values = summary.units(places, segments)
    if inputs.cluster is not None:
        _refuse_null(engine, values, CLUSTER, inputs.cluster, "queries")
    return values


def _independent(catalog: Catalog, values: exp.Query, others: Collection[str]) -> exp.Query:
    """Return the values of queries, or of clusters of them, in the form of `Units`.

    Args:
        others: see `logarithms`.
    """
    if not others:
        return exp.select(*KEYS, *unknown_sizes()).from_(values.subquery("values"))
    if CLUSTER not in others:
        own = exp.column("query_id").as_(CLUSTER)
        values = exp.select(exp.Star(), own).from_(values.subquery("values"))
    composer = Composer(catalog, {PER_QUERY: values})
    clusters = composer.relation("clustered", {WEIGHTED: WEIGHT in others})
    return composer.complete(exp.select(*KEYS, *SIZES).from_(clusters))


def _aggregated(
    catalog: Catalog, engine: Engine, measures: Sequence[Measure], values: exp.Query, frame: Units,
    others: Collection[str],
) -> Units:  # fmt: skip
    """Return the units of measures that aggregate the values of queries by the same method, not by a mean."""
    method = str(method_of(catalog, measures[0]))
    shared: dict[str, Any] = {
        "segments": frame.segments, "columns": frame.columns, "kind": frame.kind,
        "measures": tuple(measure.text for measure in measures),
        "clustered": frame.clustered, "method": METHODS[method],
    }  # fmt: skip
    if method == QUANTILE:
        shares = tuple(share_of(catalog, measure) for measure in measures)
        query = values if frame.clustered else values.copy().select(exp.column("query_id").as_(CLUSTER))
        return Quantiles(moved_query(engine, "units", query), **shared, shares=shares)
    query = _independent(catalog, logarithms(catalog, measures[0], values, others), others)
    scales = (Scale(method),) * len(measures)
    return units_at(engine, query, **shared, scales=scales)


def units_of_classification(
    catalog: Catalog, engine: Engine, inputs: Inputs, sorted_once: Inputs, measures: Sequence[Measure],
    inference: Inference, plan: Mapping[str, Plan],
) -> Units:  # fmt: skip
    """Return the contribution of every cluster of rows, or row, to metrics that the delta method covers.

    Args:
        sorted_once: the inputs, perhaps with what `with_placements` adds, which is wrong for samples of rows.
        plan: how the pairs of each measure are counted.
    """
    alone = SHARED_ROWS if inputs.shares_rows else ROWS
    is_of_rows = inputs.cluster is None or (inputs.cluster == ROW and PLACE in inputs.own_columns)
    kind = alone if is_of_rows else f"{CLUSTERS}{inputs.cluster}"
    if inputs.cluster is not None:
        _refuse_null(engine, inputs.unsliced["predictions"], UNIT, inputs.cluster, "rows")
        if any(by_group(measure) for measure in measures):
            refuse_split_groups(
                engine, inputs, "cluster", inputs.cluster,
                "leave cluster= out to use the groups, or ask for metrics by group separately",
            )  # fmt: skip
    several = of_classes(catalog, [measure for measure in measures if measure.family == MULTICLASS])
    sums = Sums(catalog, sorted_once, [m for m in measures if m not in several], inputs.cluster is None, plan)
    others = OfClasses(catalog, engine, inputs, several, len(sums.linear)) if several else None
    summary = ClassificationSummary(catalog, inputs, measures, "")
    segments = summary.named_slices()
    if segments is not None:
        segments = collected(engine, "segments", segments)
    known = [*(linear.measure for linear in sums.linear), *several]
    units = units_of_sums(
        catalog, engine, sums, others, segments=segments, columns=summary.by,
        measures=tuple(measure.text for measure in known), kind=kind, without=sums.without,
        scales=tuple(map(scale_of_rows, known)),
    )  # fmt: skip
    return _with_samples(catalog, engine, inputs, measures, inference, units)


def scale_of_queries(measure: Measure) -> Scale:
    """Return the scale of a mean of queries; values between 0 and 1 may all be 0 or 1, the data decide."""
    low, high, *_ = measure.metric.range
    if measure.metric.is_of_systems:
        return Scale(MEAN, low, high)
    return Scale(HITS if (low, high) == (0, 1) else MEAN, low, high)


def scale_of_rows(measure: Measure) -> Scale:
    """Return the scale of a metric of rows."""
    name = measure.metric.header.get("interval", MEAN)
    return Scale(name if name in (LOGIT, PROPORTION) else MEAN, *measure.metric.range[:2])


def _unbounded(measure: Measure) -> str | None:
    """Return why the samples of a bootstrap give no interval of a measure; None if they do."""
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
    """Draw samples for the measures that have no units, or report how to ask for them."""
    sampled = [m for m in measures if m.text in units.without and can_be_bootstrapped(catalog, m)]
    if not engine.supports(Feature.RESAMPLES):
        hints = {m.text: f"{units.without[m.text]}; {HINT_ELSEWHERE}" for m in sampled}
        return replace(units, without={**units.without, **hints})
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
    named = Units(no_units(), units.segments, units.columns, tuple(m.text for m in sampled), units.kind)
    samples = Samples(named, table, inference.level, inference.samples, frozenset(unbounded))
    return replace(units, samples=samples)


def _number_of_samples(engine: Engine, inputs: Inputs, inference: Inference) -> int:
    """Return the number of samples: the usual one, or more if the comparisons of all systems need it."""
    if not inference.adjusted:
        return inference.samples
    rows = inputs.queries["predictions"].subquery("rows")
    keys = (struct("system", "segment"), exp.column("segment"))
    counts = [exp.Count(this=exp.Distinct(expressions=[key])) for key in keys]
    ((all_, segments),) = engine.rows(exp.select(*counts).from_(rows))
    comparisons = all_ - segments
    if inference.pairs:
        comparisons = comparisons * all_ // max(2 * segments, 1)
    return inference.enough(inference.measures * comparisons, inference.samples, MOST_SAMPLES)


def _with_values(query: exp.Query) -> exp.Select:
    """Return the queries with a value: systems share a query if all of them have a value for it."""
    unit = struct("metric", "query_id").as_("unit")
    members = exp.select("system", unit, literal(1).as_("fingerprint")).from_(query.subquery("units"))
    return members.where(exp.not_(exp.Is(this=exp.column("value"), expression=exp.null())))


def _refuse_null(engine: Engine, query: exp.Query, column: str, name: str, what: str) -> None:
    is_null = exp.Is(this=exp.column(column), expression=exp.null())
    offenders = exp.select(exp.Count(this=exp.Star())).from_(query.subquery("rows")).where(is_null)
    ((count,),) = engine.rows(offenders)
    if count:
        raise InputError(
            "cluster",
            f"column {name!r} is NULL for {count} {what}",
            "give every one a value, or leave them out",
        )


def refuse_split_groups(engine: Engine, inputs: Inputs, place: str, column: str, advice: str) -> None:
    """Refuse groups with rows in several units: their rows are compared with each other.

    Args:
        place, advice: of the error.
        column: the user's column of the units.

    Raises:
        InputError: there are such groups.
    """
    rows = inputs.unsliced["predictions"].subquery("rows")
    several = exp.GT(this=exp.Count(this=exp.Distinct(expressions=[exp.column(UNIT)])), expression=literal(1))
    split = exp.select("system", GROUP).from_(rows).group_by("system", GROUP).having(several)
    count = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(split.subquery("split")))[0][0]
    if count:
        group = inputs.column_label("predictions", GROUP)
        raise InputError(place, f"{count} groups of {group!r} have rows in several {column!r}", advice)


def unknown_sizes() -> list[exp.Expr]:
    """Return NULL for the sizes: every query has the same weight, and its value shows whether it is a hit."""
    return [exp.cast(exp.null(), type_).as_(name) for name, type_ in SIZES.items()]
