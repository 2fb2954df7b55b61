"""Contributions of groups of rows to metrics of rows that are sums over them, multiplied and divided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.measure import Measure
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.contributions import HEADER, NotASumError
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import constant, literal
from duckmetrics.inference.sums import Sums
from duckmetrics.inference.units import SEGMENT
from duckmetrics.inputs.classification import GROUP, OVERALL, UNIT, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import Inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.engines.plans import Plan

    Rewrite = Callable[[exp.Column], exp.Expr]

NOT_A_SUM = "is not a sum over rows"
# The table of the sums of all rows of a system, next to that of the sums of each group.
TOTALS, GROUPS = "totals", "groups"


class Contributions:
    """Writes the queries of what each group of rows adds to one metric.

    Args:
        inputs: the canonical rows of one segment, each with its group as the unit.
        chosen: as in `Sums`.

    Attributes:
        sums: the sums of the groups, which the metric is a function of.

    Raises:
        UnsupportedError: the metric is not a sum over rows.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, measure: Measure, chosen: Mapping[str, Plan] | None = None
    ) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.sums = Sums(catalog, inputs, [measure], independent=True, chosen=chosen)
        if not self.sums.linear:
            raise UnsupportedError(measure.text, NOT_A_SUM, self.sums.without[measure.text])
        (linear,) = self.sums.linear
        self._value = linear.value
        self._denominators = linear.denominators
        try:
            self._added = _term(self._value, lambda column: exp.column(column.name, GROUPS))
            constant_part = _term(self._value, lambda _: literal(0.0))
        except NotASumError as error:
            raise UnsupportedError(measure.text, NOT_A_SUM) from error
        # What the value is without any row, as in 1 - x; a sum alone has no such part.
        self._constant = constant_part if _has_constant(self._value) else None

    def influences(self) -> dict[str, exp.Query]:
        """Return column -> the query of what every group adds to a metric that is not a sum in its file.

        Its columns are those of `Sums.influence_queries`.

        Raises:
            UnsupportedError: the file of the metric names no contributions.
        """
        queries: dict[str, exp.Query] = {}
        for name, (metric, values) in self.sums.influences.items():
            if HEADER not in metric.header:
                raise UnsupportedError(metric.name, NOT_A_SUM)
            composer = Composer(self.catalog, self.inputs.queries, self.inputs.constants)
            step = composer.relation(metric.header[HEADER], values)
            added = exp.column("contribution").as_("influence")
            unknown = (exp.cast(exp.null(), "DOUBLE").as_(n) for n in ("total", "n_effective"))
            queries[name] = composer.complete(
                exp.select("system", SEGMENT, UNIT, added, *unknown).from_(step)
            )
        return queries

    def facts(self, table: str) -> exp.Select:
        """Return one row per system: system, value, n, n_positive, and the sums d_1, ... it is divided by.

        Args:
            table: where the sums of the groups are kept.
        """
        of_totals = (exp.column(name, TOTALS) for name in ("n", "n_positive"))
        divisors = (_of_totals(own).as_(f"d_{i}") for i, own in enumerate(self._denominators, start=1))
        value = exp.cast(_of_totals(self._value), "DOUBLE").as_("value")
        columns = (exp.column("system", TOTALS), value, *of_totals, *divisors)
        return exp.select(*columns).from_(TOTALS).with_(TOTALS, as_=self._totals(table))

    def query(self, table: str) -> exp.Query:
        """Return what each group adds to each system.

        Its columns are those of sql/relations/explanations/group_contributions.sql.
        """
        system = exp.column("system", TOTALS)
        segment = exp.Dot(this=exp.column(UNIT, GROUPS), expression=exp.to_identifier("value"))
        added = self._added if self._constant is None else _less(self._added, self._constant)
        same = exp.EQ(this=exp.column("system", GROUPS), expression=system.copy())
        columns = _columns(system, segment, "group", added, exp.column("n", GROUPS))
        parts: exp.Query = exp.select(*columns).from_(exp.to_table(table).as_(GROUPS)).join(TOTALS, on=same)
        if self._constant is not None:
            columns = _columns(system.copy(), exp.null(), "constant", self._constant, literal(0))
            parts = exp.union(parts, exp.select(*columns).from_(TOTALS), distinct=False)
        return parts.with_(TOTALS, as_=self._totals(table))

    def _totals(self, table: str) -> exp.Select:
        names = ("n", "n_positive", *self.sums.leaves())
        sums = (exp.Sum(this=exp.column(name)).as_(name) for name in names)
        return exp.select("system", *sums).from_(table).group_by("system")


def grouped_rows(rows: exp.Query, group: str) -> exp.Select:
    """Return canonical rows with a column as their unit, in a struct: a group may be NULL."""
    kept = [exp.column(name) for name in rows.named_selects if name not in (UNIT, group)]
    value = exp.PropertyEQ(this=exp.to_identifier("value"), expression=exp.column(group))
    return exp.select(*kept, exp.Struct(expressions=[value]).as_(UNIT)).from_(rows.subquery("rows"))


