"""Whole numbers that sort the rows of many queries at once, and orders that files already have.

DuckDB sorts one whole number in half of the time that it needs for an id, a score and an item. The bits of
the score are the distance from the largest score, so they are equal for scores that are equal, or almost;
`equal_rows` sorts such rows. If too few bits are left for the item, it stands next to the number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.compose.optimizer import PLACE, without_idle_steps
from duckmetrics.engines.engine import keep_readable
from duckmetrics.expressions.build import cast_to, distinct, equal_columns, picked, row_count, stacked
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.engines.engine import Engine


KEY = "sort_key"
# The part of the number above the item.
OF_SCORE = "of_score"
# The order of the numbers, whatever the default of the connection is.
UPWARD = exp.Ordered(this=exp.column(KEY), desc=False)
# The bits of a number without its sign; the fewest and the most for the score. A DOUBLE is exact to 53 bits.
BITS, FEWEST, MOST = 63, 36, 50
# The fewest bits for the score if the item is in the number, too. Two scores have different bits if they
# differ by more than 1.5e-8 of the range of all scores.
FEWEST_WITH_ITEM = 26
# If more of the numbers are equal, sorting those rows again takes too much time; the first rows show it.
FIRST_ROWS, MOST_EQUAL = 50_000, 0.03
# With more different scores, it takes too much time to look for all of them.
FEW_SCORES = 10_000
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

    @property
    def bits(self) -> int:
        """The number of bits that hold each value."""
        return (self.width - 1).bit_length()

    def place(self) -> exp.Expr:
        """Write a value as its distance from the lowest one."""
        value = cast_to(exp.column(self.name), "BIGINT")
        return exp.Sub(this=value, expression=literal(self.lowest)) if self.lowest else value

    def value(self, place: exp.Expr) -> exp.Expr:
        """Write the value at a distance from the lowest one."""
        above = exp.Add(this=exp.paren(place), expression=literal(self.lowest)) if self.lowest else place
        return cast_to(above, self.type)


@dataclass(frozen=True)
class SortKeys:
    """How the ids and the score of a row make one number.

    Attributes:
        rows: the query of the rows to be sorted.
        item: the id that sorts equal scores, if it is in the number.
        order: what sorts the rows of a query; first the score, from high to low.
        highest: the largest score.
        scale: the difference of two numbers whose scores differ by 1.
        bits: the number of bits of the score.
        is_exact: whether the bits are equal only if the scores are, so that the item sorts all such rows.
    """

    rows: exp.Select
    ids: tuple[Id, ...]
    item: Id | None
    order: Sequence[exp.Ordered]
    highest: float
    scale: float
    bits: int
    is_exact: bool = False

    @property
    def item_bits(self) -> int:
        return 0 if self.item is None else self.item.bits

    def packed(self) -> exp.Expr:
        """Write the number of a row."""
        upper = self.ids[0].place()
        for one in self.ids[1:]:
            above = exp.Mul(this=exp.paren(upper), expression=literal(one.width))
            upper = exp.Add(this=above, expression=exp.paren(one.place()))
        score = self._of_score(cast_to(self.order[0].this.copy(), "DOUBLE"))
        number = exp.Add(this=_shifted(upper, self.bits), expression=score)
        if self.item is None:
            return number
        return exp.Add(this=_shifted(number, self.item_bits), expression=exp.paren(self.item.place()))

    def _of_score(self, score: exp.Expr) -> exp.Expr:
        """Write the bits of a score: its distance from the highest one."""
        distance = exp.Sub(this=literal(self.highest), expression=score)
        scaled = exp.Mul(this=exp.paren(distance), expression=literal(self.scale))
        return _kept(scaled, float(2**self.bits - 1))

    def unpacked(self) -> dict[str, exp.Expr]:
        """Write each id, and the item if it is in the number, as an expression over the number."""
        found: dict[str, exp.Expr] = {}
        # Not as a shift: DuckDB knows the ends of a quotient only, and joins by a table without hashes then.
        rest: exp.Expr = exp.IntDiv(
            this=exp.column(KEY), expression=literal(2 ** (self.bits + self.item_bits))
        )
        for one in reversed(self.ids[1:]):
            found[one.name] = one.value(exp.Mod(this=exp.paren(rest.copy()), expression=literal(one.width)))
            rest = exp.IntDiv(this=exp.paren(rest.copy()), expression=literal(one.width))
        found[self.ids[0].name] = self.ids[0].value(rest)
        if self.item is not None:
            lower = exp.BitwiseAnd(this=exp.column(KEY), expression=literal(2**self.item_bits - 1))
            found[self.item.name] = self.item.value(lower)
        return found

    def of_score(self, table: str | None = None) -> exp.Expr:
        """Write the part of a number that rows have in common whose scores are equal, or almost."""
        number = exp.column(KEY, table)
        bits = literal(self.item_bits)
        return exp.BitwiseRightShift(this=number, expression=bits) if self.item_bits else number

    def numbered(self, columns: Mapping[str, exp.Expr]) -> exp.Select:
        """Return the query of the numbers of the rows, and of other columns."""
        others = (value.copy().as_(name) for name, value in columns.items())
        return self.rows.copy().select(self.packed().as_(KEY), *others, append=False)

    def are_often_equal(self, engine: Engine) -> bool:
        """Return whether many of the first rows have equal scores."""
        first = self.numbered({}).limit(FIRST_ROWS).subquery("first_rows")
        in_order = picked(first, KEY).order_by(UPWARD.copy()).subquery("in_order")
        return are_many(self.count_equal(engine, in_order), FIRST_ROWS)

    def has_bits_of_each_score(self, engine: Engine) -> bool:
        """Return whether the item is in the number, and few scores differ, all of them in their bits."""
        if self.item is None:
            return False
        scores = self.rows.copy().select(self.order[0].this.copy().as_("score"), append=False)
        # The first rows show that there are too many, in less time than all rows.
        first = scores.copy().limit(FIRST_ROWS)
        return all(self._have_different_bits(engine, some) for some in (first, scores))

    def _have_different_bits(self, engine: Engine, scores: exp.Select) -> bool:
        """Return whether few scores differ, all of them in their bits."""
        known = picked(scores.subquery("scores"), "score").distinct().subquery("known")
        place = self._of_score(cast_to(exp.column("score"), "DOUBLE")).as_("place")
        places = picked(known, place).subquery("places")
        counts = picked(places, exp.Count(this=exp.Star()), exp.Count(this=distinct("place")))
        ((n_scores, n_places),) = engine.rows(counts)
        return bool(n_scores == n_places <= FEW_SCORES)

    def count_equal(self, engine: Engine, source: str | exp.Expr) -> int:
        """Return how many rows have a score that equals the one before.

        Args:
            source: the numbers in their order.
        """
        pairs = self._beside_previous(source).subquery("pairs")
        ((n_equal,),) = engine.rows(row_count(pairs).where("is_equal"))
        return int(n_equal)

    def equal_rows(self, table: str, columns: Mapping[str, exp.Expr]) -> exp.Select:
        """Return the query of the rows whose scores are equal, with their places in the whole order.

        Args:
            table: the numbers of all rows, in their order.
            columns: the columns of each row next to its number.
        """
        first = exp.Sub(this=exp.Min(this=exp.column(PLACE)), expression=literal(1))
        places = self._beside_previous(table, exp.column("rowid").as_(PLACE))
        groups = picked(places.subquery("pairs"), OF_SCORE, first.as_("first_place"))
        groups = groups.where("is_equal").group_by(OF_SCORE)
        keys = {f"order_{number}": one for number, one in enumerate(self.order)}
        rows = self.numbered({**columns, **{name: one.this for name, one in keys.items()}})
        order = []
        for name, one in keys.items():
            order.append(sorted_by := one.copy())
            sorted_by.set("this", exp.column(name))
        number = exp.Window(
            this=exp.RowNumber(),
            partition_by=[self.of_score("numbered")],
            order=exp.Order(expressions=order),
        )
        place = exp.Sub(
            this=exp.Add(this=exp.column("first_place"), expression=number), expression=literal(1)
        )
        same = exp.EQ(this=exp.column(OF_SCORE, "equal"), expression=self.of_score("numbered"))
        selected = (exp.column(name) for name in columns)
        found = picked(rows.subquery("numbered"), exp.column(KEY, "numbered"), *selected, place.as_(PLACE))
        return found.join(groups.subquery("equal"), on=same)

    def _beside_previous(self, source: str | exp.Expr, *others: exp.Expr) -> exp.Select:
        """Compare each score with the one before it."""
        previous = exp.Window(this=exp.Lag(this=self.of_score()))
        is_equal = exp.EQ(this=self.of_score(), expression=previous)
        return picked(source, self.of_score().as_(OF_SCORE), is_equal.as_("is_equal"), *others)


def sort_keys(engine: Engine, rows: exp.Select, window: exp.Window) -> SortKeys | None:
    """Return the numbers that sort rows as a window does, up to equal scores.

    Returns:
        None if there are no rows, if ids are no whole numbers, if scores are missing or not
        finite, or if many scores are equal.
    """
    order = window.args["order"].expressions
    if not order[0].args.get("desc"):
        return None
    names = [key.name for key in window.args["partition_by"]]
    items = [one.this.name for one in order[1:] if len(order) == 2 and _is_whole(engine, rows, one)]
    (row,) = engine.rows(_extents(rows, [*names, *items], order[0].this))
    n_rows, *ends = row
    *of_ids, (_, lowest, highest, n) = (ends[at : at + 4] for at in range(0, len(ends), 4))
    known = {
        name: Id(name, type_, low, high - low + 1)
        for name, (type_, low, high, n_ids) in zip([*names, *items], of_ids, strict=True)
        if type_ in WHOLE and n_ids == n_rows > 0
    }
    if n != n_rows or not known.keys() >= {*names}:
        return None
    item = known.get(items[0]) if items else None
    keys = _of_scores(rows, [known[name] for name in names], item, order, lowest, highest)
    if keys is None or not keys.are_often_equal(engine):
        return keys
    return replace(keys, is_exact=True) if keys.has_bits_of_each_score(engine) else None


def _is_whole(engine: Engine, rows: exp.Select, one: exp.Ordered) -> bool:
    """Return whether rows are sorted by a column of whole numbers, the lowest first."""
    if not isinstance(one.this, exp.Column) or one.args.get("desc"):
        return False
    # The ends of a text take more time than the sort would save.
    ((_, type_),) = engine.columns(rows.copy().select(one.this.copy(), append=False))
    return type_ in WHOLE


def _extents(rows: exp.Select, ids: Sequence[str], score: exp.Expr) -> exp.Select:
    """Count the rows; then, of each id and of the score: its type, both ends, and how many values it has.

    Plan rule: the ends are cast to a narrower type, not the values. DuckDB knows the ends of a column of a
    file without reading it, but not those of an expression. Wrong ends of ids can lose rows in DuckDB's own
    joins, so nothing here guards against them; wrong ends of scores are harmless, see `_kept`.
    """
    rows, narrowed = _with_types_of_files(rows)
    columns: list[exp.Expr] = [exp.Count(this=exp.Star())]
    for value in (*map(exp.column, ids), score):
        ends: list[exp.Expr] = [exp.Min(this=value.copy()), exp.Max(this=value.copy())]
        if value.name in narrowed:
            ends = [cast_to(end, narrowed[value.name]) for end in ends]
        columns += [exp.Anonymous(this="typeof", expressions=[ends[0].copy()]), *ends]
        columns.append(exp.Count(this=value.copy()))
    return rows.select(*columns, append=False)


def _with_types_of_files(rows: exp.Select) -> tuple[exp.Select, dict[str, str]]:
    """Return rows with columns of whole numbers as they are in a file, and the types that they had."""
    rows = rows.copy()
    source = rows.args["from_"].this.name
    step = next((cte.this for cte in rows.ctes if cte.alias == source), None)
    narrowed: dict[str, str] = {}
    for column in step.selects if isinstance(step, exp.Select) else ():
        value = column.unalias()
        if isinstance(value, exp.Cast) and value.is_type("INT") and isinstance(value.this, exp.Column):
            value.replace(value.this)
            narrowed[column.alias_or_name] = "INTEGER"
    return rows, narrowed


def _of_scores(
    rows: exp.Select,
    ids: Sequence[Id],
    item: Id | None,
    order: Sequence[exp.Ordered],
    lowest: Any,
    highest: Any,
) -> SortKeys | None:
    """Divide the bits between the ids, the score and the item; return None if these are not enough."""
    if not ids or type(highest) not in (int, float) or not math.isfinite(spread := highest - lowest):
        return None
    left = BITS - math.prod(one.width for one in ids).bit_length()
    if item is not None and left - item.bits < FEWEST_WITH_ITEM:
        item = None
    bits = min(left - (0 if item is None else item.bits), MOST)
    if item is None and bits < FEWEST:
        return None
    if spread <= 0 or not math.isfinite(scale := (2**bits - 2) / spread):
        return None
    return SortKeys(rows, tuple(ids), item, order, float(highest), scale, bits)


def _shifted(number: exp.Expr, bits: int) -> exp.Expr:
    """Write a number with as many bits below it."""
    return exp.Mul(this=exp.paren(number), expression=literal(2**bits))


def _kept(number: exp.Expr, highest: float) -> exp.Expr:
    """Write a number from 0 to the highest as a BIGINT.

    The ends of the scores may come from wrong statistics of a file; scores beyond an end are equal then.
    This is no condition, because DuckDB leaves out a condition that the statistics settle.
    """
    at_least = exp.func("greatest", number, literal(0.0))
    return cast_to(exp.func("least", at_least, literal(highest)), "BIGINT")


def are_many(n_equal: int, n_rows: int) -> bool:
    """Return whether a sort by ids and scores takes less time, because of the equal scores."""
    return n_equal > MOST_EQUAL * n_rows


# The step of the ranks, and its column.
RANKED, RANK = "ranked", "rank"
# The name of a table of sorted rows.
IN_ORDER = "in_order"


@dataclass(frozen=True)
class InOrder:
    """Rows in the order of a window.

    Attributes:
        tables: the names of the tables that have them.
        places: the query of the ids and places of the rows; those of a query have successive places.
        rows: the query of all columns and places.
    """

    tables: tuple[str, ...]
    places: exp.Select
    rows: exp.Query


def with_stored_order(engine: Engine, query: exp.Select, by_numbers: bool) -> tuple[exp.Select, list[str]]:
    """Return a query that reads the ranks from sorted tables, and the names of these tables.

    Args:
        by_numbers: whether one number per row may sort the rows.
    """
    query = query.copy()
    tables: list[str] = []
    for cte in query.ctes:
        if cte.alias == RANKED and _is_plain(cte.this):
            ranked, used = _stored(engine, query, cte, by_numbers)
            tables += used
            cte.set("this", ranked)
            cte.set("materialized", None)
    return without_idle_steps(query), tables


def _is_plain(step: exp.Expr) -> bool:
    """Return whether a step numbers the rows that it reads, and does nothing else but drop deep ranks."""
    window = _columns(step).get(RANK) if isinstance(step, exp.Select) else None
    qualify = step.args.get("qualify")
    is_cut = qualify is None or isinstance(qualify.this, exp.LTE)
    return is_cut and isinstance(window, exp.Window) and isinstance(window.this, exp.RowNumber)


def _columns(step: exp.Select) -> dict[str, exp.Expr]:
    return {p.alias_or_name: p.unalias() for p in step.selects}


def _stored(
    engine: Engine, query: exp.Select, cte: exp.CTE, by_numbers: bool
) -> tuple[exp.Select, tuple[str, ...]]:
    """Keep the rows of a step in order; return the query of their ranks, and the names of the tables."""
    step = cast("exp.Select", cte.this)
    columns = _columns(step)
    window = cast("exp.Window", columns.pop(RANK))
    rows = step.copy()
    rows.set("qualify", None)
    rows.set("with_", query.args["with_"].copy())
    rows = without_idle_steps(rows)
    constant = {name for name, value in columns.items() if isinstance(value, exp.Literal)}
    read = {name: value for name, value in columns.items() if name not in constant}
    numbers = sort_keys(engine, rows, window) if by_numbers else None
    in_order = None if numbers is None else _by_numbers(engine, numbers, read)
    in_order = in_order or _by_window(engine, rows, window, read)
    selected = [
        value.copy().as_(name) if name in constant else exp.column(name, IN_ORDER)
        for name, value in columns.items()
    ]
    qualify = step.args.get("qualify")
    keys = [key.name for key in window.args["partition_by"]]
    deepest = None if qualify is None else qualify.this.expression
    return _ranked(in_order, keys, selected, deepest), in_order.tables


def _by_window(
    engine: Engine, rows: exp.Select, window: exp.Window, columns: Mapping[str, exp.Expr]
) -> InOrder:
    """Keep the columns of rows that are sorted by ids, score and item."""
    order = (*window.args["partition_by"], *window.args["order"].expressions)
    kept = rows.copy().select(*(value.copy().as_(name) for name, value in columns.items()), append=False)
    table = keep_readable(engine, IN_ORDER, kept.order_by(*(key.copy() for key in order)))
    places = picked(table, *columns, exp.column("rowid").as_(PLACE))
    return InOrder((table,), places, places.copy())


def _by_numbers(engine: Engine, keys: SortKeys, columns: Mapping[str, exp.Expr]) -> InOrder | None:
    """Keep the columns of rows that are sorted by one number each; None if many numbers are equal."""
    ids = keys.unpacked()
    others = {name: value for name, value in columns.items() if name not in ids}
    table = keep_readable(engine, IN_ORDER, keys.numbered(others).order_by(UPWARD.copy()))
    read = [(ids[name] if name in ids else exp.column(name)).as_(name) for name in columns]
    places = picked(table, *read, exp.column("rowid").as_(PLACE))
    n_equal = 0 if keys.is_exact else keys.count_equal(engine, table)
    if n_equal == 0:
        return InOrder((table,), places, places.copy())
    if are_many(n_equal, engine.rows(row_count(table))[0][0]):
        engine.discard(table)
        return None
    again = keep_readable(engine, "equal_rows", keys.equal_rows(table, others))
    is_same = exp.EQ(this=exp.column(PLACE, again), expression=exp.column("rowid", table))
    unequal = places.copy().join(again, on=is_same, join_type="anti")
    return InOrder(
        (table, again), places, stacked([unequal, picked(again, *(r.copy() for r in read), PLACE)])
    )


def _ranked(
    in_order: InOrder, keys: Sequence[str], selected: list[exp.Expr], deepest: exp.Expr | None
) -> exp.Select:
    """Return the query of the ranks."""
    before = exp.Sub(this=exp.Min(this=exp.column(PLACE)), expression=literal(1)).as_("before")
    starts = picked(in_order.places.subquery("places"), *keys, before).group_by(*keys).subquery("starts")
    rank = exp.Sub(this=exp.column(PLACE, IN_ORDER), expression=exp.column("before", "starts"))
    rows = picked(in_order.rows.subquery(IN_ORDER), *selected, rank.as_(RANK))
    ranked = rows.join(starts, on=equal_columns(keys, "starts", IN_ORDER))
    return ranked if deepest is None else ranked.where(exp.LTE(this=rank.copy(), expression=deepest.copy()))
