"""The ways to count the pairs of each metric of rows; all of them lead to the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.engines.engine import Feature
from duckmetrics.expressions.folding import RangeOf, Value, literal
from duckmetrics.inputs.classification import GROUP, WEIGHTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# The parameters that decide how a measure is computed, not what it is.
Plan = dict[str, "Value"]
PLAN, GROUPED, SORTED = "plan", "grouped", "sorted"
THRESHOLDS = "thresholds"
RANGES, RANGE_OF = "ranges", "range_of"
COUNTED, SCORES = "counted", "scores"
APPROX = "approx"
# There are many distinct scores if there are more than this, and more than one in this number of rows.
FEW_SCORES, ROWS_PER_SCORE = 100_000, 20
# The approximate number of rows sorted together on a cluster, and the most ranges of scores.
ROWS_OF_RANGE, MOST_RANGES = 50_000, 256


def plans(catalog: Catalog, measures: Sequence[Measure], distinct: tuple[int, int] | None) -> dict[str, Plan]:
    """Choose the way to count pairs for each measure; all ways lead to the same numbers.

    Args:
        distinct: about how many distinct scores there are, and how many rows.
    """
    sort_all = distinct is not None and are_many(*distinct) and not _grouped_anyway(catalog, measures)
    return {
        measure.text: {PLAN: SORTED if _sortable(measure) and (sort_all or by_group(measure)) else GROUPED}
        for measure in measures
    }


def are_many(distinct: int, n_rows: int) -> bool:
    """Return whether a sort of all rows takes less time than groups of rows with equal scores."""
    return distinct > max(FEW_SCORES, n_rows / ROWS_PER_SCORE)


def portable_plans(measures: Sequence[Measure], range_of: RangeOf | None = None) -> dict[str, Plan]:
    """Return the plan of each measure that is the same on all engines.

    Args:
        range_of: the ranges of scores that a cluster sorts separately. Groups are separate anyway.
    """
    plain: Plan = {PLAN: GROUPED, COUNTED: SCORES}
    ranged: Plan = (
        plain if range_of is None else {**plain, RANGES: len(range_of.edges) + 1, RANGE_OF: range_of}
    )
    return {measure.text: plain if by_group(measure) else ranged for measure in measures}


def depend_on_scores(catalog: Catalog, measures: Sequence[Measure]) -> bool:
    """Return whether the number of distinct scores decides how some measure is computed."""
    undecided = (planned(catalog, m) and _sortable(m) and not by_group(m) for m in measures)
    return any(undecided) and not _grouped_anyway(catalog, measures)


def _sortable(measure: Measure) -> bool:
    """Return whether sorting can compute a measure: it supports neither weights nor bins."""
    return not measure.values.get(WEIGHTED) and measure.values.get(APPROX) is None


def by_group(measure: Measure) -> bool:
    """Return whether a measure looks at groups of rows, each by itself."""
    return GROUP in measure.metric.inputs["predictions"]


def sorts_rows(measure: Measure, plan: Plan) -> bool:
    """Return whether a plan sorts all rows of a segment to count the pairs of a measure."""
    return plan.get(PLAN) == SORTED and measure.family != MULTICLASS and not by_group(measure)


def reads_thresholds(catalog: Catalog, measure: Measure, plan: Plan) -> bool:
    """Return whether a plan reads each distinct score of the rows of a segment, without weights or bins."""
    is_plain = _sortable(measure) and not by_group(measure)
    return is_plain and plan.get(PLAN) != SORTED and has_relation(catalog, measure, THRESHOLDS)


def _grouped_anyway(catalog: Catalog, measures: Sequence[Measure]) -> bool:
    """Return whether a measure needs the distinct scores, so that the others can share them."""
    return any(has_relation(catalog, m, THRESHOLDS) and not planned(catalog, m) for m in measures)


def planned(catalog: Catalog, measure: Measure) -> bool:
    """Return whether there are several ways to compute a measure."""
    return PLAN in catalog.placeholders(measure.metric)


def has_relation(catalog: Catalog, measure: Measure, relation: str) -> bool:
    return any(source.name == relation for source in catalog.foundations(measure.metric))


def reads_ranges(catalog: Catalog, measure: Measure) -> bool:
    """Return whether the scores are sorted for a measure."""
    return RANGES in catalog.placeholders(measure.metric) and not by_group(measure)


def edges_of_ranges(composer: Composer, number: int) -> exp.Select:
    """Return the query of the scores that divide the rows into `number` ranges of about equal size."""
    composer.relation("predictions", {})
    shares = exp.Array(expressions=[literal(i / number) for i in range(1, number)])
    edges = exp.ApproxQuantile(this=exp.column("score"), quantile=shares)
    return composer.complete(exp.select(edges).from_("predictions"))


def distinct_scores(composer: Composer) -> exp.Select:
    """Return the query of the approximate number of distinct scores, and of the number of rows."""
    composer.relation("predictions", {})
    distinct = exp.ApproxDistinct(this=exp.column("score"))
    return composer.complete(exp.select(distinct, exp.Count(this=exp.Star())).from_("predictions"))


def plans_on(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> dict[str, Plan]:
    if not engine.supports(Feature.GLOBAL_SORTS):
        return portable_plans(measures, _range_of(catalog, engine, inputs, measures))
    distinct = None
    if depend_on_scores(catalog, measures):
        distinct = engine.rows(distinct_scores(inputs.composer(catalog)))[0]
    return plans(catalog, measures, distinct)


def _range_of(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> RangeOf | None:
    """Return the ranges of scores to sort separately, None if one range is enough."""
    if not any(reads_ranges(catalog, measure) for measure in measures):
        return None

    def composer() -> Composer:
        return inputs.composer(catalog, inputs.unsliced)

    ((distinct, n),) = engine.rows(distinct_scores(composer()))
    number = min(n // ROWS_OF_RANGE + 1, MOST_RANGES)
    if distinct <= FEW_SCORES or number < 2:
        return None
    ((edges,),) = engine.rows(edges_of_ranges(composer(), number))
    return RangeOf("score", tuple(sorted(set(edges))))
