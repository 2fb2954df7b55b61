"""Sums of rows that states keep: their names, and intervals from them alone."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NoReturn, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines.plans import by_group
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.linear import derivative, product
from duckmetrics.inference.row_units import UNIT_SUMS
from duckmetrics.inference.sums import Sums
from duckmetrics.inference.unit_values import scale_of_rows
from duckmetrics.inference.units import LOGIT, PROPORTION, SEGMENT, Units
from duckmetrics.inputs.classification import UNIT
from duckmetrics.inputs.inputs import Inputs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.linear import Linear


# The columns of a kept table: the number of units, of rows, and of positive rows.
UNITS, N, N_POSITIVE = "units", "n", "n_positive"
# A variance below this share of the terms it is the difference of is rounding.
ROUNDING = 1e-13
_ROWS = "rows"


def summable(catalog: Catalog, measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures that are functions of sums, also of rows that belong to several states."""
    plain = [one for one in measures if not by_group(one) and not one.metric.is_own]
    sums = Sums(catalog, _plain_inputs(), plain, independent=False)
    return [
        linear.measure
        for linear in sums.linear
        if not linear.influences and scale_of_rows(linear.measure).name != LOGIT
    ]


def sum_names(catalog: Catalog, measures: Sequence[Measure]) -> dict[str, str]:
    """Return the columns of the sums of measures -> names that say how they are computed.

    Equal names in several states, also of several releases, mean equal sums.
    """
    sums = Sums(catalog, _plain_inputs(), measures, independent=False)
    steps = sums.composer.steps

    def text(query: exp.Expr) -> str:
        query = query.copy()
        for table in list(query.find_all(exp.Table)):
            if table.name in steps:
                table.replace(exp.to_table(f"step_{_digest(text(steps[table.name]))}"))
        return query.sql(DIALECT)

    return {
        column: f"sum_{_digest(f'{text(block.source)} {value.sql(DIALECT)}')}"
        for block in sums.blocks
        for column, value in block.columns.items()
    }


def _plain_inputs() -> Inputs:
    """Return rows without constants, which columns of sums do not depend on."""
    names = ("system", SEGMENT, "label", "score", "weight", "group_id", UNIT)
    return Inputs({"predictions": exp.select(*names).from_(_ROWS)}, {}, True, None, False, (), None)


