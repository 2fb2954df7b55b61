"""Metrics of classifiers as means over units: by the jackknife over clusters, by the delta method over rows.

A metric is a function of sums over rows. Without one unit it is the same function of the sums of the
others: the value plus m - 1 times what it changes by without one of m units is, for inference, the
value of that unit. The mean of these values is the metric, and their spread is that of the metric.
Where every row is a unit, derivatives say the same, and one row less needs no evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.composer import Block, Composer
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.derivatives import denominators, derivative
from duckmetrics.inference.units import KEYS, SEGMENT, SIZES, struct
from duckmetrics.inputs.classification import GROUP, UNIT, WEIGHT, WEIGHTED
from duckmetrics.summaries.classification import COUNTS, SEGMENTS
from duckmetrics.summaries.plans import GROUPED, PLAN, by_group, plans

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.request import Inputs

# What a file says of a metric that is no estimate, so that an interval around it would mean nothing.
NONE = "none"
# A sum without its only part may differ from 0 by this share of it.
REMAINDER = 1e-12


@dataclass
class Linear:
    """A measure as a function of sums: columns s_1, s_2, ... of the table of the units.

    Attributes:
        slopes: column -> the derivative of the value.
        denominators: the sums that the value is divided by, which tell how much a unit weighs.
    """

    measure: Measure
    value: exp.Expr
    slopes: dict[str, exp.Expr] = field(default_factory=dict)
    denominators: list[exp.Expr] = field(default_factory=list)


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
                raise UnsupportedError("it is a test statistic, which estimates nothing")
            if "influence" in metric.header:
                self._influence(metric, values)
        value = self.composer.value(measure.metric, values)
        if value is None:
            raise UnsupportedError("it has no value")
        expanded = self._expanded(value)
        found = dict.fromkeys(c.name for c in expanded.find_all(exp.Column))
        if not found:
            raise UnsupportedError("it does not depend on the rows")
        linear = Linear(measure, expanded, denominators=denominators(expanded))
        for name in found:
            slope = derivative(expanded, name)
            if slope is not None:
                linear.slopes[name] = slope
        return linear

    def _influence(self, metric: Definition, values: Mapping[str, Value]) -> None:
        """Take a metric that its file says the influences of, as if it were a sum."""
        if values.get("approx") is not None:
            raise UnsupportedError(
                "it is approximate; without interval= its bounds are those of the exact value"
            )
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
            raise UnsupportedError("it is not a function of sums over rows")
        step = self.composer.steps.get(source.args["from_"].this.name)
        if not isinstance(step, exp.Select) or step.find(exp.Window) or not step.args.get("from_"):
            raise UnsupportedError("it is not a function of sums over rows")
        meant = {p.alias_or_name: p.unalias() for p in step.expressions}
        holder = exp.paren(expression, copy=False)
        for column in list(holder.find_all(exp.Column)):
            column.replace(exp.paren(meant[column.name].copy(), copy=False))
        inner = step.copy()
        inner.set("expressions", [])
        return self._resolved(holder, inner, {key: meant[key] for key in keys})

    def _with_sums(self, expression: exp.Expr, source: exp.Select, keys: Mapping[str, exp.Expr]) -> exp.Expr:
        if not self._adds_up(source):
            raise UnsupportedError("it is not a function of sums over rows")
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
            kept = ("system", SEGMENT, UNIT, "total", "influence", "n_effective")
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
                exp.column("total", table).as_(f"{column}_total"),
                exp.column("n_effective", table).as_(f"{column}_effective"), copy=False,
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
        sizes = [self._effective(linear).as_(f"n_effective_{i}") for i, linear in enumerate(self.linear)]
        summed = exp.select("system", SEGMENT, *counts, *sizes, *totals).from_(table)
        summed = summed.group_by("system", SEGMENT)
        if self.independent:
            steps = {"summed": summed, "slopes": self._slopes()}
            whole = _union(self._by_slopes(i, linear, table) for i, linear in enumerate(self.linear))
        else:
            steps = {"summed": summed, "wholes": self._wholes(), "rest": self._rest(table)}
            steps["centers"] = self._centers()
            whole = _union(self._by_jackknife(i) for i in range(len(self.linear)))
        for name, step in steps.items():
            whole = whole.with_(name, as_=step, copy=False)
        return whole

    def _effective(self, linear: Linear) -> exp.Expr:
        """The smallest effective number of units that a denominator rests on; NULL if there is none."""
        sizes: list[exp.Expr] = [
            exp.Max(this=exp.column(f"{c}_effective")) for c in linear.slopes if c in self.influences
        ]
        for own in linear.denominators:
            total, squares = exp.Sum(this=own.copy()), exp.Sum(this=_product(own, own))
            sizes.append(exp.Div(this=_product(total, total), expression=exp.func("nullif", squares, 0)))
        if len(sizes) < 2:
            return exp.cast(sizes[0] if sizes else exp.null(), "DOUBLE")
        return exp.func("least", *sizes)

    # ---- the delta method

    def _slopes(self) -> exp.Select:
        """The derivatives of every measure, per system and segment."""
        places = range(len(self.linear))
        slopes = exp.select(
            "system", SEGMENT, *(f"{name}_{i}" for i in places for name in ("m", "n_effective"))
        )
        for i, linear in enumerate(self.linear):
            moved = _moved([c for c in linear.slopes if c not in self.influences], linear.slopes)
            value = linear.value if moved is None else exp.Sub(this=exp.paren(linear.value), expression=moved)
            slopes = slopes.select(value.as_(f"value_{i}"), copy=False)
            for name, slope in linear.slopes.items():
                slopes = slopes.select(slope.as_(f"slope_{i}_{name}"), copy=False)
        return slopes.from_("summed")

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

    def _by_slopes(self, place: int, linear: Linear, table: str) -> exp.Select:
        known = {name: exp.column(f"slope_{place}_{name}", "slopes") for name in linear.slopes}
        moved = _moved(linear.slopes, known, table)
        value = exp.column(f"value_{place}", "slopes")
        shown = exp.Add(
            this=value, expression=exp.Mul(this=exp.column(f"m_{place}", "slopes"), expression=moved)
        )
        query = self._unit_values(place, table, shown, exp.column(f"n_effective_{place}", "slopes"))
        query = query.from_(table).join("slopes", on=_same_place("slopes", table))
        said = _says_something(linear)
        return query if said is None else query.where(said)

    # ---- the jackknife

    def _wholes(self) -> exp.Select:
        """The value of every measure, per system and segment."""
        names = [f"{name}_{i}" for i in range(len(self.linear)) for name in ("m", "n_effective")]
        values = (linear.value.copy().as_(f"value_{i}") for i, linear in enumerate(self.linear))
        return exp.select("system", SEGMENT, *names, *values).from_("summed")

    def _rest(self, table: str) -> exp.Select:
        """The value of every measure without one unit, for the units that say something."""
        sums = exp.select(exp.column("system", table), exp.column(SEGMENT, table), exp.column(UNIT, table))
        for i, linear in enumerate(self.linear):
            said = _says_something(linear, table) or exp.true()
            sums = sums.select(said.as_(f"said_{i}"), copy=False)
        for name in self._leaves():
            sums = sums.select(_remaining(name, table).as_(name), copy=False)
        sums = sums.from_(table).join("summed", on=_same_place("summed", table))
        rest = exp.select("system", SEGMENT, UNIT, *(f"said_{i}" for i in range(len(self.linear))))
        for i, linear in enumerate(self.linear):
            value = linear.value.copy()
            # A metric may overflow without a unit; where it says nothing, nobody asks.
            finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())
            rest = rest.select(finite.as_(f"value_{i}"), copy=False)
        return rest.from_(sums.subquery("sums"))

    def _centers(self) -> exp.Select:
        """The mean of the values without a unit; NULL if one of them is missing."""
        centers = exp.select("system", SEGMENT)
        for i in range(len(self.linear)):
            value, said = exp.column(f"value_{i}"), exp.Where(this=exp.column(f"said_{i}"))
            n, known, mean = (
                exp.Filter(this=found, expression=said.copy())
                for found in (exp.Count(this=exp.Star()), exp.Count(this=value.copy()), exp.Avg(this=value))
            )
            every = exp.EQ(this=n, expression=known)
            centers = centers.select(exp.Case().when(every, mean).as_(f"mean_{i}"), copy=False)
        return centers.from_("rest").group_by("system", SEGMENT)

    def _by_jackknife(self, place: int) -> exp.Select:
        others = exp.Sub(this=exp.column(f"m_{place}", "wholes"), expression=literal(1.0))
        change = exp.Sub(
            this=exp.column(f"mean_{place}", "centers"), expression=exp.column(f"value_{place}", "rest")
        )
        shown = exp.Add(this=exp.column(f"value_{place}", "wholes"), expression=_product(others, change))
        query = self._unit_values(place, "rest", shown, exp.column(f"n_effective_{place}", "wholes"))
        query = query.from_("rest").where(exp.column(f"said_{place}", "rest"))
        for name in ("wholes", "centers"):
            query = query.join(name, on=_same_place(name, "rest"))
        return query

    def _unit_values(self, place: int, table: str, shown: exp.Expr, effective: exp.Expr) -> exp.Select:
        """The columns of `Units`: the number of the measure in its segment, the unit, and its value."""
        number = exp.Add(
            this=exp.Mul(this=exp.column(SEGMENT, table), expression=literal(len(self.linear))),
            expression=literal(place),
        )
        finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[shown]), shown.copy())
        return exp.select(
            exp.column("system", table), number.as_("metric"), exp.column(UNIT, table).as_("query_id"),
            finite.as_("value"), effective.as_("n_effective"), exp.cast(exp.null(), "BOOLEAN").as_("hits"),
        )  # fmt: skip


def is_estimate(metric: Definition) -> bool:
    """Say whether a metric estimates something, so that an interval around it means something."""
    return metric.header.get("influence") != NONE


def _says_something(linear: Linear, table: str | None = None) -> exp.Expr | None:
    """Of metrics by group, the units that have a pair of rows to compare: whatever the system, the same."""
    if not by_group(linear.measure):
        return None
    return exp.or_(*(exp.NEQ(this=exp.column(c, table), expression=literal(0.0)) for c in linear.slopes))


def _counted(linear: Linear) -> exp.Expr:
    """The number of the units of a measure."""
    count: exp.Expr = exp.Count(this=exp.Star())
    if (said := _says_something(linear)) is not None:
        count = exp.Filter(this=count, expression=exp.Where(this=said))
    return exp.cast(count, "DOUBLE")


def _remaining(name: str, table: str) -> exp.Expr:
    """A sum without that of a unit: 0 where nothing but rounding is left."""
    whole, own = exp.column(name, "summed"), exp.column(name, table)
    left = exp.Sub(this=whole, expression=own)
    bound = exp.Mul(this=literal(REMAINDER), expression=exp.Abs(this=whole.copy()))
    nothing = exp.LTE(this=exp.Abs(this=left.copy()), expression=bound)
    return exp.Case().when(nothing, literal(0.0)).else_(left)


def _same_place(one: str, other: str) -> exp.Expr:
    same = (
        exp.EQ(this=exp.column(key, one), expression=exp.column(key, other)) for key in ("system", SEGMENT)
    )
    return exp.and_(*same)


def _product(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Mul(this=exp.paren(one.copy(), copy=False), expression=exp.paren(other.copy(), copy=False))


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
    return exp.select(*KEYS, *SIZES).from_(cast("exp.Query", whole).subquery("units"))
