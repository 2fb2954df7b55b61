"""Units of metrics that are no mean of the values of queries: percentiles and geometric means.

They have intervals of their own. They have no tests, because the tests compare means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.inference.units import LOG, Units
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.summaries.aggregations import bound_aggregation

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure

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


def logarithms(catalog: Catalog, measure: Measure, values: exp.Query, clustered: bool) -> exp.Select:
    """Return the units of a geometric mean: the values whose mean it takes before it transforms it back.

    Args:
        values: system, metric, query_id, value, for clusters also cluster_id.
    """
    aggregation = bound_aggregation(catalog, str(measure.aggregation), "value", None)
    (mean,) = aggregation.find_all(exp.Avg)
    others = ("system", "metric", "query_id", *([CLUSTER] if clustered else []))
    return exp.select(*others, mean.this.copy().as_("value")).from_(values.subquery("values"))