def _digest(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()[:12]


def product_name(one: str, other: str) -> str:
    """Return the column of the sum of the products of two sums of a row."""
    first, second = sorted((one, other))
    return f"product_{first.removeprefix('sum_')}_{second.removeprefix('sum_')}"


def needed_sums(catalog: Catalog, measures: Sequence[Measure], spread: bool) -> list[str]:
    """Return the names of the columns that `KeptSums` reads."""
    names = sum_names(catalog, measures)
    if not spread:
        return [N, N_POSITIVE, *names.values()]
    pairs = pairs_of_sums(Sums(catalog, _plain_inputs(), measures, independent=False).linear)
    products = (product_name(names[one], names[other]) for one, other in pairs)
    return [UNITS, N, N_POSITIVE, *names.values(), *products]


def pairs_of_sums(measures: Sequence[Linear]) -> list[tuple[str, str]]:
    """Return the pairs of columns of sums that the variance of a measure depends on."""
    pairs = (combinations_with_replacement(sorted(linear.columns), 2) for linear in measures)
    return list(dict.fromkeys(pair for found in pairs for pair in found))


class KeptSums(Sums):
    """Sums of units that were computed before, and add up over states.

    The rows have the columns `UNITS`, `N`, `N_POSITIVE`, and those of the names of the sums.

    Args:
        names: column -> the name of the sum, see `sum_names`.
        spread: whether the sums of products are needed: those of rows, for intervals.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], names: Mapping[str, str],
        spread: bool,
    ) -> None:  # fmt: skip
        super().__init__(catalog, inputs, measures, independent=inputs.cluster is None)
        self.names = names
        self.spread = spread

    def per_unit(self, kept: Mapping[str, str]) -> exp.Select:
        """Return one row per system, segment and unit; without clusters, per system and segment."""
        keys = ("system", SEGMENT, *(() if self.independent else (UNIT,)))
        query = exp.select(*keys, *(_total(name, "BIGINT").as_(name) for name in (N, N_POSITIVE)))
        query = query.select(*(_total(name, "DOUBLE").as_(column) for column, name in self.names.items()))
        if self.spread:
            query = query.select(_total(UNITS, "DOUBLE").as_(UNITS))
            for one, other in pairs_of_sums(self.linear):
                name = product_name(self.names[one], self.names[other])
                query = query.select(_total(name, "DOUBLE").as_(f"{one}_{other}"))
        return query.from_(self.inputs.queries["predictions"].subquery(_ROWS)).group_by(*keys)

    def values(self, table: str) -> exp.Select:
        """Return one row per system and segment with the value of every measure.

        Args:
            table: where the rows of `per_unit` are kept.
        """
        names = (N, N_POSITIVE, *self.names)
        totals = exp.select("system", SEGMENT, *(exp.Sum(this=exp.column(name)).as_(name) for name in names))
        totals = totals.from_(table).group_by("system", SEGMENT)
        query = exp.select(
            "system", SEGMENT, *(exp.cast(exp.column(n), "BIGINT").as_(n) for n in (N, N_POSITIVE))
        )
        for i, linear in enumerate(self.linear):
            known = dict(linear.measure.params)
            value = self.composer.defined(linear.measure.metric, known, linear.value, exp.column(N))
            query = query.select(value.as_(f"value_{i}"), copy=False)
        return query.from_("totals").with_("totals", as_=totals)


def _total(name: str, type_: str) -> exp.Expr:
    return exp.cast(exp.Sum(this=exp.column(name)), type_)


# --- intervals of rows -------------------------------------------------------------------------------


@dataclass(frozen=True)
class MomentUnits(Units):
    """Rows of which only sums and sums of products are known; `query` has the columns of `unit_sums`."""

    def each(self, reader: str) -> NoReturn:
        """Refuse a method that reads every row.

        Raises:
            UnsupportedError: always.
        """
        what = "it reads every row, and these states have sums of rows"
        raise UnsupportedError(reader, what, "use interval_method='t', or write states with a cluster")

    def tested(
        self, catalog: Catalog, statistic: str, values: Mapping[str, Value], unread: Collection[str] = ()
    ) -> exp.Select:
        self.each(statistic)

    def of_intervals(self, catalog: Catalog) -> dict[str, exp.Query]:
        return {UNIT_SUMS: self.query}


def moments(sums: KeptSums, table: str) -> exp.Select:
    """Return mean and spread of the values that the delta method gives to rows, in the columns of unit_sums.

    Args:
        table: where the rows of `KeptSums.per_unit` are kept: one per system and segment.
    """
    parts = [_moments_of(sums, i, linear, table) for i, linear in enumerate(sums.linear)]
    return parts[0] if len(parts) == 1 else cast("exp.Select", exp.union(*parts, distinct=False))


def _moments_of(sums: KeptSums, place: int, linear: Linear, table: str) -> exp.Select:
    """Return the moments of one measure: those of sum(slope * sum of the row), times the number of rows."""
    slopes = {name: f"slope_{name}" for name in linear.slopes}
    sloped = exp.select("*", linear.value.copy().as_("mean"))
    for name, slope in linear.slopes.items():
        sloped = sloped.select(slope.copy().as_(slopes[name]))
    known = {name: exp.column(alias) for name, alias in slopes.items()}
    moved = _added(product(exp.column(name), slope) for name, slope in known.items())
    m = exp.column(UNITS)
    terms = list(_products(known))
    spread = exp.Sub(this=_added(iter(terms)), expression=exp.Div(this=product(moved, moved), expression=m))
    size = _added(exp.Abs(this=term) for term in terms)
    is_rounding = exp.LTE(
        this=exp.column("spread"), expression=product(literal(ROUNDING), exp.column("size"))
    )
    variance = exp.Case().when(is_rounding, literal(0.0)).else_(exp.column("spread"))
    freedom = exp.paren(exp.Sub(this=m.copy(), expression=literal(1.0)))
    sd = exp.Sqrt(this=exp.Div(this=exp.paren(variance), expression=freedom))
    scale, low, high = scale_of_rows(linear.measure)
    mean = _finite(exp.column("mean"))
    lacks = exp.Is(this=mean.copy(), expression=exp.null())
    effective = _effective(linear)
    number = exp.Add(
        this=exp.Mul(this=exp.column(SEGMENT), expression=literal(len(sums.linear))),
        expression=literal(place),
    )
    without = exp.and_(lacks, exp.Is(this=exp.column("effective"), expression=exp.null()))
    n = exp.cast(exp.Case().when(without, literal(0.0)).else_(m.copy()), "BIGINT")
    measured = exp.select(
        "system", SEGMENT, UNITS, "mean", spread.as_("spread"), size.as_("size"), effective.as_("effective")
    ).from_(exp.select("*").from_(sloped.from_(table).subquery("sloped")).subquery("sloped"))
    is_many = exp.GT(this=m.copy(), expression=literal(1.0))
    return exp.select(
        "system", number.as_("metric"), n.as_("n"),
        exp.func("least", exp.func("coalesce", exp.column("effective"), n.copy()), m).as_("n_effective"),
        mean.as_("mean"), exp.cast(exp.null(), "DOUBLE").as_("excess"),
        exp.Case().when(is_many, _finite(product(m, sd))).as_("sd"), literal(scale).as_("scale"),
        _end(low).as_("low"), _end(high).as_("high"),
        exp.Boolean(this=scale == PROPORTION).as_("is_proportion"),
    ).from_(measured.subquery("measured"))  # fmt: skip


def _products(known: Mapping[str, exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the terms of the sum of squares of a linear function of the sums of a row.

    Args:
        known: column -> its factor.
    """
    for one, other in combinations_with_replacement(sorted(known), 2):
        factor = product(known[one], known[other])
        factor = factor if one == other else product(literal(2.0), factor)
        yield product(factor, exp.column(f"{one}_{other}"))


def _effective(linear: Linear) -> exp.Expr:
    """Return the smallest effective number of rows of a denominator, as `Linear.effective` does."""
    sizes: list[exp.Expr] = []
    for own in linear.denominators:
        columns = dict.fromkeys(column.name for column in own.find_all(exp.Column))
        factors = {name: derivative(own, name) or literal(0.0) for name in columns}
        squares = exp.func("nullif", _added(_products(factors)), literal(0.0))
        sizes.append(exp.Div(this=product(own, own), expression=squares))
    if len(sizes) < 2:
        return exp.cast(sizes[0] if sizes else exp.null(), "DOUBLE")
    return exp.func("least", *sizes)


def _added(terms: Iterator[exp.Expr]) -> exp.Expr:
    total = next(terms, literal(0.0))
    for term in terms:
        total = exp.Add(this=total, expression=term)
    return exp.paren(total)


def _finite(value: exp.Expr) -> exp.Expr:
    return exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())


def _end(value: float) -> exp.Expr:
    return exp.cast(literal(str(value)), "DOUBLE")
