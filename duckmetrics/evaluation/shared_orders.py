"""Codes for ids, ideal orders that queries share, and rows that are sorted once for several metrics.

The ideal order of a query depends only on how many items have each grade. There are few grades, and many
queries have the same number of items of each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import SYSTEM_GRAIN
from duckmetrics.compose.optimizer import (
    CONTENDERS,
    NUMBERED_PAIRS,
    PLACE,
    PLACED_SCORES,
    in_kept_order,
    without_idle_steps,
)
from duckmetrics.engines.engine import Feature, keep_new, keep_readable
from duckmetrics.expressions.build import (
    cast_to,
    equal_columns,
    everything,
    first_of_parts,
    is_inner,
    named_step,
    picked,
    row_count,
    stacked,
)
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.inputs import HISTORY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


QUERY, SYSTEM = "query_id", "system"
# The inputs that have each id. Every value that matters is in the first ones.
# Only the answers have empty lists.
INPUTS = {
    SYSTEM: (("predictions", "systems", "answers"), (CONTENDERS,)),
    QUERY: (("predictions", "truth", "population", "answers"), (CONTENDERS, HISTORY, REFERENCE)),
}


@dataclass(frozen=True)
class Codes:
    """Tables of codes, one for each id that has them.

    Attributes:
        tables: the name of the table by id; its columns are `id` and `code`.
    """

    tables: Mapping[str, str]

    def coded(self, inputs: Inputs) -> Inputs:
        """Return the inputs with codes in place of ids."""
        queries = dict(inputs.queries)
        for column, table in self.tables.items():
            first, others = INPUTS[column]
            for name in (*first, *others):
                if name in queries:
                    queries[name] = _exchanged(queries[name], column, table, "id", "code")
        return replace(inputs, queries=queries)

    def decoded(self, query: exp.Query) -> exp.Query:
        """Return the rows of a query with ids in place of codes."""
        for column, table in self.tables.items():
            query = _exchanged(query, column, table, "code", "id")
        return query


def codes_of(engine: Engine, inputs: Inputs) -> Codes:
    """Number the systems, and the queries if their ids are text."""
    texts = [QUERY] if QUERY in inputs.text_ids else []
    columns = texts + ([] if SYSTEM in inputs.constants else [SYSTEM])
    return Codes({column: _numbered(engine, inputs, column) for column in columns})


def _numbered(engine: Engine, inputs: Inputs, column: str) -> str:
    """Keep a number for each id in a table; return its name."""
    known = [inputs.queries[name] for name in INPUTS[column][0] if name in inputs.queries]
    ids: exp.Query = picked(known[0].subquery("ids"), exp.column(column).as_("id")).distinct()
    for other in known[1:]:
        ids = exp.union(ids, picked(other.subquery("ids"), exp.column(column).as_("id")).distinct())
    number = cast_to(exp.Window(this=exp.RowNumber()), "INTEGER").as_("code")
    table = engine.name(f"codes_of_{column}")
    engine.keep(table, picked(ids.subquery("ids"), "id", number))
    return table


def _exchanged(query: exp.Query, column: str, table: str, known: str, wanted: str) -> exp.Select:
    """Return the rows of a query with one column of a table of codes in place of the other."""
    value = exp.column(wanted, "codes").as_(column)
    row = exp.Column(this=exp.Star(replace=[value]), table=exp.to_identifier("coded"))
    same = exp.EQ(this=exp.column(known, "codes"), expression=exp.column(column, "coded"))
    codes = exp.to_table(table).as_("codes", table=True)
    return exp.select(row).from_(query.subquery("coded")).join(codes, on=same)


# With more different values, few groups are alike.
MOST_VALUES = 8
# The further steps: the rows of each group with each value, one group of each kind, and its aggregates.
PARTS = ("counts", "alike", "once")


@dataclass(frozen=True)
class Shared:
    """An aggregate of sorted rows that other tables do not change.

    Attributes:
        aggregated: the step that aggregates the rows of each group.
        joined: the step that joins the rows to the groups that are asked for.
        ordered: the step that sorts the rows of each group by a value.
        key, value: the columns of that step.
    """

    aggregated: exp.CTE
    joined: exp.CTE
    ordered: exp.CTE
    key: str
    value: str

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(f"{self.ordered.alias}_{part}" for part in PARTS)


def with_shared_orders(engine: Engine, query: exp.Select) -> exp.Select:
    """Return a query that sorts the rows of groups with equal values once."""
    query = query.copy()
    steps = {cte.alias: cte for cte in query.ctes}
    for cte in query.ctes:
        found = _shared(cte, steps)
        if found is None or any(_times_read(query, one) > 1 for one in (found.joined, found.ordered)):
            continue
        if not steps.keys().isdisjoint(found.parts):
            continue
        if values := _values(engine, query, found):
            _share(query, found, values)
    return query


def _times_read(query: exp.Select, step: exp.CTE) -> int:
    return sum(table.name == step.alias for table in query.find_all(exp.Table))


def _shared(cte: exp.CTE, steps: Mapping[str, exp.CTE]) -> Shared | None:
    """Return the steps behind an aggregate; None if it needs more than the values of a group."""
    joined = steps.get(_source(cte.this, {"expressions", "from_", "group"}))
    ordered = steps.get(_source(joined.this, {"expressions", "from_", "joins"})) if joined else None
    if joined is None or ordered is None or not isinstance(ordered.this, exp.Select):
        return None
    columns = {p.alias_or_name: p.unalias() for p in ordered.this.selects}
    windows = {name: value for name, value in columns.items() if isinstance(value, exp.Window)}
    window = next(iter(windows.values())) if len(windows) == 1 else None
    if window is None or not window.args.get("order"):
        return None
    keys, order = window.args["partition_by"], window.args["order"].expressions
    plain = [name for name, value in columns.items() if isinstance(value, exp.Column) and name == value.name]
    names = {keys[0].name, order[0].this.name} if len(keys) == len(order) == 1 else set()
    if set(plain) != names or len(columns) != 3 or not isinstance(window.this, exp.RowNumber):
        return None
    found = Shared(cte, joined, ordered, keys[0].name, order[0].this.name)
    return found if _is_joined_by_key(found) and _reads_only(found, {*windows, found.value}) else None


def _source(step: exp.Expr, clauses: set[str]) -> str:
    """Return the table that a step reads; empty if it has other clauses than these."""
    if not isinstance(step, exp.Select) or {name for name, value in step.args.items() if value} != clauses:
        return ""
    table = step.args["from_"].this
    return str(table.name) if isinstance(table, exp.Table) and table.alias_or_name == table.name else ""


def _is_joined_by_key(found: Shared) -> bool:
    """Return whether the rows are joined to one other table, by their key."""
    (join, *others) = found.joined.this.args["joins"]
    condition, name = join.args.get("on"), found.ordered.alias
    is_plain = not others and is_inner(join) and isinstance(join.this, exp.Table)
    if not is_plain or not isinstance(condition, exp.EQ):
        return False
    return {condition.this, condition.expression} == {
        exp.column(found.key, table) for table in (name, join.this.alias_or_name)
    }


def _reads_only(found: Shared, columns: set[str]) -> bool:
    """Return whether the aggregates read these columns of the sorted rows only, and groups have no others."""
    named = {p.alias_or_name: p.unalias() for p in found.joined.this.selects}
    groups = found.joined.this.args["joins"][0].this.alias_or_name
    keys = {key.name for key in found.aggregated.this.args["group"].expressions}
    aggregates = [one for one in found.aggregated.this.selects if one.alias_or_name not in keys]
    read = {column.name for one in aggregates for column in one.find_all(exp.Column)}
    are_keys = all(named.get(key) == exp.column(key, groups) for key in keys)
    are_read = all(named.get(name) == exp.column(name, found.ordered.alias) for name in read)
    return found.key in keys and are_keys and are_read and read <= columns


def _values(engine: Engine, query: exp.Select, found: Shared) -> list[float]:
    """Return the different values of the sorted rows; none if they are many, or are no numbers."""
    rows = _unsorted(found)
    rows.set("with_", query.args["with_"].copy())
    rows = rows.select(exp.column(found.value)).distinct().limit(MOST_VALUES + 1)
    values = [value for (value,) in engine.rows(without_idle_steps(rows))]
    are_numbers = all(isinstance(value, int | float) and math.isfinite(value) for value in values)
    return sorted(values) if are_numbers and len(values) <= MOST_VALUES else []


def _share(query: exp.Select, found: Shared, values: Sequence[float]) -> None:
    """Aggregate one group of each kind, and join it to the others, in place."""
    name, key = found.ordered.alias, found.key
    counts, alike, once = found.parts
    numbers = [f"n_{place}" for place in range(1, len(values) + 1)]
    first = picked(counts, *numbers, exp.Min(this=exp.column(key)).as_("same_as")).group_by(*numbers)
    before = [named_step(counts, _counted(found, numbers, values)), named_step(alike, first)]
    is_first = exp.In(this=exp.column(key), query=picked(alike, "same_as").subquery())
    found.ordered.set("this", found.ordered.this.where(is_first))
    keys = [one.name for one in found.aggregated.this.args["group"].expressions]
    own = [one for one in found.aggregated.this.selects if one.alias_or_name not in keys]
    aggregated = picked(name, key, *(one.copy() for one in own)).group_by(key)
    groups = found.joined.this.args["joins"][0].this
    selected = (exp.column(one, groups.alias_or_name) for one in keys)
    whole = picked(groups.copy(), *selected, *(exp.column(one.alias_or_name, once) for one in own))
    whole = whole.join(counts, on=equal_columns([key], counts, groups.alias_or_name))
    whole = whole.join(alike, on=equal_columns(numbers, alike, counts))
    is_same = exp.EQ(this=exp.column(key, once), expression=exp.column("same_as", alike))
    found.aggregated.set("this", whole.join(once, on=is_same))
    with_ = cast("exp.With", query.args["with_"])
    steps = list(with_.expressions)
    steps.insert(steps.index(found.aggregated), named_step(once, aggregated))
    place = steps.index(found.ordered)
    with_.set("expressions", [*steps[:place], *before, *steps[place:]])


def _counted(found: Shared, numbers: Sequence[str], values: Sequence[float]) -> exp.Select:
    """Count the rows of each group with each value."""
    counters = []
    for number, value in zip(numbers, values, strict=True):
        is_value = exp.EQ(this=exp.column(found.value), expression=literal(float(value)))
        of_value = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=is_value))
        counters.append(of_value.as_(number))
    return _unsorted(found).select(found.key, *counters).group_by(found.key)


def _unsorted(found: Shared) -> exp.Select:
    """Return the query of the rows without columns and order."""
    rows = cast("exp.Select", found.ordered.this.copy())
    for clause in ("qualify", "expressions"):
        rows.set(clause, None)
    return rows


# The relations of numbers, of their places and of their sums; of scores.
NUMBERS, NUMBER_PLACES, SUMS, SCORES = "numbered", "placed_numbers", "numbered_sums", "ended_scores"
NUMBER, CLASS = "number", "is_positive"
# A number that is larger than all others, as the relation of the last row has it.
LAST = 2**63 - 2
# The bits of the largest number without the class, as the relation of the numbers says.
BITS = 61
FLOATS = ("DOUBLE", "FLOAT")
# The bytes of a kept row: of a number; of a score with its class.
NUMBER_BYTES, SCORE_BYTES = 8, 9
# The number of rows from which a sort saves more than the other statements cost; the part of the memory that
# the rows may take, because they stay in it while they are sorted.
FEWEST_ROWS, PART_OF_MEMORY = 500_000, 1 / 5
# The exponent of the largest score, below which the scale is no DOUBLE any more.
LOWEST_EXPONENT = -900


def with_pairs(catalog: Catalog, engine: Engine, inputs: Inputs) -> Inputs:
    """Return the inputs, and with them the pairs in a table if numbers save time.

    They save none with several systems or slices, or with few rows. There are no numbers for scores that are
    missing, infinite, or no DOUBLE or FLOAT.
    """
    if not engine.supports(Feature.NUMBER_SORTS) or not _has_one_segment(inputs):
        return inputs
    n_rows, scale = _scale(engine, inputs.composer(catalog))
    if n_rows < FEWEST_ROWS or scale is None:
        return inputs
    values: dict[str, Value] = {"scale": scale, WEIGHTED: False}
    sums, n_before = engine.name(SUMS), 0
    for low, high in _ranges(engine, inputs.composer(catalog), values, n_rows):
        in_order = _numbers(engine, inputs.composer(catalog), values, low, high)
        places = _placed(inputs, in_order, n_before, exp.column(NUMBER))
        composer = inputs.composer(catalog, {**inputs.queries, NUMBER_PLACES: places})
        query = in_kept_order(composer.complete(everything(composer.relation(SUMS, values))))
        engine.keep(sums, query, more=low is not None)
        n_before += int(engine.rows(row_count(in_order))[0][0]) - 1
        engine.discard(in_order)
    composer = inputs.composer(catalog, {**inputs.queries, SUMS: engine.kept(sums)})
    pairs = composer.complete(everything(composer.relation(NUMBERED_PAIRS, values)))
    kept = engine.kept(keep_new(engine, NUMBERED_PAIRS, pairs))
    return replace(inputs, queries={**inputs.queries, NUMBERED_PAIRS: kept})


def _ranges(
    engine: Engine, composer: Composer, values: Mapping[str, Value], n_rows: int
) -> list[tuple[int | None, int | None]]:
    """Return ranges of numbers, each of which fits into the memory and has all rows of its scores."""
    number = math.ceil(n_rows * NUMBER_BYTES / (PART_OF_MEMORY * engine.memory_limit()))
    edges: list[int] = []
    if number > 1:
        rows = picked(composer.relation(NUMBERS, values), NUMBER)
        firsts = engine.rows(composer.complete(first_of_parts(rows, NUMBER, number)))
        edges = sorted({first - first % 2 for (first,) in firsts[1:]})
    return list(zip([None, *edges], [*edges, None], strict=True))


def _numbers(
    engine: Engine, composer: Composer, values: Mapping[str, Value], low: int | None, high: int | None
) -> str:
    """Keep the numbers of a range in their order, and one that is larger; return the name of the table."""
    rows = picked(composer.relation(NUMBERS, values), NUMBER)
    if low is not None:
        rows = rows.where(exp.GTE(this=exp.column(NUMBER), expression=literal(low)))
    if high is not None:
        rows = rows.where(exp.LT(this=exp.column(NUMBER), expression=literal(high)))
    last = exp.select(literal(LAST if high is None else high).as_(NUMBER))
    order = exp.Ordered(this=exp.column(NUMBER), desc=False)
    numbers = picked(stacked([rows, last]).subquery("numbers"), NUMBER).order_by(order)
    return keep_readable(engine, "in_order", composer.complete(numbers))


def with_places(catalog: Catalog, engine: Engine, inputs: Inputs, n_rows: int) -> tuple[Inputs, list[str]]:
    """Return the inputs, and with them the places of the scores if these save time.

    Args:
        n_rows: the number of rows, many of which have different scores.

    Returns: the names of the tables that the places are read from, too.
    """
    if not engine.supports(Feature.GLOBAL_SORTS) or not _has_one_segment(inputs):
        return inputs, []
    if n_rows < FEWEST_ROWS or n_rows * SCORE_BYTES > PART_OF_MEMORY * engine.memory_limit():
        return inputs, []
    downward = exp.Ordered(this=exp.column("score"), desc=True, nulls_first=False)
    composer = inputs.composer(catalog)
    rows = picked(composer.relation(SCORES, {WEIGHTED: False}), "score", CLASS).order_by(downward)
    in_order = keep_readable(engine, "in_order", composer.complete(rows))
    positive = exp.column(CLASS)
    upto = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
    tp = exp.Window(this=exp.Sum(this=cast_to(positive.copy(), "DOUBLE")), spec=upto).as_("tp")
    places = _placed(inputs, in_order, 0, exp.column("score"), positive, tp)
    return replace(inputs, queries={**inputs.queries, PLACED_SCORES: places}), [in_order]


def _has_one_segment(inputs: Inputs) -> bool:
    """Return whether all rows have the same system and slice, which a kept order does not tell apart."""
    return inputs.constants.keys() >= {*SYSTEM_GRAIN}


def _placed(inputs: Inputs, in_order: str, n_before: int, *columns: exp.Expr) -> exp.Select:
    """Return the query of rows with their places in the order in which they are kept, after those before."""
    keys = (literal(inputs.constants[key]).as_(key) for key in SYSTEM_GRAIN)
    place: exp.Expr = exp.Window(this=exp.RowNumber())
    place = exp.Add(this=place, expression=literal(n_before)) if n_before else place
    return picked(in_order, *keys, *columns, place.as_(PLACE))


def _scale(engine: Engine, composer: Composer) -> tuple[int, float | None]:
    """Return the number of rows, and the power of two that makes large scores whole; None for no numbers."""
    composer.relation("predictions", {})
    score = exp.column("score")
    largest = exp.Max(this=exp.Abs(this=score.copy()))
    query = exp.select(
        exp.Count(this=exp.Star()),
        exp.Count(this=score.copy()),
        cast_to(largest, "DOUBLE"),
        exp.Anonymous(this="typeof", expressions=[exp.Max(this=score)]),
    ).from_("predictions")
    n_rows, n_scores, most, type_ = engine.rows(composer.complete(query))[0]
    if n_rows == 0 or n_scores != n_rows or type_ not in FLOATS or not math.isfinite(most):
        return n_rows, None
    exponent = math.frexp(most)[1]
    return n_rows, 2.0 ** (BITS - exponent) if exponent >= LOWEST_EXPONENT else None
