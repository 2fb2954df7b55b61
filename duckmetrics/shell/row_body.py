"""The rows of the user in a macro of rows, and the parameters and columns that these macros share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.measure import DIGEST, VERSION
from duckmetrics.catalog.measure import written as written_value
from duckmetrics.compose.functions import linked
from duckmetrics.engines.plans import PLAN, has_relation
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inference.row_summary import BINARY
from duckmetrics.inputs.classification import GROUP, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.shell.macro import (
    FUNCTIONS,
    QUERY,
    Argument,
    call,
    given,
    hidden,
    is_null,
    query_of,
    reference,
    signature_name,
    source,
    written,
)
from duckmetrics.shell.own_columns import OwnColumns
from duckmetrics.shell.parameters import other_macros
from duckmetrics.shell.query import METRICS, SOURCE, SYSTEM, Body, Steps, whole
from duckmetrics.shell.ranking_rows import aim_columns
from duckmetrics.shell.template import Template
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.shell.parameters import Offer, OfferedMetric


def _without_zero_decimals(listed: exp.Expr) -> exp.Expr:
    """Write a list of numbers as a signature has it: [0, 0.5, 1] in place of [0.0, 0.5, 1.0]."""
    text = exp.cast(listed, "VARCHAR")
    arguments = [text, literal(r"\.0([,\]])"), literal(r"\1"), literal("g")]
    return exp.Anonymous(this="regexp_replace", expressions=arguments)


class RowSignatures:
    """Writes templates for the function ``format`` of DuckDB, and collects the values that go into them.

    A table of all metrics has their templates as literals.

    Args:
        is_weighted: the condition that rows have weights.
    """

    def __init__(self, catalog: Catalog, is_weighted: exp.Expr) -> None:
        self.catalog, self.is_weighted = catalog, is_weighted
        self.values: dict[exp.Expr, int] = {}

    def template(self, one: OfferedMetric) -> str:
        """Return the signature of a metric with marks for the values that a call decides."""
        parts = [signature_name(self.catalog, one.measure)]
        parts += [f"{name}:{self._signed(one, name, value)}" for name, value in one.measure.params]
        parts += [f"{DIGEST}:{one.measure.metric.digest}"] if one.measure.metric.is_own else []
        return "|".join([*parts, f"{VERSION}:{__version__}"])

    def signature(self, template: exp.Expr) -> exp.Expr:
        """Return the signature of a template; a number has no decimals if they are zero."""
        texts = [exp.func("coalesce", exp.cast(v.copy(), "VARCHAR"), literal("null")) for v in self.values]
        text = exp.Anonymous(this="format", expressions=[template, *texts])
        return exp.Anonymous(this="replace", expressions=[text, literal(".0|"), literal("|")])

    def _signed(self, one: OfferedMetric, name: str, value: Value) -> str:
        """Return the value of a parameter, or its mark; of one that changes nothing, the default."""
        if name == WEIGHTED and value is True:
            return self._mark(self.is_weighted)
        if not isinstance(value, Parameter):
            return written_value(value)
        declared = next(param for param in one.measure.declared if param.name == name)
        default = declared.default
        idle = self.catalog.idle(one.measure.metric).get(name, exp.false())
        if idle == exp.true():
            return written_value(default)
        given: exp.Expr = exp.Placeholder(this=value.name)
        if idle != exp.false():
            given = exp.Case().when(self._condition(one, idle), literal(default)).else_(given)
        return self._mark(_without_zero_decimals(given) if declared.type is tuple else given)

    def _condition(self, one: OfferedMetric, idle: exp.Expr) -> exp.Expr:
        """Return the condition under which a parameter changes nothing, over the values of the call."""
        condition = exp.paren(idle.copy(), copy=False)
        for column in list(condition.find_all(exp.Column)):
            known = one.measure.values[column.name]
            read = exp.Placeholder(this=known.name) if isinstance(known, Parameter) else literal(known)
            column.replace(exp.paren(read))
        return exp.func("coalesce", condition, exp.false())

    def _mark(self, value: exp.Expr) -> str:
        return f"{{{self.values.setdefault(value, len(self.values))}}}"


BY, PER, HAS_PER, CLUSTER = "by", "per", "has_per", "cluster"
# The arguments in the text of the rows.
MARKED = ("data", SYSTEM, BY, CLUSTER)
# The key of the cluster of a row in its slice.
UNIT = "unit"
# The column of the slice of a row, and the steps that the texts read.
SLICE, ROWS, RESULTS = "_duckmetrics_slice", "rows", "results"


class RowSlices:
    """Writes the queries whose texts depend on `system`, `by` and `per`.

    Args:
        cluster: the name of the column of clusters, if the macro takes one; it then does not take `per`.
        reserved: columns of the results that no slicing column may be called, in addition to the usual ones.
    """

    def __init__(
        self,
        catalog: Catalog,
        cluster: exp.Expr | None = None,
        reserved: Sequence[str] = (),
    ) -> None:
        self.catalog, self.cluster = catalog, cluster
        self.reserved = (*RESERVED, *reserved)
        self.has_per = reference(HAS_PER) if cluster is None else exp.false()

    def source(self, source: exp.Expr) -> exp.Expr:
        """Return the text that reads the rows, each with its slice.

        A query in the text puts the text of slices together, only where they are asked for: DuckDB takes its
        time over each lambda, also over those that it does not run.

        Args:
            source: the text that reads the rows of the user.
        """
        text: exp.Expr = literal(self._sliced(source))
        values: list[exp.Expr] = [reference(name) for name in MARKED if name != CLUSTER]
        if self.cluster is None:
            has_names = call(self.catalog, "has_names", reference(BY))
            is_plain = exp.and_(is_null(reference(SYSTEM)), exp.not_(has_names))
            rows = _run(source.copy()).args["from_"].this
            plain = exp.select(exp.Star(), exp.null().as_(SLICE)).from_(rows)
            text = exp.Case().when(is_plain, literal(self._text(plain))).else_(text)
        else:
            values.append(self.cluster.copy())
        quoted = (call(self.catalog, "quoted", value) for value in values)
        return exp.Anonymous(this="format", expressions=[text, *quoted])

    def _sliced(self, source: exp.Expr) -> str:
        """Return the text of the query that puts the text of slices together, with marks for its values."""
        names = call(self.catalog, "slice_names", reference(BY))
        names = call(self.catalog, "distinct_names", names)
        reserved = exp.Array(expressions=[literal(name) for name in self.reserved])
        label = call(self.catalog, "slice_label", names, reserved)
        cluster = exp.null() if self.cluster is None else reference(CLUSTER)
        given = (source.copy(), reference(SYSTEM), cluster, names.copy(), label)
        return self._text(_run(call(self.catalog, "rows_in_slices", *given)))

    def _text(self, query: exp.Expr) -> str:
        """Write a query for the function ``format``, with marks for the arguments."""
        places = {reference(name): place for place, name in enumerate(MARKED)}
        for var in list(query.find_all(exp.Var)):
            if var in places:
                var.replace(exp.var(f"__{places[var]}__"))
        return re.sub(r"__(\d)__", r"{\1}", Template.escaped(written(query)))

    def segmented(self) -> exp.Select:
        """Return the query of the rows with their segments."""
        given = (reference(SYSTEM), reference(BY), self.has_per.copy())
        return _run(call(self.catalog, "sliced_rows", *given))

    def shown(self, columns: Sequence[str]) -> exp.Select:
        """Return the query of the results as people see them.

        Args:
            columns: those after the columns of the slice.
        """
        text = literal(", ".join(f"_{name} AS {name}" for name in columns))
        given = (reference(SYSTEM), reference(BY), self.has_per.copy(), text)
        return _run(call(self.catalog, "shown_rows", *given))


def named_columns(catalog: Catalog, arguments: Sequence[str]) -> exp.Select:
    """Return the query of arguments that are names of columns, as text.

    Only as an argument of a function that returns a table, a name needs no quotes. The columns of the
    written text have the names that `hidden` gives the columns of the macro.
    """
    text = "SELECT " + ", ".join(f"{{}} AS _{argument}" for argument in arguments)
    quoted = (call(catalog, "quoted", reference(argument)) for argument in arguments)
    return _run(exp.Anonymous(this="format", expressions=[literal(text), *quoted]))


def _run(text: exp.Expr) -> exp.Select:
    """Return the query that runs a text."""
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[text])))


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
    """A query over the rows of the user.

    Args:
        own: the columns that only metrics of users read.
    """

    def __init__(
        self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument], query: exp.Query,
        own: OwnColumns | None = None,
    ) -> None:  # fmt: skip
        super().__init__(catalog, offer, arguments, query)
        self.own = own or OwnColumns(catalog, (), ())

    def nulls(self) -> Iterator[exp.Select]:
        """Yield the queries of NULL in these columns; with slices by columns, each row is there twice."""
        copies = exp.Case().when(call(self.catalog, "has_names", reference(BY)), literal(2)).else_(literal(1))
        return self.own.nulls_of_rows(copies)

    def internal(self) -> dict[str, exp.Expr]:
        names = [name for one in self.asked for name in one.names]
        return {
            SOURCE: source(self.catalog, reference("data")), "others": other_macros(self.catalog, names),
        }  # fmt: skip


def ordered(*arguments: Argument) -> tuple[Argument, ...]:
    """Sort parameters, those without a default first."""
    return tuple(sorted(arguments, key=lambda argument: not argument.required))


def columns_of_rows(
    catalog: Catalog, signatures: RowSignatures, one: OfferedMetric
) -> dict[str, Value | exp.Expr]:
    """Return the columns of a metric of rows in the table of metrics."""
    return {
        "is_binary": has_relation(catalog, one.measure, BINARY),
        **{key: one.measure.metric.header.get(key) for key in ("undefined", "infinite")},
        WEIGHTED: one.measure.values.get(WEIGHTED) is True, "signature": signatures.template(one),
        **aim_columns(one.measure),
    }  # fmt: skip


def written_over_rows(
    body: OfRows, steps: Steps, result: exp.Query, plan: exp.Expr, slices: RowSlices | None = None
) -> exp.Query:
    """Put the user's rows before the steps, and the parameters in.

    Args:
        slices: those of systems and columns, if the macro takes them.
    """
    values = {**body.offer.values(), PLAN: plan}
    written = [(name, per_segment(cast("exp.Query", given(step.copy(), values)))) for name, step in steps]
    names: Sequence[str] = [argument.name for argument in body.arguments]
    passed: dict[str, exp.Expr] = {name: exp.null() for name in (GROUP, WEIGHT, PER) if name not in names}
    passed |= {"takes_weight": literal(_is_weighted(body.asked)), **UNNAMED}
    read = source(body.catalog, reference("data"))
    if slices is None:
        rows = query_of(body.catalog, "observations", {**passed, SOURCE: read})
        return whole(body.catalog, result, [("predictions", rows), *written])
    rows = query_of(body.catalog, "observations", {**passed, SOURCE: slices.source(read)})
    rows = body.own.of_rows(cast("exp.Select", rows).select(exp.column(SLICE).as_("slice")))
    if slices.cluster is not None:
        unit = exp.Bracket(this=exp.column(SLICE), expressions=[literal(UNIT)])
        rows = rows.select(unit.as_(UNIT))
    return whole(body.catalog, result, [(ROWS, rows), ("predictions", slices.segmented()), *written])


def row_text(catalog: Catalog, template: Template, tree: exp.Expr, values: Mapping[str, exp.Expr]) -> str:
    """Write a query over the rows, with hidden names and the arguments of the call in it."""
    bound = cast("exp.Query", given(tree.copy(), values))
    for cte in bound.find_all(exp.CTE):
        cte.set("materialized", None)  # as in `with_steps`
    calling, _ = linked(catalog, per_segment(bound), FUNCTIONS)
    return template.text(hidden(given(calling, {})))


def _is_weighted(asked: Sequence[OfferedMetric]) -> bool:
    """Return whether one of some metrics has a weighted form."""
    return any(p.name == WEIGHTED and p.default is not False for one in asked for p in one.measure.declared)


def per_segment(step: exp.Query) -> exp.Query:
    """Compare segments so that NULL equals NULL, because a segment may be NULL."""
    for equal in list(step.find_all(exp.EQ)):
        both = (equal.this, equal.expression)
        if all(isinstance(side, exp.Column) and side.name == SEGMENT for side in both):
            equal.replace(exp.NullSafeEQ(this=equal.this, expression=equal.expression))
    return step
