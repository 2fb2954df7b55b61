"""Metrics of classifiers as means over units, by the delta method.

A metric is a function of sums over rows. Around the sums of all units it moves with those of one unit as
its derivatives say, so that the value plus m times what one of m units moves it by is, for inference,
the value of that unit: the mean of these values is the metric, and their spread is that of the metric.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog import DIALECT
from duckmetrics.compose import Block, Composer
from duckmetrics.derivative import derivative
from duckmetrics.errors import UnsupportedError
from duckmetrics.fold import literal
from duckmetrics.observations import GROUP, UNIT, WEIGHT, WEIGHTED
from duckmetrics.segments import COUNTS, GROUPED, PLAN, SEGMENTS, by_group, plans
from duckmetrics.units import struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog import Catalog, Definition
    from duckmetrics.fold import Value
    from duckmetrics.inputs import Inputs
    from duckmetrics.measure import Measure

SEGMENT = "segment"
# What a file says of a metric that is no estimate, so that an interval around it would mean nothing.
NONE = "none"


@dataclass
class Linear:
    """A measure as a function of sums: columns s_1, s_2, ... of the table of the units."""

    measure: Measure
    value: exp.Expr
    slopes: dict[str, exp.Expr] = field(default_factory=dict)


class Linearization:
    """Finds the sums that measures are made of, and writes the queries over them.

    Args:
        inputs: the canonical rows, each with its unit.
        independent: whether every row is a unit of its own.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], independent: bool
    ) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.independent = independent
        self.composer = Composer(catalog, self._by_unit(), self._constants())
        self.blocks: list[Block] = []
        self.columns: dict[str, exp.Column] = {}
        self.influences: dict[str, tuple[str, Mapping[str, Value]]] = {}
        self.linear: list[Linear] = []
        self.without: dict[str, str] = {}
        for measure in measures:
            try:
                self.linear.append(self._linear(measure))
            except UnsupportedError as error:
                self.without[measure.text] = str(error)

    def _constants(self) -> dict[str, Value]:
        return {name: value for name, value in self.inputs.constants.items() if name != SEGMENT}

    def _by_unit(self) -> dict[str, exp.Query]:
        """The rows with unit and segment in place of the segment: relations keep segments apart."""
        kept = ("label", "score", WEIGHT, GROUP, UNIT)
        rows = exp.select("system", struct(SEGMENT, UNIT).as_(SEGMENT), *kept)
        return {"predictions": rows.from_(self.inputs.queries["predictions"].subquery("rows"))}

    # ---- from a measure to sums

    def _linear(self, measure: Measure) -> Linear:
        plan = plans(self.catalog, [measure], None)[measure.text]
        values: dict[str, Value] = {**measure.values, **plan}
        for metric in (measure.metric, *self.catalog.foundations(measure.metric)):
            if not is_estimate(metric):
                raise UnsupportedError("it is a test statistic itself, and estimates nothing")
            if "influence" in metric.header:
                self._influence(metric, values)
        value = self.composer.value(measure.metric, values)
        if value is None:
            raise UnsupportedError("it has no value")
        expanded = self._expanded(value)
        found = dict.fromkeys(c.name for c in expanded.find_all(exp.Column))
        if not found:
            raise UnsupportedError("it does not depend on the rows")
        linear = Linear(measure, expanded)
        for name in found:
            slope = derivative(expanded, name)
            if slope is not None:
                linear.slopes[name] = slope
        return linear

    def _influence(self, metric: Definition, values: Mapping[str, Value]) -> None:
        """Take a metric that its file says the influences of, as if it were a sum."""
        if values.get("approx") is not None:
            raise UnsupportedError("it is approximate, and has bounds instead")
        value = cast("exp.Column", self.composer.value(metric, values))
        key = f"{value.table}.{value.name}"
        if key not in self.columns:
            self.columns[key] = exp.column(f"s_{len(self._leaves()) + 1}")
            self.influences[self.columns[key].name] = metric.header["influence"], values

    def _leaves(self) -> list[str]:
        return [*self.influences, *(c for block in self.blocks for c in block.columns)]

    def _expanded(self, value: exp.Expr) -> exp.Expr:
        """Write a value in terms of sums over rows."""
        blocks = {block.name: block for block in self.composer.blocks}
        holder = exp.paren(value.copy(), copy=False)
        for column in list(holder.find_all(exp.Column)):
            influence = self.columns.get(f"{column.table}.{column.name}")
            if influence is not None:
                column.replace(influence.copy())
                continue
            block = blocks[column.table]
            inner = self._resolved(block.columns[column.name].copy(), block.source, block.keys)
            column.replace(exp.paren(inner, copy=False))
        return holder

    def _resolved(self, expression: exp.Expr, source: exp.Select, keys: Mapping[str, exp.Expr]) -> exp.Expr:
        """Replace the sums in an expression over a query by columns of the table of the units."""
        if source.args.get("group"):
            return self._with_sums(expression, source, keys)
        if source.args.get("joins") or source.args.get("where"):
            raise UnsupportedError("it is no function of sums over rows")
        step = self.composer.steps.get(source.args["from_"].this.name)
        if not isinstance(step, exp.Select) or step.find(exp.Window) or not step.args.get("from_"):
            raise UnsupportedError("it is no function of sums over rows")
        meant = {p.alias_or_name: p.unalias() for p in step.expressions}
        holder = exp.paren(expression, copy=False)
        for column in list(holder.find_all(exp.Column)):
            column.replace(exp.paren(meant[column.name].copy(), copy=False))
        inner = step.copy()
        inner.set("expressions", [])
        return self._resolved(holder, inner, {key: meant[key] for key in keys})

    def _with_sums(self, expression: exp.Expr, source: exp.Select, keys: Mapping[str, exp.Expr]) -> exp.Expr:
        if not self._adds_up(source):
            raise UnsupportedError("it depends on the order of all rows")
        block = next((b for b in self.blocks if b.source == source), None)
        if block is None:
            block = Block(f"sums_{len(self.blocks) + 1}", source, dict(keys))
            self.blocks.append(block)
        holder = exp.paren(expression, copy=False)
        for found in list(holder.find_all(exp.AggFunc)):
            if not isinstance(found, exp.Sum | exp.Count) or found.find(exp.Distinct):
                raise UnsupportedError(f"{found.sql(DIALECT)} is no sum over rows")
            whole = found.parent if isinstance(found.parent, exp.Filter) else found
            whole.replace(exp.column(self._sum(block, whole.copy())))
        return holder

    def _sum(self, block: Block, aggregate: exp.Expr) -> str:
        for name, known in block.columns.items():
            if known == aggregate:
                return name
        name = f"s_{len(self._leaves()) + 1}"
        block.columns[name] = aggregate
        return name

    def _adds_up(self, query: exp.Query) -> bool:
        """Say whether rows come from rows, so that sums over units add up to those over all.

        Within a group rows may be ranked and counted: a group belongs to one unit.
        """
        outer = query.args.get("from_")
        if not isinstance(query, exp.Select) or outer is None:
            return False
        used = {c.table for p in query.expressions for c in p.find_all(exp.Column)}
        joined = [join.this for join in query.args.get("joins") or [] if join.alias_or_name in used]
        if joined or query.args.get("distinct") or query.args.get("limit"):
            return False
        step = self.composer.steps.get(outer.this.name)
        return outer.this.name in self.composer.inputs or (step is not None and self._keeps_rows(step))

    def _keeps_rows(self, step: exp.Query) -> bool:
        if isinstance(step, exp.SetOperation):
            return self._keeps_rows(step.left) and self._keeps_rows(step.right)
        keys = [w.args.get("partition_by") or [] for w in step.find_all(exp.Window)]
        grouped = step.args.get("group")
        if grouped:
            keys.append(grouped.expressions)
        elif step.find(exp.AggFunc) and not keys:
            return False
        within = all(any(isinstance(k, exp.Column) and k.name == GROUP for k in key) for key in keys)
        return within and self._adds_up(step)

    # ---- the queries

    def influence_queries(self) -> dict[str, exp.Query]:
        """Column -> the query of system, segment, unit, total and influence of a metric that is no sum."""
        queries: dict[str, exp.Query] = {}
        for name, (relation, values) in self.influences.items():
            composer = Composer(self.catalog, self.inputs.queries, self.inputs.constants)
            step = composer.relation(relation, {**values, "independent": self.independent, PLAN: GROUPED})
            kept = ("system", SEGMENT, UNIT, "total", "influence")
            queries[name] = composer.complete(exp.select(*kept).from_(step))
        return queries

    def sums(self, kept: Mapping[str, str]) -> exp.Select:
        """One row per system, segment and unit, with the number of its rows and positives, and its sums.

        Args:
            kept: column -> the table where its influences are kept.
        """
        frame = self.composer.relation(SEGMENTS, {WEIGHTED: self.inputs.weighted})
        place = exp.column(SEGMENT, frame)
        query = exp.select(
            exp.column("system", frame),
            *(exp.Dot(this=place.copy(), expression=exp.to_identifier(n)).as_(n) for n in (SEGMENT, UNIT)),
            *(exp.column(n, frame) for n in COUNTS),
        ).from_(frame)
        for block in self.blocks:
            for column in block.columns:
                value = exp.func("coalesce", exp.column(column, block.name), literal(0.0))
                query = query.select(exp.cast(value, "DOUBLE").as_(column), copy=False)
            same = (
                exp.EQ(this=exp.column(k, block.name), expression=exp.column(k, frame)) for k in block.keys
            )
            query = query.join(block.name, on=exp.and_(*same), join_type="left", copy=False)
        for column, table in kept.items():
            keys = [exp.EQ(this=exp.column("system", table), expression=exp.column("system", frame))]
            keys += [
                exp.EQ(
                    this=exp.column(n, table),
                    expression=exp.Dot(this=place.copy(), expression=exp.to_identifier(n)),
                )
                for n in (SEGMENT, UNIT)
            ]
            query = query.select(
                exp.func("coalesce", exp.column("influence", table), literal(0.0)).as_(column),
                exp.column("total", table).as_(f"{column}_total"), copy=False,
            )  # fmt: skip
            query = query.join(table, on=exp.and_(*keys), join_type="left", copy=False)
        self.composer.blocks = self.blocks
        return self.composer.assemble(query)

    def values(self, table: str) -> exp.Query:
        """One row per system, measure, segment and unit: what `Units` holds.

        Args:
            table: where the sums are kept.
        """
        totals = [
            exp.Max(this=exp.column(f"{c}_total")).as_(c) if c in self.influences
            else exp.Sum(this=exp.column(c)).as_(c)
            for c in self._leaves()
        ]  # fmt: skip
        counts = [_counted(linear).as_(f"m_{i}") for i, linear in enumerate(self.linear)]
        summed = exp.select("system", SEGMENT, *counts, *totals)
        slopes = exp.select("system", SEGMENT, *(f"m_{i}" for i in range(len(self.linear))))
        for i, linear in enumerate(self.linear):
            moved = _moved([c for c in linear.slopes if c not in self.influences], linear.slopes)
            value = linear.value if moved is None else exp.Sub(this=exp.paren(linear.value), expression=moved)
            slopes = slopes.select(value.as_(f"value_{i}"), copy=False)
            for name, slope in linear.slopes.items():
                slopes = slopes.select(slope.as_(f"slope_{i}_{name}"), copy=False)
        whole = _union(self._values_of(i, linear, table) for i, linear in enumerate(self.linear))
        whole = whole.with_("summed", as_=summed.from_(table).group_by("system", SEGMENT), copy=False)
        return whole.with_("slopes", as_=slopes.from_("summed"), copy=False)

    def speaking(self, table: str) -> exp.Query | None:
        """How many units a measure depends on: those with sums that are not 0, or with a row of each class.

        Of the others nothing is known, even where all of them have the same value.
        """
        parts: list[exp.Query] = []
        for place, linear in enumerate(self.linear):
            names = dict.fromkeys(c.name for c in linear.value.find_all(exp.Column))
            positive = exp.GT(this=exp.column("n_positive"), expression=literal(0))
            negative = exp.GT(this=exp.column("n"), expression=exp.column("n_positive"))
            said = exp.or_(*(exp.NEQ(this=exp.column(c), expression=literal(0.0)) for c in names))
            kinds = (positive, negative) if self.influences.keys() & names.keys() else (said,)
            counts: list[exp.Expr] = [
                exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=kind)) for kind in kinds
            ]
            n = counts[0] if len(counts) == 1 else exp.func("least", *counts)
            number = exp.Add(
                this=exp.Mul(this=exp.column(SEGMENT), expression=literal(len(self.linear))),
                expression=literal(place),
            )
            part = exp.select("system", number.as_("metric"), n.as_("n")).from_(table)
            parts.append(part.group_by("system", SEGMENT))
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else cast("exp.Query", exp.union(*parts, distinct=False))

    def _values_of(self, place: int, linear: Linear, table: str) -> exp.Select:
        known = {name: exp.column(f"slope_{place}_{name}", "slopes") for name in linear.slopes}
        moved = _moved(linear.slopes, known, table)
        value = exp.column(f"value_{place}", "slopes")
        shown = exp.Add(
            this=value, expression=exp.Mul(this=exp.column(f"m_{place}", "slopes"), expression=moved)
        )
        number = exp.Add(
            this=exp.Mul(this=exp.column(SEGMENT, table), expression=literal(len(self.linear))),
            expression=literal(place),
        )
        finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[shown]), shown.copy())
        same = [
            exp.EQ(this=exp.column(k, "slopes"), expression=exp.column(k, table)) for k in ("system", SEGMENT)
        ]
        query = exp.select(
            exp.column("system", table), number.as_("metric"), exp.column(UNIT, table).as_("query_id"),
            finite.as_("value"),
        ).from_(table).join("slopes", on=exp.and_(*same))  # fmt: skip
        said = _says_something(linear)
        return query if said is None else query.where(said)


