"""The values of units of rows, such as users: delta method, jackknife, bootstrap, many units at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.functions import linked
from duckmetrics.compose.one_scan import divided, in_one_scan
from duckmetrics.engines.engine import keep_new
from duckmetrics.engines.plans import plans
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.build import equal_columns, everything
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inference import kept
from duckmetrics.inference.kept import collected, moved, moved_to_results, on_engine, too_many
from duckmetrics.inference.linear import all_units, product, remaining, same_segment, speaking, unit_values
from duckmetrics.inference.row_summary import per_slice
from duckmetrics.inference.sums import is_estimate
from duckmetrics.inference.units import DIFFERENCES, DRAW, PER_QUERY, SEGMENT, WHOLE, Units, no_units, struct
from duckmetrics.inputs.classification import GROUP, UNIT
from duckmetrics.inputs.columns import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.class_units import OfClasses
    from duckmetrics.inference.linear import Linear
    from duckmetrics.inference.sums import Sums
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.interval_options import Inference


# The steps of intervals and of the paired t-test that read units and are few rows.
UNIT_SUMS, DIFFERENCE_SUMS, SIZES = "unit_sums", "difference_sums", "effective_size"
# The test that needs these sums only.
OF_SUMS = "paired_t"
ADVICE = (
    "use test='t' and interval_method='t', which need sums only; or name larger units with cluster= "
    "(--cluster)"
)


@dataclass(frozen=True)
class ManyUnits(Units):
    """Units that stay where the rows are.

    `query` and `members` are for the engine of the rows; all that is read from them is made there.

    Attributes:
        engine: that of the rows.
        number: how many values of units there are.
    """

    engine: Engine | None = None
    number: int = 0

    def each(self, reader: str) -> NoReturn:
        """Refuse a method that reads every unit.

        Raises:
            UnsupportedError: always.
        """
        name = "Spark" if self.engine is None else DIALECTS[self.engine.dialect].engine
        raise UnsupportedError(
            reader,
            f"it reads every unit; there are {self.number:,} values of units, and at most "
            f"{kept.MOST_UNITS:,} can move from {name} to DuckDB",
            ADVICE,
        )

    def tested(
        self, catalog: Catalog, statistic: str, values: Mapping[str, Value], unread: Collection[str] = ()
    ) -> exp.Select:
        if statistic != OF_SUMS:
            self.each(statistic)
        return super().tested(catalog, statistic, values, unread)

    def shared(self, catalog: Catalog, baseline: str) -> exp.Select:
        self.each("unpaired")

    def reduced(self, catalog: Catalog, stem: str, query: exp.Query) -> exp.Query:
        """Run a query of the units where they are, and return its few rows at the results."""
        engine = cast("Engine", self.engine)
        return collected(engine, stem, on_engine(catalog, engine, query))

    def of_intervals(self, catalog: Catalog) -> dict[str, exp.Query]:
        composer = Composer(catalog, super().of_intervals(catalog))
        query = composer.complete(everything(composer.relation(UNIT_SUMS, {})))
        return {UNIT_SUMS: self.reduced(catalog, UNIT_SUMS, query)}

    def of_tests(self, catalog: Catalog, values: Mapping[str, Value]) -> dict[str, exp.Query]:
        """Return the sums of the differences from a baseline.

        A window over all differences, which finds those that are only rounding, becomes an aggregate.
        """
        differences = cast("exp.Select", bind(catalog.relations[DIFFERENCES].query, values))
        query = cast("exp.Select", catalog.relations[DIFFERENCE_SUMS].query.copy())
        for name, step in ((PER_QUERY, self.query), *divided(DIFFERENCES, differences)):
            query = query.with_(name, as_=step.copy(), copy=False)
        return {DIFFERENCE_SUMS: self.reduced(catalog, DIFFERENCE_SUMS, query)}

    def of_sizes(self, catalog: Catalog, values: Mapping[str, Value]) -> dict[str, exp.Query]:
        composer = Composer(catalog, {"units": self.query})
        query = composer.complete(everything(composer.relation(SIZES, values)))
        return {SIZES: self.reduced(catalog, SIZES, query)}


def units_at(engine: Engine, query: exp.Query, **fields: Any) -> Units:
    """Move units to the engine of the results, or leave them where they are if they are too many.

    Args:
        fields: the other attributes of `Units`.
    """
    if engine.results() is engine:
        return Units(query, **fields)
    units = engine.kept(table := keep_new(engine, "units", query))
    if (number := too_many(engine, units)) is not None:
        return ManyUnits(units, **fields, engine=engine, number=number)
    return Units(engine.results().kept(moved_to_results(engine, table)), **fields)


def with_small_steps(engine: Engine, query: exp.Query, large: Collection[str]) -> exp.Query:
    """Return a query over many units with its small steps computed once.

    Joined by system and segment alone, all units of a system would come to one task; the small steps are sent
    to all tasks instead.

    Args:
        large: the steps with a row per unit.
    """
    query = query.copy()
    small = {cte.alias for cte in query.ctes} - set(large)
    for select in query.find_all(exp.Select):
        tables = [join.this.name for join in select.args.get("joins") or [] if join.this.name in small]
        if tables:
            select.hint(f"BROADCAST({', '.join(tables)})", dialect="spark", copy=False)
    for i, cte in enumerate(list(query.ctes)):
        if cte.alias not in small:
            continue
        step = cte.this.copy()
        for before in query.ctes[:i]:
            step = step.with_(before.alias, as_=before.this.copy(), copy=False)
        cte.set("this", engine.kept(keep_new(engine, cte.alias, step)))
    return query


# The number of rows drawn in one query. More samples take more queries, but no more memory.
ROWS_AT_ONCE = 20_000_000


def bootstrapped(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], inference: Inference
) -> str:
    """Keep the values of measures on samples, and on the rows themselves, in a table, and return its name."""
    samples = engine.name("samples")
    predictions = inputs.queries["predictions"].subquery("predictions")
    (n,) = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(predictions))[0]
    step = max(1, ROWS_AT_ONCE // max(n, 1))
    for first in range(WHOLE, inference.samples, step):
        last = min(first + step, inference.samples)
        query, macros = linked(catalog, _values(catalog, inputs, measures, first, last, inference.seed))
        engine.define(macros)
        engine.keep(samples, query, more=first > WHOLE)
    return samples


def _values(
    catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], first: int, last: int, seed: int
) -> exp.Select:
    """Return the value of every measure, for every system, segment and sample."""
    drawing = Composer(catalog, {"predictions": inputs.queries["predictions"]}, inputs.constants)
    values: dict[str, Value] = {"first": first, "last": last, "seed": seed}
    step = drawing.relation("resampled", values)
    own = [exp.column(name, "predictions") for name in inputs.own_columns]
    cast("exp.Select", drawing.steps[step]).select(*own, copy=False)
    kept = ("label", "score", WEIGHT, GROUP, *inputs.own_columns)
    drawn = drawing.complete(exp.select("system", struct(SEGMENT, DRAW).as_(SEGMENT), *kept).from_(step))
    constants = {name: value for name, value in inputs.constants.items() if name != SEGMENT}
    composer = Composer(catalog, {"predictions": drawn}, constants)
    return per_slice(composer, measures, plans(catalog, measures, None))


def can_be_bootstrapped(catalog: Catalog, measure: Measure) -> bool:
    """Return whether a measure estimates something, and has no bounds of another kind."""
    built_on = (measure.metric, *catalog.foundations(measure.metric))
    return all(map(is_estimate, built_on)) and measure.values.get("approx") is None


class DeltaMethod:
    """Writes the values of the units with the derivatives of the measures.

    Args:
        table: where the rows of `Sums.per_unit` are kept.
    """

    def __init__(self, sums: Sums, table: str) -> None:
        self.sums = sums
        self.linear = sums.linear
        self.table = table

    def values(self) -> exp.Select:
        """Return one row per system, measure, segment and unit, as `Units` holds them."""
        steps = {"summed": self.sums.summed(self.table), "slopes": self._slopes()}
        return all_units((self._measure(i, linear) for i, linear in enumerate(self.linear)), steps)

    def _slopes(self) -> exp.Select:
        """Return the derivatives of every measure, per system and segment."""
        places = range(len(self.linear))
        slopes = exp.select(
            "system", SEGMENT, *(f"{name}_{i}" for i in places for name in ("m", "n_effective"))
        )
        for i, linear in enumerate(self.linear):
            moved = _moved([c for c in linear.slopes if c not in linear.influences], linear.slopes)
            value = linear.value if moved is None else exp.Sub(this=exp.paren(linear.value), expression=moved)
            slopes = slopes.select(value.as_(f"value_{i}"), copy=False)
            for name, slope in linear.slopes.items():
                slopes = slopes.select(slope.as_(f"slope_{i}_{name}"), copy=False)
        return slopes.from_("summed")

    def _measure(self, place: int, linear: Linear) -> exp.Select:
        """Return the values of the units of one measure."""
        known = {name: exp.column(f"slope_{place}_{name}", "slopes") for name in linear.slopes}
        moved = _moved(linear.slopes, known, self.table)
        value = exp.column(f"value_{place}", "slopes")
        shown = exp.Add(
            this=value, expression=exp.Mul(this=exp.column(f"m_{place}", "slopes"), expression=moved)
        )
        effective = exp.column(f"n_effective_{place}", "slopes")
        query = unit_values(place, len(self.linear), self.table, shown, effective)
        query = query.from_(self.table).join("slopes", on=same_segment("slopes", self.table))
        taken = linear.takes(self.table)
        return query if taken is None else query.where(taken)


def _moved(
    columns: Iterable[str], slopes: Mapping[str, exp.Expr], table: str | None = None
) -> exp.Expr | None:
    """Return the sum of slope times column; None if there is no column."""
    moved: exp.Expr | None = None
    for name in columns:
        term = exp.Mul(this=exp.paren(slopes[name]), expression=exp.column(name, table))
        moved = term if moved is None else exp.Add(this=moved, expression=term)
    return None if moved is None else exp.paren(moved)


# The step with a row per unit.
REST = "rest"


class Jackknife:
    """Writes the values of the units with the measures without one unit.

    Args:
        table: where the rows of `Sums.per_unit` are kept.
        others: more measures that have values without a unit.
    """

    def __init__(self, sums: Sums, table: str, others: OfClasses | None = None) -> None:
        self.sums = sums
        self.linear = sums.linear
        self.table = table
        self.others = others
        self.count = len(self.linear) + (0 if others is None else len(others.measures))

    def values(self) -> exp.Select:
        """Return one row per system, measure, segment and unit, as `Units` holds them."""
        steps = {"summed": self.sums.summed(self.table), "wholes": self._wholes(), REST: self._rest()}
        if self.others is not None:
            for name, step in (("wholes", self.others.wholes()), (REST, self.others.rest())):
                steps[f"{name}_of_classes"] = step
                steps[f"{name}_of_sums"] = steps.pop(name)
                steps[name] = _side_by_side(f"{name}_of_sums", f"{name}_of_classes", step)
        steps["centers"] = self._centers()
        return all_units((self._measure(i) for i in range(self.count)), steps)

    def _wholes(self) -> exp.Select:
        """Return the value of every measure, per system and segment."""
        names = [f"{name}_{i}" for i in range(len(self.linear)) for name in ("m", "n_effective")]
        values = (linear.value.copy().as_(f"value_{i}") for i, linear in enumerate(self.linear))
        return exp.select("system", SEGMENT, *names, *values).from_("summed")

    def _rest(self) -> exp.Select:
        """Return the value of every measure without one unit, and whether the unit counts."""
        table = self.table
        sums = exp.select(exp.column("system", table), exp.column(SEGMENT, table), exp.column(UNIT, table))
        for i, linear in enumerate(self.linear):
            said = linear.takes(table) or exp.true()
            sums = sums.select(said.as_(f"said_{i}"), copy=False)
        for name in self.sums.leaves():
            sums = sums.select(remaining(name, table).as_(name), copy=False)
        sums = sums.from_(table).join("summed", on=same_segment("summed", table))
        rest = exp.select("system", SEGMENT, UNIT, *(f"said_{i}" for i in range(len(self.linear))))
        for i, linear in enumerate(self.linear):
            value = linear.value.copy()
            # A metric may overflow without a unit; such a value is NULL.
            finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())
            rest = rest.select(finite.as_(f"value_{i}"), copy=False)
        return rest.from_(sums.subquery("sums"))

    def _centers(self) -> exp.Select:
        """Return the mean of the values without a unit; NULL if one of them is missing."""
        keys = [exp.column(key, REST) for key in ("system", SEGMENT)]
        centers = exp.select(*keys)
        for i in range(self.count):
            value, whole = exp.column(f"value_{i}", REST), exp.column(f"value_{i}", "wholes")
            said = exp.Where(this=exp.column(f"said_{i}", REST))
            # Its error is multiplied by m - 1 later: a mean of small changes has a small error.
            change = exp.Sub(this=value, expression=whole)
            mean = exp.Anonymous(this="favg", expressions=[change])
            n, known, center = (
                exp.Filter(this=found, expression=said.copy())
                for found in (exp.Count(this=exp.Star()), exp.Count(this=value.copy()), mean)
            )
            every = exp.EQ(this=n, expression=known)
            found = exp.Add(this=exp.Max(this=whole.copy()), expression=center)
            centers = centers.select(exp.Case().when(every, found).as_(f"mean_{i}"), copy=False)
        return centers.from_(REST).join("wholes", on=same_segment("wholes", REST)).group_by(*keys)

    def _measure(self, place: int) -> exp.Select:
        """Return the values of the units of one measure."""
        others = exp.Sub(this=exp.column(f"m_{place}", "wholes"), expression=literal(1.0))
        change = exp.Sub(
            this=exp.column(f"mean_{place}", "centers"), expression=exp.column(f"value_{place}", REST)
        )
        shown = exp.Add(this=exp.column(f"value_{place}", "wholes"), expression=product(others, change))
        effective = exp.column(f"n_effective_{place}", "wholes")
        query = unit_values(place, self.count, REST, shown, effective)
        query = query.from_(REST).where(exp.column(f"said_{place}", REST))
        for name in ("wholes", "centers"):
            query = query.join(name, on=same_segment(name, REST))
        return query


def _side_by_side(sums: str, classes: str, step: exp.Select) -> exp.Select:
    """Return a step of the measures that are sums with the columns of those of classes."""
    keys = [name for name in ("system", SEGMENT, UNIT) if name in step.named_selects]
    more = [exp.column(name, classes) for name in step.named_selects if name not in keys]
    query = exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier(sums)), *more).from_(sums)
    return query.join(classes, on=equal_columns(keys, sums, classes))


def kept_sums(catalog: Catalog, engine: Engine, sums: Sums, influences: Mapping[str, exp.Query]) -> str:
    """Keep the sums of every unit in a table of the engine of the results, and return its name.

    Args:
        influences: column -> the query of the influences that stand for a sum.
    """
    return moved(engine, _sums_of_units(catalog, engine, sums, influences))


def units_of_sums(
    catalog: Catalog, engine: Engine, sums: Sums, others: OfClasses | None = None, **fields: Any
) -> Units:
    """Return the values of units: by the delta method for rows, by the jackknife for clusters.

    Units that are too many to move stay where they are.

    Args:
        others: measures of several classes.
        fields: the other attributes of `Units`.
    """
    table = _sums_of_units(catalog, engine, sums, sums.influence_queries())
    fields = {**fields, "linearized": True, "clustered": not sums.independent}
    if not sums.linear and others is None:
        return Units(no_units(), **fields, members=_members(sums, moved(engine, table)))
    number = too_many(engine, engine.kept(table))
    table = moved_to_results(engine, table) if number is None and engine.results() is not engine else table
    method = DeltaMethod(sums, table) if sums.independent else Jackknife(sums, table, others)
    fields["members"], speakers = _members(sums, table), speaking(sums.linear, table)
    if number is None:
        return Units(on_engine(catalog, engine.results(), method.values()), **fields, speaking=speakers)
    query = with_small_steps(engine, on_engine(catalog, engine, method.values()), large=(REST,))
    speakers = None if speakers is None else collected(engine, "speaking", speakers)
    return ManyUnits(query, **fields, speaking=speakers, engine=engine, number=number)


def _sums_of_units(catalog: Catalog, engine: Engine, sums: Sums, influences: Mapping[str, exp.Query]) -> str:
    """Keep the sums of every unit in a table of the engine of the rows, and return its name."""
    kept = {}
    for column, query in influences.items():
        kept[column] = engine.name("influences")
        engine.keep(kept[column], query)
    table = engine.name("units")
    engine.keep(table, on_engine(catalog, engine, in_one_scan(sums.per_unit(kept))))
    return table


def _members(sums: Sums, table: str) -> exp.Select:
    """Return the clusters with what must be equal in all systems, such as their rows of each class."""
    unit = struct("segment", UNIT).as_("unit")
    fingerprint = struct("n", "n_positive", *sums.alike).as_("fingerprint")
    return exp.select("system", unit, fingerprint).from_(table)
