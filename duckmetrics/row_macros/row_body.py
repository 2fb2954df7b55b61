"""The rows of the user in a macro of rows, and the parameters and columns that these macros share."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.functions import linked
from duckmetrics.expressions.folding import Value, literal
from duckmetrics.inputs.classification import GROUP, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.macro_queries.macro import FUNCTIONS, Argument, given, hidden, reference
from duckmetrics.macro_queries.parameters import other_macros
from duckmetrics.macro_queries.query import METRICS, SOURCE, Body, Steps, whole
from duckmetrics.macro_queries.ranking_rows import aim_columns
from duckmetrics.macro_queries.shell_files import query_of, source
from duckmetrics.row_macros.row_slices import BY, PER, ROWS, SLICE, UNIT, RowSlices
from duckmetrics.summaries.classification import BINARY
from duckmetrics.summaries.plans import PLAN, has_relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.parameters import Asked
    from duckmetrics.macro_queries.template import Template
    from duckmetrics.row_macros.row_signatures import RowSignatures

CONSTANTS: dict[str, Value] = {"system": ONE_SYSTEM}
# A row without a weight has the weight 1.
SETTLED: dict[str, Value] = {WEIGHTED: True}
SEGMENT = "segment"
DATA = (Argument("data", required=True), Argument("label", required=True), Argument("score", required=True))
METRICS_ASKED = Argument(METRICS, required=True)
# DuckDB also takes optional arguments without their names, and would take a weight for the argument
# `per`. The guard is in front of that argument, and the file `observations` refuses a value for it.
GUARD = Argument("by_name", "by name", type="VARCHAR", is_guard=True)
# A column of weights counts only if an argument names it, so a table with one needs an answer.
UNNAMED: dict[str, exp.Expr] = {
    "what": literal("is not used, because no argument names it"),
    "advice": literal("set weight := weight, or weight := 1 if each row counts once"),
}
SLICED_BY = Argument(BY, meanings={"": "the names of the columns to split the results by"})


class OfRows(Body):
    """A query over the rows of the user."""

    def internal(self) -> dict[str, exp.Expr]:
        names = [name for one in self.asked for name in one.names]
        return {
            SOURCE: source(self.catalog, reference("data")), "others": other_macros(self.catalog, names),
        }  # fmt: skip


def ordered(*arguments: Argument) -> tuple[Argument, ...]:
    """Sort parameters, those without a default first."""
    return tuple(sorted(arguments, key=lambda argument: not argument.required))


def columns_of_rows(catalog: Catalog, signatures: RowSignatures, one: Asked) -> dict[str, Value | exp.Expr]:
    """Return the columns of a metric of rows in the table of metrics."""
    return {
        "is_binary": has_relation(catalog, one.measure, BINARY),
        **{key: one.measure.metric.header.get(key) for key in ("undefined", "infinite")},
        WEIGHTED: one.measure.values.get(WEIGHTED) is True, "signature": signatures.template(one),
        **aim_columns(one.measure),
    }  # fmt: skip


def written_over_rows(
    body: Body, steps: Steps, result: exp.Query, plan: exp.Expr, slices: RowSlices | None = None
) -> exp.Query:
    """Put the user's rows before the steps, and the parameters in.

    Args:
        slices: those of systems and columns, if the macro takes them.
    """
    values = {**body.offer.values(), PLAN: plan}
    written = [(name, _per_segment(cast("exp.Query", given(step.copy(), values)))) for name, step in steps]
    names: Sequence[str] = [argument.name for argument in body.arguments]
    passed: dict[str, exp.Expr] = {name: exp.null() for name in (GROUP, WEIGHT, PER) if name not in names}
    passed |= {"takes_weight": literal(_is_weighted(body.asked)), **UNNAMED}
    read = source(body.catalog, reference("data"))
    if slices is None:
        rows = query_of(body.catalog, "observations", {**passed, SOURCE: read})
        return whole(body.catalog, result, [("predictions", rows), *written])
    rows = query_of(body.catalog, "observations", {**passed, SOURCE: slices.source(read)})
    rows = cast("exp.Select", rows).select(exp.column(SLICE).as_("slice"))
    if slices.cluster is not None:
        unit = exp.Bracket(this=exp.column(SLICE), expressions=[literal(UNIT)])
        rows = rows.select(unit.as_(UNIT))
    return whole(body.catalog, result, [(ROWS, rows), ("predictions", slices.segmented()), *written])


def row_text(catalog: Catalog, template: Template, tree: exp.Expr, values: Mapping[str, exp.Expr]) -> str:
    """Write a query over the rows, with hidden names and the arguments of the call in it."""
    bound = cast("exp.Query", given(tree.copy(), values))
    for cte in bound.find_all(exp.CTE):
        cte.set("materialized", None)  # as in `with_steps`
    calling, _ = linked(catalog, _per_segment(bound), FUNCTIONS)
    return template.text(hidden(given(calling, {})))


def _is_weighted(asked: Sequence[Asked]) -> bool:
    """Return whether one of some metrics has a weighted form."""
    return any(p.name == WEIGHTED and p.default is not False for one in asked for p in one.measure.declared)


def _per_segment(step: exp.Query) -> exp.Query:
    """Compare segments so that NULL equals NULL, because a segment may be NULL."""
    for equal in list(step.find_all(exp.EQ)):
        both = (equal.this, equal.expression)
        if all(isinstance(side, exp.Column) and side.name == SEGMENT for side in both):
            equal.replace(exp.NullSafeEQ(this=equal.this, expression=equal.expression))
    return step