def is_estimate(metric: Definition) -> bool:
    """Say whether a metric estimates something, so that an interval around it means something."""
    return metric.header.get("influence") != NONE


def _says_something(linear: Linear) -> exp.Expr | None:
    """Of metrics by group, the units that have a pair of rows to compare: whatever the system, the same."""
    if not by_group(linear.measure):
        return None
    return exp.or_(*(exp.NEQ(this=exp.column(c), expression=literal(0.0)) for c in linear.slopes))


def _counted(linear: Linear) -> exp.Expr:
    """The number of the units of a measure."""
    count: exp.Expr = exp.Count(this=exp.Star())
    if (said := _says_something(linear)) is not None:
        count = exp.Filter(this=count, expression=exp.Where(this=said))
    return exp.cast(count, "DOUBLE")


def _moved(
    columns: Iterable[str], slopes: Mapping[str, exp.Expr], table: str | None = None
) -> exp.Expr | None:
    """The sum of slope times column."""
    moved: exp.Expr | None = None
    for name in columns:
        term = exp.Mul(this=exp.paren(slopes[name]), expression=exp.column(name, table))
        moved = term if moved is None else exp.Add(this=moved, expression=term)
    return None if moved is None else exp.paren(moved)


def _union(parts: Iterable[exp.Select]) -> exp.Select:
    whole: exp.Query | None = None
    for part in parts:
        whole = part if whole is None else exp.union(whole, part, distinct=False, copy=False)
    return exp.select("system", "metric", "query_id", "value").from_(
        cast("exp.Query", whole).subquery("units")
    )
