"""Units that are too many to move to the engine of the results: their sums are made where the rows are.

Student's t needs numbers, means and spreads only. Other tests and the bootstrap read every unit, and refuse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.divided_windows import divided
from duckmetrics.dialects import DIALECTS
from duckmetrics.engines.engine import keep_new
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import bind
from duckmetrics.inference.units import DIFFERENCES, PER_QUERY, Units
from duckmetrics.summaries import kept
from duckmetrics.summaries.kept import collected, moved_to_results, on_engine, too_many

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value

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
