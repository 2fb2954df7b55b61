"""Macros of classification: rows with a label and a score, which are expressions over the user's columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.plans import APPROX, GROUPED, PLAN, SORTED, planned
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inference.row_summary import COUNTS, EXTRAS, per_slice, shown_value
from duckmetrics.inputs.classification import GROUP, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.shell.forms import AskedMetrics, Entry
from duckmetrics.shell.like import Likeness
from duckmetrics.shell.macro import (
    HIDDEN,
    QUERY,
    Argument,
    Call,
    Macro,
    Overload,
    Written,
    closure,
    given,
    reference,
)
from duckmetrics.shell.own_columns import OwnColumns
from duckmetrics.shell.parameters import Offer, OfferedMetric, aliases_of
from duckmetrics.shell.query import (
    METRICS,
    SYSTEM,
    Steps,
    known_metrics,
    or_no_text,
    placed,
    shown,
    specs_of,
    whole,
)
from duckmetrics.shell.ranking_call import METRIC, OF_METRICS, PLACE
from duckmetrics.shell.ranking_query import with_pieces
from duckmetrics.shell.ranking_rows import AIM
from duckmetrics.shell.row_body import (
    CONSTANTS,
    DATA,
    GUARD,
    HAS_PER,
    METRICS_ASKED,
    PER,
    RESULTS,
    SEGMENT,
    SETTLED,
    SLICED_BY,
    OfRows,
    RowSignatures,
    RowSlices,
    columns_of_rows,
    ordered,
    per_segment,
    row_text,
    written_over_rows,
)
from duckmetrics.shell.row_comparison import comparison_macro, of_comparison
from duckmetrics.shell.template import Template, chosen, joined, run_as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.shell.template import Part


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
    inner = (*SLICES, Argument(PER), Argument(HAS_PER, False), Argument(GROUP), Argument(WEIGHT))
    usual = (*DATA, METRICS_ASKED, *inner, Argument(PLAN, SORTED), *offer.arguments)
    own = OwnColumns(catalog, offer.asked, [a.name for a in (*usual, SPARE, *of_comparison(catalog))])
    arguments = (*usual, *own.arguments())
    body = _EvaluatedRows(catalog, offer, arguments, own)
    yield (values := Macro(VALUES, (Overload(arguments, Written(body.query)),), ""))
    shared = (*DATA, METRICS_ASKED, *SLICES, Argument(GROUP), *offer.arguments, *own.arguments())
    yield Macro(
        "evaluate_classification", _overloads(Call(values, {}), shared), "Several metrics of the same rows"
    )
    for asked in offer.asked:
        yield from _of_metric(catalog, values, asked, names, own.arguments(asked))
    yield comparison_macro(catalog, own)
    for (family, _), table in catalog.tables.items():
        if family == CLASSIFICATION:
            yield from _tables(catalog, table)


def _of_metric(
    catalog: Catalog,
    values: Macro,
    asked: OfferedMetric,
    names: Mapping[str, str],
    columns: Sequence[Argument],
) -> Iterator[Macro]:  # fmt: skip
    """Yield the macros of one metric, which call that of all metrics.

    Args:
        columns: the parameters for columns that only metrics of users read.
    """
    metric = asked.measure.metric
    own_names = [name for name in asked.names if name in names]
    if not own_names:
        return
    offer = Offer(catalog, aliases_of(catalog, CLASSIFICATION, asked.names), SETTLED)
    grouped = (Argument(GROUP, required=True),) if GROUP in metric.inputs["predictions"] else ()
    declared = offer.arguments_of(offer.asked[0])
    likeness = Likeness(catalog, metric, declared)
    if likeness.entries:
        declared = (*likeness.opened(declared), likeness.like)
    own = (*DATA, *grouped, *SLICES, *declared, *columns)
    where = None
    if likeness.entries:
        yield (problem := likeness.problem_macro(own_names[0]))
        where = likeness.can_be_followed(problem)
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


class _EvaluatedRows(OfRows):
    """The query of metrics of classification: one row per system, slice and metric.

    The label and the score are expressions, so the macro itself reads the rows. The rest is a text that is
    written when the macro is called, with the metrics asked for.
    """

    def __init__(
        self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument], own: OwnColumns
    ) -> None:
        composer = Composer(catalog, {}, CONSTANTS)
        measures = [one.measure for one in offer.asked]
        query = per_slice(composer, measures, {m.text: {PLAN: Parameter(PLAN)} for m in measures})
        super().__init__(catalog, offer, arguments, query, own)
        weighted = exp.select(f"is_{WEIGHTED}").from_("predictions").limit(1).subquery()
        self.signatures = RowSignatures(catalog, weighted)
        self.template = Template([argument.name for argument in arguments])
        entries = [Entry(one, has_cutoff=False, closed=frozenset()) for one in self.asked]
        self.asked_for = AskedMetrics(catalog, entries, reference(METRICS))
        self.values = {**offer.values(), PLAN: self._plan(), **self.internal()}

    def query(self) -> exp.Query:
        """Return one row per system, slice and metric, after all checks pass."""
        slices = RowSlices(self.catalog)
        results: Steps = [(RESULTS, self._run())]
        return written_over_rows(self, results, slices.shown(SHOWN), literal(""), slices)

    def _run(self) -> exp.Select:
        """Return the query that runs the text."""
        text = joined([chosen(self.asked_for.can_be_written, self._parts(), self._refused())])
        pieces = self.asked_for.pieces(self.template.texts)
        whole = self.template.filled(with_pieces(self.catalog, text, pieces))
        return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[whole])))

    def _parts(self) -> list[Part]:
        """Return the text of the query."""
        checks = self.checked(CONSTANTS, "bad_plan", "no_data", "quoted_columns", also=[*self.nulls()])
        always = {table.name for _, step in checks for table in step.find_all(exp.Table)}
        needed = [self.needed([f"{c}_{i}" for c in ("value", *EXTRAS)]) for i, _ in enumerate(self.asked)]
        counts = self.needed([*COUNTS, *(f"{c}_{WEIGHTED}" for c in COUNTS)])
        kept = closure(self.steps, always | counts)
        flags = {name: [name in kept or name in own for own in needed] for name in self.steps}
        steps = [
            self.template.needed(f"{self._cte(name, step)}, ", flags[name])
            for name, step in self.steps.items()
        ]
        joins = {join.this.name: join for join in self.outer.args.get("joins") or []}
        outer = cast("exp.Select", self.outer.copy())
        of_metrics = {f"{c}_{i}" for c in ("value", *EXTRAS) for i, _ in enumerate(self.asked)}
        shared = [p for p in outer.selects if p.alias_or_name not in of_metrics]
        outer.set("expressions", [*shared, exp.var(OF_METRICS)])
        outer.set("joins", None)
        head, tail = self._cte("per_segment", outer).removesuffix(")").split(OF_METRICS)
        pieces = [self._columns(number) for number, _ in enumerate(self.asked)]
        joined_ = [
            self.template.needed(f" {self._text(join).strip()}", flags[name]) for name, join in joins.items()
        ]
        return [
            "WITH ", self._facts(), *steps, head, self.template.piece(pieces), tail, *joined_, "), ",
            self._cte("specs", self._specs()), ", ",
            *(f"{self._cte(name, step)}, " for name, step in checks),
            self._cte("segment_values", self._values()).replace(OF_METRICS, self._each_value()), " ",
            self._text(self._results()),
        ]  # fmt: skip

    def _refused(self) -> list[Part]:
        """Return the text of the query where a metric is not known, which is an error."""
        steps: Steps = [
            *specs_of(self.catalog, known_metrics(self.asked), reference(METRICS)),
            ("problems", placed(self.shell("bad_metrics"), 0)), ("checked", self.shell("checked")),
        ]  # fmt: skip
        columns = (SEGMENT, "metric", "place", *SHOWN)
        of_rows = {SEGMENT: exp.column(SEGMENT, "predictions")}
        nothing = exp.select(*(of_rows.get(n, exp.null()).as_(n) for n in columns)).from_("checked")
        nothing = nothing.join("predictions", join_type="cross")
        return [
            "WITH ", ", ".join(self._cte(name, step) for name, step in steps), " ",
            self._text(nothing.where(exp.column("fine"))),
        ]  # fmt: skip

    def _facts(self) -> str:
        """Return the text of the step with what is known of each metric asked for."""
        texts = []
        for one in self.asked:
            columns = {"place": exp.var(PLACE), "metric": exp.var(METRIC), **self.columns_of(one)}
            pairs = [
                exp.PropertyEQ(
                    this=exp.to_identifier(f"_{name}"),
                    expression=value if isinstance(value, exp.Expr) else or_no_text(value),
                )
                for name, value in columns.items()
            ]
            texts.append(self.template.text(exp.Struct(expressions=pairs)))
        facts = exp.select(exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        return f"{self._cte('facts', facts)}, ".replace(OF_METRICS, self.template.piece(texts))

    @staticmethod
    def _specs() -> exp.Select:
        """Return the metrics asked for as the checks read them; they have no cut-off."""
        place = exp.Sub(this=exp.column("place"), expression=literal(1))
        return exp.select(place.as_(SEGMENT), exp.null().as_("k"), "*").from_("facts")

    def _columns(self, number: int) -> str:
        """Return the columns of one metric in the row of a segment."""
        known = {p.alias: p.unalias() for p in self.outer.selects}
        kinds = {"value": "DOUBLE", **EXTRAS}
        columns = {}
        for name, kind in kinds.items():
            found = known.get(f"{name}_{number}", exp.cast(exp.null(), kind)).copy()
            columns[name] = exp.func("coalesce", found, literal(0)) if name == "n_undefined" and (
                f"{name}_{number}" in known) else found  # fmt: skip
        query = exp.select(*(value.as_(f"{name}_{PLACE}") for name, value in columns.items()))
        return self._text(query).removeprefix("SELECT ")

    def _each_value(self) -> str:
        """Return the values of the metrics asked for below each other."""
        names = {"v": "value", **{name: name for name in EXTRAS}}
        pairs = [exp.PropertyEQ(this=exp.to_identifier("_place"), expression=exp.var(PLACE))]
        pairs += [
            exp.PropertyEQ(this=exp.to_identifier(f"_{n}"), expression=exp.var(f"_{column}_{PLACE}"))
            for n, column in names.items()
        ]
        return self.template.of_each(self.template.text(exp.Struct(expressions=pairs)))

    def _values(self) -> exp.Select:
        """Return the numbers of every segment and metric."""
        rows = exp.select(exp.Star(), exp.var(f"unnest([{OF_METRICS}], recursive := true)")).from_(
            "per_segment"
        )
        counts = [self._counted(column) for column in COUNTS]
        known = ("metric", "is_binary", "undefined", "infinite", *AIM, "signature")
        query = exp.select(
            exp.column("place", "numbers"), *(exp.column(name, "facts") for name in known),
            exp.column(SEGMENT, "numbers"), "v", *EXTRAS, *counts, exp.column("n", "numbers").as_("n_all"),
        )  # fmt: skip
        same = exp.EQ(this=exp.column("place", "facts"), expression=exp.column("place", "numbers"))
        return query.from_(rows.subquery("numbers")).join("facts", on=same)

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
        binned = exp.not_(exp.Is(this=reference(APPROX), expression=exp.null()))
        return exp.Case().when(binned, literal(GROUPED)).else_(reference(PLAN))

    def columns_of(self, one: OfferedMetric) -> dict[str, Value | exp.Expr]:
        return {**super().columns_of(one), **columns_of_rows(self.catalog, self.signatures, one)}

    def _counted(self, column: str) -> exp.Expr:
        """Count the rows of a metric: those that have a weight, or all if the metric takes no weights."""
        weighted = exp.column(f"{column}_{WEIGHTED}", "numbers")
        chosen_ = exp.Case().when(exp.column(WEIGHTED, "facts"), weighted)
        chosen_ = chosen_.else_(exp.column(column, "numbers"))
        return exp.func("coalesce", chosen_, literal(0)).as_(column)

    def _cte(self, name: str, query: exp.Query) -> str:
        return f"{HIDDEN}{name} AS ({self._text(query)})"

    def _text(self, tree: exp.Expr) -> str:
        """Write a query with hidden names, and the arguments of the call in it."""
        return row_text(self.catalog, self.template, tree, self.values)


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
        values = {**self.offer.values(), **self.internal(), PLAN: literal("")}
        written = [(name, per_segment(cast("exp.Query", given(step, values)))) for name, step in steps]
        names = [argument.name for argument in self.arguments]
        run = run_as_text(names, whole(self.catalog, result, written), self.columns, self.order)
        return shown(written_over_rows(self, [], run, literal("")))
