"""The standard deviation of means over queries, if equal scores are in a random order.

A list with ties becomes several lists, each with the items in another random order: the id of the query has
the number of the order, and the switch ties=input reads the order. So every metric is computed as always.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import own_columns
from duckmetrics.catalog.measure import COPIED, holds
from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.compose.optimizer import CONTENDERS, depth_of
from duckmetrics.engines.engine import keep_new
from duckmetrics.evaluation.family_evaluation import plan_of
from duckmetrics.evaluation.ranking import bands_of_terms
from duckmetrics.expressions.build import everything, picked, row_count, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import WEIGHTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.ranking_summary import RankingSummary


# The limits of the number of random orders, see sql/relations/ranking/numbered_lists.sql.
LIMITS: dict[str, Value] = {"most_orders": 1000, "most_rows": 1_000_000, "least_lists": 200}
LISTS, VALUES = "numbered_lists", "shuffled_values"
SHUFFLED = {"predictions": "shuffled_predictions", "truth": "shuffled_truth"}


class Shuffled:
    """The lists of an evaluation with ties, in random orders.

    Args:
        summary: the summary of the values per query.
        measures: the first measures of the evaluation, of which the deviations are wanted.
    """

    def __init__(
        self, catalog: Catalog, engine: Engine, summary: RankingSummary, measures: Sequence[Measure]
    ) -> None:
        self.catalog = catalog
        self.engine = engine
        self.summary = summary
        self.inputs = summary.inputs
        self.measures = [measure.bound(ties="input") for measure in measures]

    def deviations(self) -> Mapping[tuple[str | None, int], tuple[float | None, int]]:
        """Return the deviation of each mean, and the number of orders of a list that are behind it.

        Returns:
            System and place of the measure -> deviation and number; nothing without ties.
        """
        ((n_lists,),) = self.engine.rows(row_count(self._lists.subquery(LISTS)))
        if not n_lists:
            return {}
        units = self.summary.units(range(len(self.measures)), None)
        composer = self._composer({VALUES: self._values(), "valued_queries": units})
        weighted = self.inputs.weight is not None
        step = composer.relation("tie_deviations", {**LIMITS, WEIGHTED: weighted})
        rows = self.engine.rows(composer.complete(picked(step, "system", "metric", "sd", "n_orders")))
        one = self.inputs.one_system
        return {(None if one else system, place): (sd, n) for system, place, sd, n in rows}

    @cached_property
    def _lists(self) -> exp.Select:
        """The lists in which an order can matter to a measure, with their numbers."""
        composer = self.inputs.composer(self.catalog)
        every = self.summary.measures
        searched = {"plan": plan_of(self.engine, every), "depth": depth_of(every)}
        steps = dict.fromkeys(
            composer.relation("tied_lists", {**one.values, **searched, "any_items": one.metric.is_own})
            for one in self.measures
        )
        found = stacked(picked(step, "system", "query_id") for step in steps).subquery("found")
        tied = self._kept("shuffled_lists", composer.complete(everything(found).distinct()))
        composer = self.inputs.composer(self.catalog, {**self.inputs.queries, "shuffled_lists": tied})
        step = composer.relation(LISTS, LIMITS)
        return self._kept(LISTS, composer.complete(everything(step)))

    def _kept(self, stem: str, query: exp.Query) -> exp.Select:
        return self.engine.kept(keep_new(self.engine, stem, query))

    def _composer(self, more: Mapping[str, exp.Query]) -> Composer:
        """Return a composer over the inputs, the numbered lists and further tables."""
        return self.inputs.composer(self.catalog, {**self.inputs.queries, LISTS: self._lists, **more})

    def _rows(self, table: str) -> exp.Select:
        """Keep the rows of a table once for each order, with the columns that metrics of the user read."""
        composer = self._composer({})
        copied = any(holds(self.catalog, COPIED, measure) for measure in self.measures)
        step = composer.relation(SHUFFLED[table], {**LIMITS, COPIED: copied})
        own = own_columns([measure.metric for measure in self.measures], table)
        columns = (exp.column(exp.to_identifier(name, quoted=True), table) for name in own)
        cast("exp.Select", composer.steps[step]).select(*columns, copy=False)
        return self._kept(SHUFFLED[table], composer.complete(everything(step)))

    def _values(self) -> exp.Query:
        """Return the values of the measures for each order of a list: system, metric, query_id, value."""
        tables = {table: self._rows(table) for table in SHUFFLED}
        answered = picked(tables["predictions"].subquery("predictions"), "system", "query_id")
        tables["queries"] = answered.select(exp.false().as_("missing")).distinct()
        others = {name: query for name, query in self.inputs.queries.items() if name != CONTENDERS}
        composer = self.inputs.composer(self.catalog, {**others, **tables})
        query, columns = composer.per_query(self.measures, plan_of(self.engine, self.measures))
        bands = bands_of_terms(self.catalog, self.engine, self.inputs, self.measures)
        exact = cast("exp.Query", with_exact_sums(query, bands))
        kept = self._kept(VALUES, exact)
        return stacked(
            picked(
                kept.subquery(VALUES), "system", literal(place).as_("metric"), "query_id",
                exp.column(one.value).as_("value"),
            )
            for place, one in enumerate(columns)
        )  # fmt: skip
