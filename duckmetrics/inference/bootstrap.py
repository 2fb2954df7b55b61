"""Intervals of metrics that have no derivative: the whole metric again on bootstrap samples of the units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.catalog import DIALECT
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.delta_method import SEGMENT, is_estimate
from duckmetrics.inference.units import struct
from duckmetrics.inputs.classification import GROUP, WEIGHT
from duckmetrics.summaries.classification import per_segment, plans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.specs import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.units import Units
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.ranking import Inputs

DRAW = "draw"
# So many rows are drawn in one query; more samples take more queries, and no more memory.
ROWS_AT_ONCE = 20_000_000


@dataclass(frozen=True)
class Samples:
    """The values of measures on bootstrap samples, kept in a table.

    Attributes:
        units: which measures in which segments they are.
        table: system, segment with draw, value_0, value_1, ...
        number: how many samples.
        unbounded: the texts of measures whose samples tell systems apart, and give no interval of a value.
    """

    units: Units
    table: str
    level: float
    number: int
    unbounded: frozenset[str] = frozenset()

    def bounds(self) -> exp.Select:
        """Percentiles: system, metric, slice, the slicing columns by alias, lower, upper, and no sizes."""
        values = self._long().subquery("samples")
        bounds = (_percentile("value", share).as_(name) for name, share in self._shares("lower", "upper"))
        nothing = {"n": "BIGINT", "n_effective": "DOUBLE", "why": "VARCHAR"}
        empty = (exp.cast(exp.null(), type_).as_(name) for name, type_ in nothing.items())
        query = exp.select("system", "metric", *bounds, *empty).from_(values).group_by("system", "metric")
        named = self.units.named("bounds", ("lower", "upper", *nothing))
        if self.unbounded:
            texts = [literal(text) for text in sorted(self.unbounded)]
            known = named.subquery("named")
            named = exp.select("*").from_(known).where(
                exp.not_(exp.In(this=exp.column("metric"), expressions=texts))
            )  # fmt: skip
        return named.with_("bounds", as_=query, copy=False)

    def differences(self, baseline: str) -> exp.Select:
        """The same of what a system has more than the baseline on each sample, with p of its sign.

        p is twice the smaller share of samples on either side of 0, one more counted on each, at most 1.
        """
        long = self._long()
        base = exp.select("metric", "draw", "value").from_("samples").where(
            exp.EQ(this=exp.column("system"), expression=literal(baseline))
        )  # fmt: skip
        delta = exp.Sub(this=exp.column("value", "samples"), expression=exp.column("value", "base"))
        pairs = (
            exp.select("samples.system", "samples.metric", delta.as_("delta")).from_("samples")
            .join("base", on="base.metric = samples.metric AND base.draw = samples.draw")
            .where(exp.NEQ(this=exp.column("system", "samples"), expression=literal(baseline)))
        )  # fmt: skip
        bounds = (
            _percentile("delta", share).as_(name)
            for name, share in self._shares("delta_lower", "delta_upper")
        )
        tested = exp.select("system", "metric", *bounds, _two_sided().as_("p")).from_("pairs")
        named = self.units.named("tested", ("delta_lower", "delta_upper", "p"))
        tested = tested.group_by("system", "metric")
        steps = {"samples": long, "base": base, "pairs": pairs, "tested": tested}
        for name, step in steps.items():
            named = named.with_(name, as_=step, copy=False)
        return named

    def _shares(self, lower: str, upper: str) -> tuple[tuple[str, float], tuple[str, float]]:
        return (lower, 0.5 - self.level / 2), (upper, 0.5 + self.level / 2)

    def _long(self) -> exp.Select:
        """A row for every system, measure, segment and sample that has a finite value."""
        count = len(self.units.measures)
        whole: exp.Query | None = None
        for place in range(count):
            segment, draw = (exp.Dot(this=exp.column(SEGMENT), expression=exp.to_identifier(n))
                             for n in (SEGMENT, DRAW))  # fmt: skip
            number = exp.Add(this=exp.Mul(this=segment, expression=literal(count)), expression=literal(place))
            value = exp.column(f"value_{place}")
            part = exp.select("system", number.as_("metric"), draw.as_("draw"), value.as_("value"))
            part = part.from_(self.table).where(exp.Anonymous(this="isfinite", expressions=[value.copy()]))
            whole = part if whole is None else exp.union(whole, part, distinct=False, copy=False)
        return exp.select("*").from_(cast("exp.Query", whole).subquery("values"))


def _percentile(column: str, share: float) -> exp.Expr:
    return exp.Anonymous(this="quantile_cont", expressions=[exp.column(column), literal(share)])


def _two_sided() -> exp.Expr:
    text = (
        "least(1e0, 2e0 * (1 + least(count(*) FILTER (WHERE delta <= 0), count(*) FILTER (WHERE delta >= 0)))"
        " / (1 + count(*)))"
    )
    return sqlglot.parse_one(text, dialect=DIALECT)


def bootstrapped(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], inference: Inference
) -> str:
    """Keep the values of measures on samples in a table, and return its name."""
    samples = engine.name("samples")
    predictions = inputs.queries["predictions"].subquery("predictions")
    (n,) = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(predictions))[0]
    step = max(1, ROWS_AT_ONCE // max(n, 1))
    for first in range(0, inference.samples, step):
        last = min(first + step, inference.samples)
        query, macros = linked(catalog, _values(catalog, inputs, measures, first, last, inference.seed))
        engine.define(macros)
        engine.keep(samples, query, more=first > 0)
    return samples


def _values(
    catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], first: int, last: int, seed: int
) -> exp.Select:
    """The value of every measure, for every system, segment and sample."""
    drawing = Composer(catalog, {"predictions": inputs.queries["predictions"]}, inputs.constants)
    values: dict[str, Value] = {"first": first, "last": last, "seed": seed}
    step = drawing.relation("resampled", values)
    kept = ("label", "score", WEIGHT, GROUP)
    drawn = drawing.complete(exp.select("system", struct(SEGMENT, DRAW).as_(SEGMENT), *kept).from_(step))
    constants = {name: value for name, value in inputs.constants.items() if name != SEGMENT}
    composer = Composer(catalog, {"predictions": drawn}, constants)
    return per_segment(composer, measures, plans(catalog, measures, None))


def can_be_bootstrapped(catalog: Catalog, measure: Measure) -> bool:
    """Say whether a measure estimates something, and has no bounds of another kind."""
    built_on = (measure.metric, *catalog.foundations(measure.metric))
    return all(map(is_estimate, built_on)) and measure.values.get("approx") is None
