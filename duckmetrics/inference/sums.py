"""The sums over rows that metrics of classifiers are functions of, and one table of them per unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, MULTICLASS
from duckmetrics.compose.composer import AggregateBlock, Composer
from duckmetrics.engines.plans import Plan, by_group, plans
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.linear import Linear, denominators, derivative, weighed
from duckmetrics.inference.row_summary import COUNTS, SEGMENTS
from duckmetrics.inference.units import SEGMENT, struct
from duckmetrics.inputs.classification import GROUP, UNIT, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


# The header of a metric that estimates nothing, so that an interval around it would mean nothing.
NONE = "none"
# The step with what must be the same in all systems.
ALIKE = "alike"


class Sums:
    """Finds the sums that measures are functions of, and writes the queries that compute them per unit.

    Args:
        inputs: the canonical rows, each with its unit.
        independent: whether every row is a unit of its own.
        chosen: text of a measure -> how its pairs are counted; the same on all engines by default.

    Attributes:
        linear: the measures that are functions of sums.
        without: text of a measure -> why it is not such a function.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], independent: bool,
        chosen: Mapping[str, Plan] | None = None,
    ) -> None:  # fmt: skip
        self.catalog = catalog
        self.inputs = inputs
        self.independent = independent
        self.chosen = chosen or {}
        self.composer = Composer(catalog, self._by_unit(), self._constants())
        self.blocks: list[AggregateBlock] = []
        self.columns: dict[str, exp.Column] = {}
        self.influences: dict[str, tuple[Definition, Mapping[str, Value]]] = {}
        self.linear: list[Linear] = []
        self.without: dict[str, str] = {}
        for measure in measures:
            try:
                self.linear.append(self._linear(measure))
            except UnsupportedError as error:
                self.without[measure.text] = str(error)
        weighted = [bool(linear.measure.values.get(WEIGHTED)) for linear in self.linear]
        self._weighted = inputs.weighted and all(weighted)
        for linear, is_weighted in zip(self.linear, weighted, strict=True):
            linear.weighed = is_weighted and not self._weighted

    def _constants(self) -> dict[str, Value]:
        """Return the columns that are the same in every row; the segment holds the unit, so it is not."""
        return {name: value for name, value in self.inputs.constants.items() if name != SEGMENT}

    def _by_unit(self) -> dict[str, exp.Query]:
        """Return the rows with unit and segment as the segment, because relations compute each segment.

        Plan rule: where all rows are of one segment, the unit alone is the segment. DuckDB takes twice the
        time to group and sort by a struct.
        """
        kept = ("label", "score", WEIGHT, GROUP, UNIT, *self.inputs.own_columns)
        both = exp.column(UNIT) if SEGMENT in self.inputs.constants else struct(SEGMENT, UNIT)
        rows = exp.select("system", both.as_(SEGMENT), *kept)
        return {"predictions": rows.from_(self.inputs.queries["predictions"].subquery("rows"))}

    def _linear(self, measure: Measure) -> Linear:
        """Write a measure as a function of sums.

        Raises:
            UnsupportedError: the measure is not such a function.
        """
        plan = plans(self.catalog, [measure], None)[measure.text]
        values: dict[str, Value] = {**measure.values, **plan}
        for metric in (measure.metric, *self.catalog.foundations(measure.metric)):
            if not is_estimate(metric):
                raise UnsupportedError("", "it is a test statistic, which estimates nothing")
            if metric.family == MULTICLASS and "influence" in metric.header:
                raise UnsupportedError("", "it is not a function of sums over rows")
            if "influence" in metric.header:
                self._influence(metric, values, self.chosen.get(measure.text, plan))
        value = self.composer.value(measure.metric, values)
        if value is None:
            raise UnsupportedError("", "it has no value")
        expanded = self._expanded(value)
        found = dict.fromkeys(c.name for c in expanded.find_all(exp.Column))
        if not found:
            raise UnsupportedError("", "it does not depend on the rows")
        influences = frozenset(self.influences.keys() & found.keys())
        linear = Linear(measure, expanded, influences, denominators=denominators(expanded))
        for name in found:
            slope = derivative(expanded, name)
            if slope is not None:
                linear.slopes[name] = slope
        return linear

    def _influence(self, metric: Definition, values: Mapping[str, Value], plan: Plan) -> None:
        """Treat a metric whose file names its influences as if it were a sum.

        Args:
            plan: how the influences are computed.
        """
        if values.get("approx") is not None:
            raise UnsupportedError(
                "", "it is approximate", "without interval= its bounds are those of the exact value"
            )
        value = cast("exp.Column", self.composer.value(metric, values))
        key = f"{value.table}.{value.name}"
        if key not in self.columns:
            self.columns[key] = exp.column(f"s_{len(self.leaves()) + 1}")
            self.influences[self.columns[key].name] = metric, {**values, **plan}

    def leaves(self) -> list[str]:
        """Return the columns of all sums and influences."""
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
            raise UnsupportedError("", "it is not a function of sums over rows")
        step = self.composer.steps.get(source.args["from_"].this.name)
        if not isinstance(step, exp.Select) or step.find(exp.Window) or not step.args.get("from_"):
            raise UnsupportedError("", "it is not a function of sums over rows")
        meant = {p.alias_or_name: p.unalias() for p in step.expressions}
        holder = exp.paren(expression, copy=False)
        for column in list(holder.find_all(exp.Column)):
            column.replace(exp.paren(meant[column.name].copy(), copy=False))
        inner = step.copy()
        inner.set("expressions", [])
        return self._resolved(holder, inner, {key: meant[key] for key in keys})

    def _with_sums(self, expression: exp.Expr, source: exp.Select, keys: Mapping[str, exp.Expr]) -> exp.Expr:
        """Replace the sums in an expression over a query that groups rows."""
        if not self._adds_up(source):
            raise UnsupportedError("", "it is not a function of sums over rows")
        block = next((b for b in self.blocks if b.source == source), None)
        if block is None:
            block = AggregateBlock(f"sums_{len(self.blocks) + 1}", source, dict(keys))
            self.blocks.append(block)
        holder = exp.paren(expression, copy=False)
        for found in list(holder.find_all(exp.AggFunc)):
            if not isinstance(found, exp.Sum | exp.Count) or found.find(exp.Distinct):
                raise UnsupportedError("", f"{found.sql(DIALECT)} is not a sum over rows")
            whole = found.parent if isinstance(found.parent, exp.Filter) else found
            whole.replace(exp.column(block.add(whole.copy(), f"s_{len(self.leaves()) + 1}")))
        return holder

    def _adds_up(self, query: exp.Query) -> bool:
        """Return whether every row comes from one row, so that the sums of units add up to those of all rows.

        Rows may be ranked and counted within a group, because a group belongs to one unit.
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
        """Return whether a step neither joins nor groups the rows of several units."""
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

    def influence_queries(self) -> dict[str, exp.Query]:
        """Return column -> the query of the influence of every unit on a metric that is not a sum.

        Its columns are system, segment, unit, total, influence and n_effective.
        """
        queries: dict[str, exp.Query] = {}
        for name, (metric, values) in self.influences.items():
            composer = Composer(self.catalog, self.inputs.queries, self.inputs.constants)
            step = composer.relation(metric.header["influence"], {**values, "independent": self.independent})
            kept = ("system", SEGMENT, UNIT, "total", "influence", "n_effective")
            queries[name] = composer.complete(exp.select(*kept).from_(step))
        return queries

    def per_unit(self, kept: Mapping[str, str]) -> exp.Select:
        """Return one row per system, segment and unit: the number of its rows and positives, and its sums.

        Args:
            kept: column -> the table where its influences are kept.
        """
        frame = self.composer.relation(SEGMENTS, {WEIGHTED: self._weighted})
        query = exp.select(
            exp.column("system", frame),
            *(self._part_of_segment(frame, name).as_(name) for name in (SEGMENT, UNIT)),
            *(exp.column(n, frame) for n in COUNTS),
        ).from_(frame)
        if any(linear.weighed for linear in self.linear):
            counted = self.composer.relation(SEGMENTS, {WEIGHTED: True})
            columns = (exp.column(n, counted).as_(weighed(n)) for n in COUNTS)
            query = _joined(query.select(*columns, copy=False), counted, frame)
        if self.alike:
            query = query.select(*(exp.column(name, ALIKE) for name in self.alike), copy=False)
            query = _joined(query, self.composer.step(ALIKE, _ends(self.alike, self._weighted)), frame)
        for block in self.blocks:
            for column in block.columns:
                value = exp.func("coalesce", exp.column(column, block.name), literal(0.0))
                query = query.select(exp.cast(value, "DOUBLE").as_(column), copy=False)
            query = _joined(query, block.name, frame, block.keys)
        for column, table in kept.items():
            query = self._with_influences(query, frame, column, table)
        self.composer.blocks = self.blocks
        return self.composer.assemble(query)

    @property
    def alike(self) -> list[str]:
        """The columns of the units that must be the same in all systems, next to the numbers of rows."""
        if self.independent or self.inputs.one_system:
            return []
        read = [WEIGHT] if self.inputs.weighted else []
        read += [GROUP] if any(by_group(linear.measure) for linear in self.linear) else []
        return [f"{end}_{column}" for column in read for end in ("min", "max")]

    def _part_of_segment(self, frame: str, name: str) -> exp.Expr:
        """Return the segment, or the unit, of rows whose segment column holds both."""
        if SEGMENT in self.inputs.constants:
            return literal(self.inputs.constants[SEGMENT]) if name == SEGMENT else exp.column(SEGMENT, frame)
        return exp.Dot(this=exp.column(SEGMENT, frame), expression=exp.to_identifier(name))

    def _with_influences(self, query: exp.Select, frame: str, column: str, table: str) -> exp.Select:
        """Join a table of influences to the query of the units."""
        keys = [exp.EQ(this=exp.column("system", table), expression=exp.column("system", frame))]
        keys += [
            exp.EQ(this=exp.column(name, table), expression=self._part_of_segment(frame, name))
            for name in (SEGMENT, UNIT)
        ]
        query = query.select(
            exp.func("coalesce", exp.column("influence", table), literal(0.0)).as_(column),
            exp.column("total", table).as_(f"{column}_total"),
            exp.column("n_effective", table).as_(f"{column}_effective"), copy=False,
        )  # fmt: skip
        return query.join(table, on=exp.and_(*keys), join_type="left", copy=False)

    def summed(self, table: str) -> exp.Select:
        """Return one row per system and segment: the totals of all sums, and the sizes of the measures.

        Args:
            table: where the rows of `per_unit` are kept.
        """
        totals = [
            exp.Max(this=exp.column(f"{c}_total")).as_(c) if c in self.influences
            else exp.Sum(this=exp.column(c)).as_(c)
            for c in self.leaves()
        ]  # fmt: skip
        counts = [linear.counted().as_(f"m_{i}") for i, linear in enumerate(self.linear)]
        sizes = [linear.effective().as_(f"n_effective_{i}") for i, linear in enumerate(self.linear)]
        summed = exp.select("system", SEGMENT, *counts, *sizes, *totals).from_(table)
        return summed.group_by("system", SEGMENT)


def is_estimate(metric: Definition) -> bool:
    """Return whether a metric estimates something, so that an interval around it means something."""
    return metric.header.get("influence") != NONE


def _ends(columns: Sequence[str], is_weighted: bool) -> exp.Select:
    """Return the smallest and the largest value of columns, per system and unit.

    Args:
        columns: such as min_weight.
        is_weighted: whether rows without a weight do not count.
    """
    named = (name.partition("_") for name in columns)
    found = (exp.func(end, exp.column(column)).as_(f"{end}_{column}") for end, _, column in named)
    rows = exp.select("system", SEGMENT, *found).from_("predictions")
    if is_weighted:
        rows = rows.where(exp.GT(this=exp.column(WEIGHT), expression=literal(0)))
    return rows.group_by("system", SEGMENT)


def _joined(
    query: exp.Select, table: str, frame: str, keys: Iterable[str] = ("system", SEGMENT)
) -> exp.Select:
    """Join a step with a row per system and unit to the query of the units."""
    same = (exp.EQ(this=exp.column(key, table), expression=exp.column(key, frame)) for key in keys)
    return query.join(table, on=exp.and_(*same), join_type="left", copy=False)
