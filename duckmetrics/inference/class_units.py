"""The values of units for metrics of several classes: each metric without one unit, for a jackknife."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.engines.engine import keep_new
from duckmetrics.engines.plans import GROUPED, PLAN, has_relation, plans
from duckmetrics.expressions.build import equal_columns
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.linear import product, remaining
from duckmetrics.inference.row_summary import per_slice
from duckmetrics.inference.units import SEGMENT
from duckmetrics.inputs.classes import CLASS
from duckmetrics.inputs.classification import GROUP, UNIT, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# The relation with the sums of each class, and its grain.
COUNTS = "class_counts"
GRAIN = ("system", SEGMENT, CLASS)
KEYS = ("system", SEGMENT, UNIT)


def of_classes(catalog: Catalog, measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures that have a value without one unit; all of them have weights, or none.

    Such a measure is a function of sums of each class, or the plain mean of a metric of each class whose
    influences are known.
    """
    found = [
        measure for measure in measures
        if has_relation(catalog, measure, COUNTS)
        or ("influence" in measure.metric.header and measure.values.get("average") == "macro")
    ]  # fmt: skip
    return [one for one in found if one.values.get(WEIGHTED) == found[0].values.get(WEIGHTED)]


class OfClasses:
    """Writes the values of measures of several classes, with all units and without each of them.

    Args:
        measures: those of `of_classes`.
        first: the place of the first of them among all measures with units.
    """

    def __init__(
        self, catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], first: int
    ) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.measures = measures
        self.first = first
        self.weighted = bool(measures[0].values.get(WEIGHTED))
        self.sums = keep_new(engine, COUNTS, self._sums_of_units())
        self.sizes = keep_new(engine, "sizes", self._sizes())
        self.influences = {
            i: keep_new(engine, "influences", self._influences(measure))
            for i, measure in enumerate(measures) if not has_relation(catalog, measure, COUNTS)
        }  # fmt: skip

    def wholes(self) -> exp.Select:
        """Return the number of units, and the value of every measure, per system and segment."""
        query = exp.select(exp.column("system", "frame"), exp.column(SEGMENT, "frame")).from_(
            self._frame().subquery("frame")
        )
        if (values := self._values(self._total())) is not None:
            query = _left(query, values.subquery("of_sums"), equal_columns(KEYS[:2], "of_sums", "frame"))
        for i, place, value in self._places():
            if i in self.influences:
                name = f"influences_{i}"
                total = exp.Max(this=exp.column("total")).as_("total")
                means = (
                    exp.select("system", SEGMENT, total).from_(self.influences[i]).group_by("system", SEGMENT)
                )
                query = _left(query, means.subquery(name), equal_columns(KEYS[:2], name, "frame"))
                value = exp.column("total", name)
            sizes = (exp.column(name, "frame").as_(f"{name}_{place}") for name in ("m", "n_effective"))
            query = query.select(*sizes, value.as_(f"value_{place}"), copy=False)
        return query

    def rest(self) -> exp.Select:
        """Return the value of every measure without one unit, per system, segment and unit."""
        query = exp.select(*(exp.column(key, self.sizes) for key in KEYS)).from_(self.sizes)
        if (values := self._values(self._left())) is not None:
            same = [exp.EQ(this=exp.column("system", "of_sums"), expression=exp.column("system", self.sizes))]
            same += [exp.EQ(this=_part("of_sums", name), expression=exp.column(name, self.sizes))
                     for name in (SEGMENT, UNIT)]  # fmt: skip
            query = _left(query, values.subquery("of_sums"), exp.and_(*same))
        for i, place, value in self._places():
            if i in self.influences:
                table = self.influences[i]
                query = _left(query, exp.to_table(table), equal_columns(KEYS, table, self.sizes))
                value = exp.Sub(this=exp.column("total", table), expression=exp.column("influence", table))
            finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())
            query = query.select(exp.true().as_(f"said_{place}"), finite.as_(f"value_{place}"), copy=False)
        return query

    def _places(self) -> Iterator[tuple[int, int, exp.Expr]]:
        """Yield the place of each measure among these, that among all, and its value if it is one of sums."""
        of_sums = 0
        for i in range(len(self.measures)):
            yield i, self.first + i, exp.column(f"value_{of_sums}", "of_sums")
            of_sums += i not in self.influences

    def _frame(self) -> exp.Select:
        """Return the number of units of every segment, and how many of equal weight they are worth."""
        size = exp.column("size")
        total, squares = exp.Sum(this=size), exp.Sum(this=product(size, size))
        effective = exp.Div(this=product(total, total), expression=exp.func("nullif", squares, literal(0)))
        n = exp.Count(this=exp.Star())
        return exp.select(
            "system", SEGMENT, exp.cast(n, "DOUBLE").as_("m"), effective.as_("n_effective")
        ).from_(self.sizes).group_by("system", SEGMENT)  # fmt: skip

    def _values(self, sums: exp.Query) -> exp.Select | None:
        """Return the values of the measures that are functions of sums, given the sums; None without one."""
        measures = [measure for i, measure in enumerate(self.measures) if i not in self.influences]
        if not measures:
            return None
        composer = Composer(self.catalog, {COUNTS: sums})
        return per_slice(composer, measures, plans(self.catalog, measures, None))

    # --- the sums of each class --------------------------------------------------------------------

    def _sums_of_units(self) -> exp.Select:
        """Return the sums of each class of each unit."""
        composer = self._composer(UNIT)
        step = composer.relation(COUNTS, {WEIGHTED: self.weighted})
        parts = (_part(step, name).as_(name) for name in (SEGMENT, UNIT))
        return composer.complete(exp.select("system", *parts, CLASS, *self._columns).from_(step))

    def _composer(self, column: str) -> Composer:
        """Return a composer of the rows, whose segment is their segment together with a column."""
        constant = self.inputs.constants.get(SEGMENT)
        segment = exp.column(SEGMENT) if constant is None else literal(constant)
        fields = {SEGMENT: segment, column: exp.column(column)}
        kept = ("label", "score", WEIGHT, GROUP, UNIT, *self.inputs.own_columns)
        rows = exp.select("system", _struct(fields).as_(SEGMENT), *kept)
        rows = rows.from_(self.inputs.queries["predictions"].subquery("rows"))
        return Composer(self.catalog, {"predictions": rows})

    @property
    def _columns(self) -> list[str]:
        """The sums."""
        names = self.catalog.relations[COUNTS].query.named_selects
        return [name for name in names if name not in GRAIN]

    def _sizes(self) -> exp.Select:
        """Return the size of every unit: its rows of each class, and those that are predicted to have it."""
        size = exp.Sum(this=exp.Add(this=exp.column("actual"), expression=exp.column("predicted")))
        return exp.select(*KEYS, size.as_("size")).from_(self.sums).group_by(*KEYS)

    def _total(self) -> exp.Select:
        """Return the sums of each class over all units."""
        sums = (exp.Sum(this=exp.column(name)).as_(name) for name in self._columns)
        return exp.select(*GRAIN, *sums).from_(self.sums).group_by(*GRAIN)

    def _left(self) -> exp.Select:
        """Return the sums of each class without one unit; the segment is that of the unit, and the unit."""
        own = self.sums
        both = _struct({name: exp.column(name, own) for name in (SEGMENT, UNIT)})
        left = (remaining(name, own, "totals").as_(name) for name in self._columns)
        query = exp.select(exp.column("system", own), both.as_(SEGMENT), exp.column(CLASS, own), *left)
        totals = self._total().subquery("totals")
        return query.from_(own).join(totals, on=equal_columns(GRAIN, "totals", own))

    # --- the influences on each class --------------------------------------------------------------

    def _influences(self, measure: Measure) -> exp.Select:
        """Return the mean of the metric over the classes, and the mean influence of every unit on them.

        If the metric of a class has a value and no influences, there is no mean.
        """
        composer = self._composer(CLASS)
        values = {**measure.values, PLAN: GROUPED, "independent": False}
        step = composer.relation(measure.metric.header["influence"], values)
        total, influence = (exp.Avg(this=exp.column(name)) for name in ("total", "influence"))
        number = exp.Max(this=exp.column("number", "defined"))
        whole = exp.Case().when(exp.EQ(this=exp.Count(this=exp.column("total")), expression=number), total)
        segment = _part(step, SEGMENT)
        query = exp.select(
            exp.column("system", step),
            segment.as_(SEGMENT),
            UNIT,
            whole.as_("total"),
            influence.as_("influence"),
        ).from_(step)
        same = exp.and_(
            exp.EQ(this=exp.column("system", "defined"), expression=exp.column("system", step)),
            exp.EQ(this=exp.column(SEGMENT, "defined"), expression=segment.copy()),
        )
        query = query.join(self._defined().subquery("defined"), on=same)
        return composer.complete(query.group_by(exp.column("system", step), segment.copy(), UNIT))

    def _defined(self) -> exp.Select:
        """Return the number of classes that have rows while other rows have another class."""
        has_rows = exp.GT(this=exp.column("actual"), expression=literal(0))
        has_others = exp.LT(this=exp.column("actual"), expression=exp.column("total"))
        number = exp.Filter(
            this=exp.Count(this=exp.Star()), expression=exp.Where(this=exp.and_(has_rows, has_others))
        )
        classes = self._total().subquery("classes")
        return exp.select("system", SEGMENT, number.as_("number")).from_(classes).group_by("system", SEGMENT)


def _part(table: str, name: str) -> exp.Expr:
    """Return a part of a segment that is a struct."""
    return exp.Dot(this=exp.column(SEGMENT, table), expression=exp.to_identifier(name))


def _struct(fields: Mapping[str, exp.Expr]) -> exp.Struct:
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(n), expression=value) for n, value in fields.items()
        ]
    )


def _left(query: exp.Select, table: exp.Expr, same: exp.Expr) -> exp.Select:
    return query.join(table, on=same, join_type="left")
