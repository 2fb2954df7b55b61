"""The macro that compares classifiers: the counterpart of `duckmetrics.compare` for rows.

The label and the score are expressions, so the macro itself reads the rows and checks them. The rest is a
text that is written when the macro is called, with the metrics asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.expressions.folding import Value, literal
from duckmetrics.inputs.classification import GROUP
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.macro_queries.comparison_results import (
    ADJUST,
    BASELINE,
    NUMBERS_GIVEN,
    TEST,
    contestants,
    problems_of_comparison,
)
from duckmetrics.macro_queries.macro import Argument, Macro, Overload, Written, reference
from duckmetrics.macro_queries.parameters import Asked, Offer, aliases_of
from duckmetrics.macro_queries.query import SYSTEM, Steps
from duckmetrics.row_macros.row_body import (
    CONSTANTS,
    DATA,
    GUARD,
    METRICS_ASKED,
    SETTLED,
    SLICED_BY,
    OfRows,
    columns_of_rows,
    ordered,
    written_over_rows,
)
from duckmetrics.row_macros.row_comparison_text import COLUMNS, RowComparisonText, UnitsOfMetric
from duckmetrics.row_macros.row_signatures import RowSignatures
from duckmetrics.row_macros.row_slices import CLUSTER, RowSlices, named_columns
from duckmetrics.statistics.adjustment import HOLM
from duckmetrics.summaries.plans import APPROX, by_group

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog

NAME = "compare_classification"
# The step with the arguments that are names of columns.
NAMED = "named"
KNOWN = ("metric", "is_binary", "undefined", "infinite", "better", "target")


def comparison_macro(catalog: Catalog) -> Macro:
    """Return the macro that compares systems of rows with a baseline."""
    refused = not_compared(catalog)
    names = [name for one in _offer(catalog).asked for name in one.names if name not in refused]
    offer = _offer(catalog, names)
    declared = catalog.statistics[TEST].own_params
    needed = {
        SYSTEM: "the name of the column that identifies the system",
        BASELINE: "the system that the others are compared with",
        CLUSTER: "the name of the column of independent units, such as users",
    }
    arguments = ordered(
        *DATA, METRICS_ASKED, GUARD,
        *(Argument(name, is_needed=True, meanings={"": said}) for name, said in needed.items()),
        SLICED_BY, *(Argument(name, declared[name].default) for name in NUMBERS_GIVEN),
        Argument(ADJUST, HOLM), Argument(GROUP), Argument(WEIGHT), *offer.arguments,
    )  # fmt: skip
    query = _Compared(catalog, offer, arguments, refused).query
    title = "Systems of classified rows next to a baseline, with tests over clusters"
    return Macro(NAME, (Overload(arguments, Written(query)),), title)


def not_compared(catalog: Catalog) -> dict[str, str]:
    """Return the metrics that the macro does not compare, by each of their names, with the reason."""
    every = [UnitsOfMetric(catalog, one) for one in _offer(catalog).asked]
    return {name: one.without for one in every if one.without is not None for name in one.asked.names}


def _offer(catalog: Catalog, names: Collection[str] = ()) -> Offer:
    """Return metrics, all by default. An approximation has no values of units."""
    return Offer(catalog, aliases_of(catalog, CLASSIFICATION, names), {**SETTLED, APPROX: None})


class _Compared(OfRows):
    """The query of a comparison of rows: one row per system, slice and metric, next to the baseline.

    Args:
        refused: name of a metric that is not compared -> the reason.
    """

    def __init__(
        self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument], refused: Mapping[str, str]
    ) -> None:
        super().__init__(catalog, offer, arguments, exp.select(exp.null()))
        weighted = exp.select("is_weighted").from_("predictions").limit(1).subquery()
        self.signatures = RowSignatures(catalog, weighted)
        self.refused = refused
        self.units = [UnitsOfMetric(catalog, one) for one in offer.asked]

    def query(self) -> exp.Query:
        """Return the rows of the comparison, after all checks pass."""
        text = RowComparisonText(self.catalog, self.offer, self.arguments, self.units)
        refused = [
            *problems_of_comparison(self.catalog, _name_of(SYSTEM)), self.shell("bad_clusters"),
            self.shell("not_compared"), self._split_groups(),
        ]  # fmt: skip
        steps: Steps = [
            (NAMED, named_columns(self.catalog, (SYSTEM, CLUSTER))), *self.specs(),
            ("contestants", contestants()),
            *self.checked(CONSTANTS, "bad_metrics", "no_data", "quoted_columns", also=refused),
            ("signed", self._signed()),
        ]  # fmt: skip
        named = exp.func("coalesce", reference(CLUSTER), literal(""))
        slices = RowSlices(self.catalog, named, COLUMNS)
        return written_over_rows(self, steps, text.query(), literal(""), slices)

    def internal(self) -> dict[str, exp.Expr]:
        return {**super().internal(), SYSTEM: _name_of(SYSTEM), CLUSTER: _name_of(CLUSTER)}

    def known(self) -> exp.Query:
        """Return the table of all metrics, also those that are refused."""
        known = super().known()
        rows = [exp.Tuple(expressions=[literal(name), literal(why)]) for name, why in self.refused.items()]
        alias = exp.TableAlias(
            this=exp.to_identifier("others"), columns=list(map(exp.to_identifier, ("name", "without")))
        )
        given = {"name": exp.column("name"), "measure": exp.column("name"), "without": exp.column("without")}
        others = exp.select(
            *(given.get(column, exp.null()).as_(column) for column in known.named_selects)
        ).from_(exp.Values(expressions=rows, alias=alias))  # fmt: skip
        return exp.union(known, others, distinct=False)

    def columns_of(self, one: Asked) -> dict[str, Value | exp.Expr]:
        known = columns_of_rows(self.catalog, self.signatures, one)
        return {**super().columns_of(one), **known, "without": None}

    def _signed(self) -> exp.Select:
        """Return the metrics asked for by their places, with their signatures."""
        place = exp.Add(this=exp.column("segment"), expression=literal(1))
        signature = self.signatures.signature(exp.column("signature"))
        return exp.select(place.as_("place"), *KNOWN, signature.as_("signature")).from_("specs")

    def _split_groups(self) -> exp.Query:
        """Return the problem of metrics by group, if one is asked for."""
        grouped = [one for one in self.asked if by_group(one.measure)]
        query = exp.select("problem").from_(self.shell("split_groups").subquery("split"))
        return query.where(self.is_asked(grouped))


def _name_of(argument: str) -> exp.Expr:
    """Return an argument that is the name of a column, from the step with all of them."""
    return exp.select(argument).from_(NAMED).subquery()
