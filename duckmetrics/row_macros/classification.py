"""Macros of classification: rows with a label and a score, which are expressions over the user's columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inputs.classification import GROUP, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.macro_queries.like import Likeness
from duckmetrics.macro_queries.macro import Argument, Call, Macro, Overload, Written, reference
from duckmetrics.macro_queries.parameters import Asked, Offer, aliases_of
from duckmetrics.macro_queries.query import METRICS, SYSTEM, Steps, or_no_text, shown
from duckmetrics.macro_queries.ranking_results import AIM
from duckmetrics.row_macros.row_body import (
    CONSTANTS,
    DATA,
    GUARD,
    METRICS_ASKED,
    SEGMENT,
    SETTLED,
    SLICED_BY,
    OfRows,
    columns_of_rows,
    ordered,
    written_over_rows,
)
from duckmetrics.row_macros.row_comparison import comparison_macro
from duckmetrics.row_macros.row_signatures import RowSignatures
from duckmetrics.row_macros.row_slices import HAS_PER, PER, RESULTS, RowSlices
from duckmetrics.summaries.classification import COUNTS, EXTRAS, per_slice, shown_value
from duckmetrics.summaries.plans import APPROX, GROUPED, PLAN, SORTED, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition

VALUES = "duckmetrics_segment_values"
SLICES = (
    GUARD,
    Argument(SYSTEM, meanings={"": "the name of the column that distinguishes systems"}),
    SLICED_BY,
)
# DuckDB distinguishes overloads by their number of parameters, and two have a required one more.
SPARE = Argument("spare", is_guard=True)
# The columns of a result after those of its slice.
SHOWN = ("value", "lower", "upper", "reason", "n", "n_undefined", "n_positive", *AIM, "signature")


def classification_macros(catalog: Catalog, names: Mapping[str, str]) -> Iterator[Macro]:
    """Yield every macro of classification, each after those that it calls.

    Args:
        names: metric or alias -> the name of its macro, for those that have one.
    """
    offer = Offer(catalog, aliases_of(catalog, CLASSIFICATION), SETTLED)
    yield (values := _values(catalog, offer, VALUES))
    shared = (*DATA, METRICS_ASKED, *SLICES, Argument(GROUP), *offer.arguments)
    yield Macro(
        "evaluate_classification", _overloads(Call(values, {}), shared), "Several metrics of the same rows"
    )
    for asked in offer.asked:
        yield from _of_metric(catalog, asked, names)
    yield comparison_macro(catalog)
    for (family, _), table in catalog.tables.items():
        if family == CLASSIFICATION:
            yield from _tables(catalog, table)


def _values(catalog: Catalog, offer: Offer, name: str) -> Macro:
    """Return the macro that others call: the values of the metrics of an offer, for every slice."""
    inner = (*SLICES, Argument(PER), Argument(HAS_PER, False), Argument(GROUP), Argument(WEIGHT))
    arguments = (*DATA, METRICS_ASKED, *inner, Argument(PLAN, SORTED), *offer.arguments)
    return Macro(name, (Overload(arguments, Written(_Rows(catalog, offer, arguments).query)),), "")


def _of_metric(catalog: Catalog, asked: Asked, names: Mapping[str, str]) -> Iterator[Macro]:
    """Yield the query of one metric alone, which is planned sooner than that of all, and its macros."""
    metric = asked.measure.metric
    own_names = [name for name in asked.names if name in names]
    if not own_names:
        return
    offer = Offer(catalog, aliases_of(catalog, CLASSIFICATION, asked.names), SETTLED)
    yield (values := _values(catalog, offer, f"{VALUES}_{names[own_names[0]]}"))
    grouped = (Argument(GROUP, required=True),) if GROUP in metric.inputs["predictions"] else ()
    declared = offer.arguments_of(offer.asked[0])
    likeness = Likeness(catalog, metric, declared)
    if likeness.entries:
        declared = (*likeness.opened(declared), likeness.like)
    own = (*DATA, *grouped, *SLICES, *declared)
    where = likeness.can_be_followed if likeness.entries else None
    for name in own_names:
        called = Call(values, {**likeness.passed(), METRICS: literal(name)}, where=where)
        if planned(catalog, asked.measure):
            overloads = _overloads(called, own)
        elif asked.measure.values.get(WEIGHTED):
            overloads = _with_per(Overload(ordered(*own, Argument(WEIGHT)), called))
        else:
            unweighted = replace(called, passed={**called.passed, WEIGHT: literal(1.0)})
            overloads = _with_per(Overload(ordered(*own), unweighted))
        yield Macro(names[name], overloads, metric.title, metric)


def _overloads(called: Call, arguments: Sequence[Argument]) -> tuple[Overload, ...]:
    """Return the overloads without and with weights: by default, only those without weights sort all rows.

    DuckDB distinguishes overloads by their number of parameters.
    """
    weighted = replace(called, passed={**called.passed, PLAN: _grouped()})
    weight = Argument(WEIGHT, required=True, by_name=True)
    return _with_per(
        Overload(ordered(*arguments, Argument(PLAN, SORTED)), called),
        Overload(ordered(*arguments, weight, Argument(PLAN, GROUPED)), weighted),
    )


def _with_per(*overloads: Overload) -> tuple[Overload, ...]:
    """Return the overloads without `per`, and those that need it: their results have a column more."""
    meaning = "an expression by whose values the rows are split, in a column segment"
    per = Argument(PER, required=True, by_name=True, meanings={"": meaning})
    spares = [SPARE] if len(overloads) > 1 else []
    found = list(overloads)
    for overload in overloads:
        called = cast("Call", overload.body)
        sliced = replace(called, passed={**called.passed, HAS_PER: exp.true()}, without=())
        found.append(Overload(ordered(*overload.arguments, per, *spares), sliced))
    return tuple(found)


def _grouped() -> exp.Expr:
    """Replace the plan `sorted` by the one for weights; an unknown plan stays, to be refused later."""
    is_sorted = exp.EQ(this=reference(PLAN), expression=literal(SORTED))
    return exp.Case().when(is_sorted, literal(GROUPED)).else_(reference(PLAN))


def _tables(catalog: Catalog, table: Definition) -> Iterator[Macro]:
    """Yield the macro of a curve or another table, after those that it calls: one for each plan."""
    offer = Offer(catalog, {}, SETTLED)
    (asked,) = offer.add(table)
    grouped = (Argument(GROUP, required=True),) if GROUP in table.inputs["predictions"] else ()
    own = (*DATA, *grouped, GUARD, *offer.arguments_of(asked))
    # Only the first of several plans reads no weights; a plan alone reads them if they are given.
    plans: dict[str, tuple[Argument, ...]] = {GROUPED: (Argument(WEIGHT),)}
    if planned(catalog, asked.measure):
        plans = {SORTED: (), GROUPED: (Argument(WEIGHT, required=True, by_name=True),)}
    overloads = []
    for plan, weight in plans.items():
        arguments = ordered(*own, Argument(PER), *weight)
        body = _Table(catalog, offer, arguments, plan).query()
        yield (values := Macro(f"duckmetrics_{plan}_{table.name}", (Overload(arguments, body),), ""))
        overloads.append(Overload(ordered(*own, *weight), Call(values, {}, without=(SEGMENT,))))
    yield Macro(table.name, _with_per(*overloads), table.title, table)


class _Rows(OfRows):
    """The query of every metric of classification, one row per system, slice and metric."""

    def __init__(self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument]) -> None:
        composer = Composer(catalog, {}, CONSTANTS)
        measures = [one.measure for one in offer.asked]
        query = per_slice(composer, measures, {m.text: {PLAN: Parameter(PLAN)} for m in measures})
        super().__init__(catalog, offer, arguments, query)
        weighted = exp.select(f"is_{WEIGHTED}").from_("predictions").limit(1).subquery()
        self.signatures = RowSignatures(catalog, weighted)
        counts = [f"{c}{suffix}" for c in COUNTS for suffix in ("", f"_{WEIGHTED}")]
        columns = [[f"{c}_{i}" for c in ("value", *EXTRAS)] for i in range(len(measures))]
        self.only_where_asked([[*own, *counts] for own in columns])

    def query(self, inline: Callable[[exp.Expr], exp.Expr] | None = None) -> exp.Query:
        """Return one row per system, slice and metric, after all checks pass.

        Args:
            inline: changes each expression in a text before it is written, such as to put in the macros that
                it calls.
        """
        slices = RowSlices(self.catalog, inline)
        of_call = ("bad_metrics",) if len(self.asked) > 1 else ()
        checked = self.checked(CONSTANTS, *of_call, "bad_plan", "no_data", "quoted_columns")
        steps: Steps = [
            *self.specs(), *self.steps.items(), ("per_segment", self.outer),
            ("segment_values", self._values()), *checked, (RESULTS, self._results()),
        ]  # fmt: skip
        return written_over_rows(self, steps, slices.shown(SHOWN), self._plan(), slices)

    def specs(self) -> Steps:
        """Return the step with the metrics asked for; a macro of one metric knows which one it is."""
        if len(self.asked) > 1:
            return super().specs()
        row = exp.select(literal(0).as_(SEGMENT), reference(METRICS).as_("metric"))
        for name, value in self.columns_of(self.asked[0]).items():
            row = row.select((value if isinstance(value, exp.Expr) else or_no_text(value)).as_(name))
        return [("specs", row)]

    def _values(self) -> exp.Select:
        """Return the numbers of every segment and metric."""
        of_measure = [self._chosen(column) for column in ("value", *EXTRAS)]
        counts = [self._counted(column) for column in COUNTS]
        known = ("metric", "is_binary", "undefined", "infinite", *AIM, "signature")
        query = exp.select(
            exp.column(SEGMENT, "specs").as_("place"), *(exp.column(name, "specs") for name in known),
            exp.column(SEGMENT, "per_segment"), *of_measure, *counts,
            exp.column("n", "per_segment").as_("n_all"),
        )  # fmt: skip
        return query.from_("specs").join("per_segment", join_type="cross")

    def _results(self) -> exp.Select:
        """Return the columns of the results, and the columns that sort and slice them."""
        meant = {"value": "v", "n": "n_all", "counted": "n"}
        value, reason = shown_value(self.catalog, {name: exp.column(c) for name, c in meant.items()})
        n_positive = exp.Case().when(exp.column("is_binary"), exp.column("n_positive"))
        signature = self.signatures.signature(exp.column("signature"))
        columns = {**{name: exp.column(name) for name in SHOWN}, "value": value, "n_positive": n_positive,
                   "reason": reason, "signature": signature}  # fmt: skip
        keys = (SEGMENT, "metric", "place")
        query = exp.select(*keys, *(columns[name].as_(name) for name in SHOWN)).from_("segment_values")
        return query.join("checked", join_type="cross").where(exp.column("fine"))

    def _plan(self) -> exp.Expr:
        """Return the plan of the call; bins need grouped rows, whatever plan is asked for."""
        if APPROX not in self.offer.variants:
            return reference(PLAN)
        binned = exp.not_(exp.Is(this=reference(APPROX), expression=exp.null()))
        return exp.Case().when(binned, literal(GROUPED)).else_(reference(PLAN))

    def columns_of(self, one: Asked) -> dict[str, Value | exp.Expr]:
        return {**super().columns_of(one), **columns_of_rows(self.catalog, self.signatures, one)}

    def _chosen(self, column: str) -> exp.Expr:
        """Return the column of the metric asked for."""
        chosen = exp.Case(this=exp.column("measure", "specs"))
        known = set(self.outer.named_selects)
        for i, one in enumerate(self.asked):
            if f"{column}_{i}" in known:
                found: exp.Expr = exp.column(f"{column}_{i}", "per_segment")
                if column == "n_undefined":
                    found = exp.func("coalesce", found, literal(0))
                chosen = chosen.when(literal(one.measure.text), found, copy=False)
        name = "v" if column == "value" else column
        kind = "BIGINT" if column == "n_undefined" else "DOUBLE"
        return (chosen if chosen.args.get("ifs") else exp.cast(exp.null(), kind)).as_(name)

    def _counted(self, column: str) -> exp.Expr:
        """Count the rows of a metric: those that have a weight, or all if the metric takes no weights."""
        if f"{column}_{WEIGHTED}" not in self.outer.named_selects:
            return exp.func("coalesce", exp.column(column, "per_segment"), literal(0)).as_(column)
        weighted = exp.column(f"{column}_{WEIGHTED}", "per_segment")
        chosen = (
            exp.Case().when(exp.column(WEIGHTED, "specs"), weighted).else_(exp.column(column, "per_segment"))
        )
        return exp.func("coalesce", chosen, literal(0)).as_(column)


class _Table(OfRows):
    """The query of a curve or another table."""

    def __init__(self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument], plan: str) -> None:
        (asked,) = offer.asked
        composer = Composer(catalog, {}, CONSTANTS)
        metric = asked.measure.metric
        query = cast("exp.Select", composer.resolved(metric, {**asked.measure.values, PLAN: plan}))
        order = query.args.pop("order", None)
        keys = order.expressions if order else [exp.Ordered(this=exp.column(key)) for key in metric.grain]
        self.order = [key for key in keys if key.this.name != "system"]
        self.columns = [name for name in query.named_selects if name != "system"]
        self.name = composer.step(metric.name, query)
        rows = exp.select(*self.columns).from_(self.name)
        super().__init__(catalog, offer, arguments, composer.assemble(rows))

    def query(self) -> exp.Query:
        """Return the rows, after all checks pass."""
        steps: Steps = [
            ("specs", exp.select(literal(self.asked[0].measure.text).as_("measure"))),
            *self.steps.items(), *self.checked(CONSTANTS, "no_data", "quoted_columns"),
        ]  # fmt: skip
        result = exp.select(*self.columns).from_(self.name).join("checked", join_type="cross")
        result = result.where(exp.column("fine"))
        for key in self.order:
            column = exp.column(key.this.name)
            result = result.order_by(exp.Ordered(this=column, desc=key.args.get("desc")), copy=False)
        return shown(written_over_rows(self, steps, result, literal("")))