def details_query(
    rows: exp.Query, groups: exp.Query, scores: Mapping[str, str], shown: Mapping[str, str]
) -> exp.Select:
    """Return label, scores and further columns of the row of each group, by segment.

    Args:
        rows: the canonical rows, with their groups as the unit.
        groups: rows of sql/relations/explanations/contribution_groups.sql; each group has one row.
        scores: the name of a score in the result -> its system.
        shown: the name of a column in the result -> its name in the rows.
    """
    columns: dict[str, exp.Expr] = {"label": exp.column("label", "rows")}
    for name, system in scores.items():
        of_system = exp.column("system", "rows").eq(system)
        columns[name] = exp.Case().when(of_system, exp.column("score", "rows"))
    columns |= {name: exp.column(column, "rows") for name, column in shown.items()}
    segment = exp.column(SEGMENT, "largest")
    unit = exp.Dot(this=exp.column(UNIT, "rows"), expression=exp.to_identifier("value"))
    found = [exp.Min(this=value).as_(name, quoted=True) for name, value in columns.items()]
    query = exp.select(segment.copy(), *found).from_(groups.subquery("largest"))
    query = query.join(rows.subquery("rows"), on=exp.NullSafeEQ(this=unit, expression=segment.copy()))
    return query.where(exp.column("kind", "largest").eq("group")).group_by(segment)


def explainable_rows(catalog: Catalog) -> list[str]:
    """Return the names of the metrics of rows that are sums over them."""
    metrics = (metric for (family, _), metric in catalog.metrics.items() if family == CLASSIFICATION)
    return sorted({metric.name for metric in metrics if is_sum_over_rows(catalog, metric)})


def is_sum_over_rows(catalog: Catalog, metric: Definition) -> bool:
    """Return whether a metric of rows, with its usual parameters, is a sum over them."""
    columns = ("system", SEGMENT, "label", "score", WEIGHT, GROUP, UNIT)
    rows = exp.select(*columns).from_("rows")
    inputs = Inputs({"predictions": rows}, {}, True, None, False, (), None, constants={SEGMENT: OVERALL})
    declared = catalog.params(metric)
    params = tuple((param.name, param.default) for param in declared.values())
    measure = Measure(metric, metric.name, metric.name, params, None, tuple(declared.values()))
    try:
        Contributions(catalog, inputs, measure.bound(**{WEIGHTED: False}))
    except UnsupportedError:
        return False
    return True


def _columns(system: exp.Expr, segment: exp.Expr, kind: str, added: exp.Expr, n: exp.Expr) -> list[exp.Expr]:
    contribution = exp.cast(added.copy(), "DOUBLE").as_("contribution")
    return [system, segment.as_(SEGMENT), literal(kind).as_("kind"), contribution, n.as_("n")]


def _of_totals(expression: exp.Expr) -> exp.Expr:
    """Write an expression over the sums of all rows."""
    whole = exp.paren(expression.copy(), copy=False)
    for column in list(whole.find_all(exp.Column)):
        column.set("table", exp.to_identifier(TOTALS))
    return whole


def _term(node: exp.Expr, sum_of: Rewrite) -> exp.Expr:
    """Write a value with other sums in place of those that it is the sum of; those it is divided by stay.

    Raises:
        NotASumError: the value is not a sum, multiplied and divided.
    """
    if not node.find(exp.Column):
        return node.copy()
    match node:
        case exp.Column():
            return sum_of(node)
        case exp.Paren() | exp.Cast() | exp.Neg():
            return _with(node, this=_term(node.this, sum_of))
        case exp.Coalesce() if [constant(other) for other in node.expressions] == [0]:
            return _with(node, this=_term(node.this, sum_of))
        case exp.Add() | exp.Sub():
            return _with(node, this=_term(node.this, sum_of), expression=_term(node.expression, sum_of))
        case exp.Div() if node.this.find(exp.Column):
            return _with(node, this=_term(node.this, sum_of), expression=_of_totals(node.expression))
        case exp.Mul() if not node.this.find(exp.Column):
            return _with(node, expression=_term(node.expression, sum_of))
        case exp.Mul() if not node.expression.find(exp.Column):
            return _with(node, this=_term(node.this, sum_of))
    raise NotASumError


def _with(node: exp.Expr, **operands: exp.Expr) -> exp.Expr:
    changed = node.copy()
    for name, operand in operands.items():
        changed.set(name, operand)
    return changed


def _less(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Sub(this=exp.paren(one.copy()), expression=exp.paren(other.copy()))


def _has_constant(node: exp.Expr) -> bool:
    """Return whether a sum that makes a value has a part without any column."""
    match node:
        case exp.Add() | exp.Sub():
            parts = (node.this, node.expression)
            return any(not part.find(exp.Column) or _has_constant(part) for part in parts)
        case exp.Paren() | exp.Cast() | exp.Neg() | exp.Coalesce() | exp.Div():
            return _has_constant(node.this)
        case exp.Mul():
            # A factor without columns is not added, as in 2 * (x + y).
            factors = (node.this, node.expression)
            return any(_has_constant(factor) for factor in factors if factor.find(exp.Column))
    return False
