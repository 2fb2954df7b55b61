"""Whole numbers that sort the rows of many queries by score: the query in the upper bits, the score below.

DuckDB sorts one whole number in two thirds of the time that it needs for an id and a score. The lower bits
are the distance from the largest score. Scores that are equal, or almost, get the same number; `equal_rows`
sorts their rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.expressions.build import cast_to, picked, row_count
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.engines.engine import Engine

KEY, PLACE = "sort_key", "place"
# The order of the numbers, whatever the default of the connection is.
UPWARD = exp.Ordered(this=exp.column(KEY), desc=False)
# The bits of a number without its sign; the fewest and the most for the score. A DOUBLE is exact to 53 bits.
BITS, FEWEST, MOST = 63, 36, 50
# If more of the numbers are equal, sorting those rows again takes too much time; the first rows show it.
FIRST_ROWS, MOST_EQUAL = 50_000, 0.03
# With more rows, the numbers need the memory that the sort needs, and save no time.
MOST_ROWS = 20_000_000
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


@dataclass(frozen=True)
class Id:
    """The values of an id: how many from the lowest to the highest, and their type."""

    name: str
    type: str
    lowest: int
    width: int


@dataclass(frozen=True)
class SortKeys:
    """How the ids and the score of a row make one number.

    Attributes:
        rows: the query of the rows to be sorted.
        order: what sorts the rows of a query; first the score, from high to low.
        highest: the largest score.
        scale: the difference of two numbers whose scores differ by 1.
        bits: the number of bits of the score.
    """

    rows: exp.Select
    ids: tuple[Id, ...]
    order: Sequence[exp.Ordered]
    highest: float
    scale: float
    bits: int

    def packed(self) -> exp.Expr:
        """Write the number of a row."""
        upper: exp.Expr | None = None
        for one in self.ids:
            place = exp.Sub(this=cast_to(exp.column(one.name), "BIGINT"), expression=literal(one.lowest))
            above = None if upper is None else exp.Mul(this=exp.paren(upper), expression=literal(one.width))
            upper = place if above is None else exp.Add(this=above, expression=exp.paren(place))
        score = cast_to(self.order[0].this.copy(), "DOUBLE")
        distance = exp.Sub(this=literal(self.highest), expression=score)
        lower = exp.Mul(this=exp.paren(distance), expression=literal(self.scale))
        shifted = exp.Mul(this=exp.paren(cast("exp.Expr", upper)), expression=literal(2**self.bits))
        return exp.Add(this=shifted, expression=cast_to(lower, "BIGINT"))

    def unpacked(self) -> dict[str, exp.Expr]:
        """Write each id as an expression over the number."""
        found: dict[str, exp.Expr] = {}
        rest: exp.Expr = exp.IntDiv(this=exp.column(KEY), expression=literal(2**self.bits))
        for one in reversed(self.ids):
            own = (
                rest.copy()
                if one is self.ids[0]
                else exp.Mod(this=exp.paren(rest.copy()), expression=literal(one.width))
            )
            value = exp.Add(this=exp.paren(own), expression=literal(one.lowest))
            found[one.name] = cast_to(value, one.type)
            rest = exp.IntDiv(this=exp.paren(rest.copy()), expression=literal(one.width))
        return found

    def numbered(self, columns: Mapping[str, exp.Expr]) -> exp.Select:
        """Return the query of the numbers of the rows, and of other columns."""
        others = (value.copy().as_(name) for name, value in columns.items())
        return self.rows.copy().select(self.packed().as_(KEY), *others, append=False)

    def are_often_equal(self, engine: Engine) -> bool:
        """Return whether many of the first rows have equal numbers."""
        first = self.numbered({}).limit(FIRST_ROWS).subquery("first_rows")
        in_order = picked(first, KEY).order_by(UPWARD.copy()).subquery("in_order")
        return are_many(count_equal(engine, in_order), FIRST_ROWS)

    def equal_rows(self, table: str, columns: Mapping[str, exp.Expr]) -> exp.Select:
        """Return the query of the rows whose numbers are equal, with their places in the whole order.

        Args:
            table: the numbers of all rows, in their order.
            columns: the columns of each row next to its number.
        """
        first = exp.Sub(this=exp.Min(this=exp.column(PLACE)), expression=literal(1))
        places = _beside_previous(table, exp.column("rowid").as_(PLACE))
        groups = picked(places.subquery("pairs"), KEY, first.as_("first_place"))
        groups = groups.where("is_equal").group_by(KEY)
        keys = {f"order_{number}": one for number, one in enumerate(self.order)}
        rows = self.numbered({**columns, **{name: one.this for name, one in keys.items()}})
        order = []
        for name, one in keys.items():
            order.append(sorted_by := one.copy())
            sorted_by.set("this", exp.column(name))
        number = exp.Window(
            this=exp.RowNumber(),
            partition_by=[exp.column(KEY, "numbered")],
            order=exp.Order(expressions=order),
        )
        place = exp.Sub(
            this=exp.Add(this=exp.column("first_place"), expression=number), expression=literal(1)
        )
        same = exp.EQ(this=exp.column(KEY, "equal"), expression=exp.column(KEY, "numbered"))
        selected = (exp.column(name) for name in columns)
        found = picked(rows.subquery("numbered"), exp.column(KEY, "numbered"), *selected, place.as_(PLACE))
        return found.join(groups.subquery("equal"), on=same)


def sort_keys(engine: Engine, rows: exp.Select, window: exp.Window) -> SortKeys | None:
    """Return the numbers that sort rows as a window does, up to equal scores.

    Returns:
        None if there are no rows, if ids are no whole numbers, if scores are missing or not
        finite, or if many scores are equal.
    """
    order = window.args["order"].expressions
    if not order[0].args.get("desc"):
        return None
    ids = [key.name for key in window.args["partition_by"]]
    (row,) = engine.rows(_extents(rows, ids, order[0].this))
    *of_ids, (_, lowest, highest, n) = (row[at : at + 4] for at in range(1, len(row), 4))
    if n == 0 or n != row[0] or any(type_ not in WHOLE or n != row[0] for type_, _, _, n in of_ids):
        return None
    known = [
        Id(name, type_, low, high - low + 1) for name, (type_, low, high, _) in zip(ids, of_ids, strict=True)
    ]
    keys = _of_scores(rows, known, order, lowest, highest)
    return None if keys is None or keys.are_often_equal(engine) else keys


def _extents(rows: exp.Select, ids: Sequence[str], score: exp.Expr) -> exp.Select:
    """Count the rows; then, of each id and of the score: its type, both ends, and how many values it has."""
    columns: list[exp.Expr] = [exp.Count(this=exp.Star())]
    for value in (*map(exp.column, ids), score):
        low, high = exp.Min(this=value.copy()), exp.Max(this=value.copy())
        columns += [exp.Anonymous(this="typeof", expressions=[low.copy()]), low, high]
        columns.append(exp.Count(this=value.copy()))
    return rows.copy().select(*columns, append=False)


def _of_scores(
    rows: exp.Select, ids: Sequence[Id], order: Sequence[exp.Ordered], lowest: Any, highest: Any
) -> SortKeys | None:
    """Divide the bits between the ids and the score; return None if these are not enough."""
    if not ids or type(highest) not in (int, float) or not math.isfinite(spread := highest - lowest):
        return None
    bits = min(BITS - math.prod(one.width for one in ids).bit_length(), MOST)
    if bits < FEWEST or spread <= 0 or not math.isfinite(scale := (2**bits - 2) / spread):
        return None
    return SortKeys(rows, tuple(ids), order, float(highest), scale, bits)


def count_equal(engine: Engine, source: str | exp.Expr) -> int:
    """Return how many numbers equal the one before them.

    Args:
        source: the numbers in their order.
    """
    ((n_equal,),) = engine.rows(row_count(_beside_previous(source).subquery("pairs")).where("is_equal"))
    return int(n_equal)


def are_many(n_equal: int, n_rows: int) -> bool:
    """Return whether a sort by ids and scores takes less time, because of the equal numbers."""
    return n_equal > MOST_EQUAL * n_rows


def _beside_previous(source: str | exp.Expr, *others: exp.Expr) -> exp.Select:
    """Compare each number with the one before it."""
    previous = exp.Window(this=exp.Lag(this=exp.column(KEY)))
    is_equal = exp.EQ(this=exp.column(KEY), expression=previous)
    return picked(source, KEY, is_equal.as_("is_equal"), *others)
