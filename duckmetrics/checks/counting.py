"""Counting the offenders of checks, many in one scan, and the messages about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.engines.engine import Feature
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.build import conjuncts, is_inner, row_count, try_cast
from duckmetrics.expressions.folding import Value, literal
from duckmetrics.inputs.advice import in_words
from duckmetrics.results.findings import EXAMPLES, NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# The column of a check that holds the number of rows it looked at.
TOTAL = "total"
SEGMENT = "segment"


@dataclass(frozen=True)
class BoundCheck:
    """One check under one binding of its parameters."""

    composer: Composer
    name: str
    severity: str
    place: str
    title: str
    advice: str
    offenders: exp.Query
    inputs: Mapping[str, tuple[str, ...]]
    when: tuple[tuple[exp.Query, bool], ...] = ()


SAMPLE = 10_000


def counts_of(
    engine: Engine, inputs: Inputs, planned: Sequence[BoundCheck]
) -> tuple[list[int], dict[str, int]]:
    """Count the offenders, one scan per input for the checks that only filter it.

    Returns: the number of offenders of every check, and the number of rows of every input scanned.
    """
    counts = [0] * len(planned)
    totals: dict[str, int] = {}
    scans: dict[tuple[Composer, str], list[tuple[int, exp.Expr]]] = {}
    for i, one in enumerate(planned):
        counted = None if one.when else counted_together(one.offenders)
        if counted is not None:
            scanned_step = one.composer, one.offenders.args["from_"].this.name
            scans.setdefault(scanned_step, []).append((i, counted))
    for (composer, name), counters in scans.items():
        totals[name], *found = _scanned(composer, engine, inputs, name, counters)
        for (i, _), count in zip(counters, found, strict=True):
            counts[i] = count
    scanned = {i for counters in scans.values() for i, _ in counters}
    for i, one in enumerate(planned):
        if one.when:
            counts[i] = _holds(one.composer, engine, one.when)
        elif isinstance(one.offenders, exp.Select) and one.offenders.args.get("having"):
            counts[i] = _repeated(one.composer, engine, one.offenders)
        elif i not in scanned:
            counts[i] = engine.counted(one.composer.complete(count_of(one.offenders)))[0][0]
    return counts, totals


def _holds(composer: Composer, engine: Engine, conditions: Sequence[tuple[exp.Query, bool]]) -> int:
    """Return 1 if all conditions hold, else 0.

    Plan rule: a condition says that a row with a property exists, or that none exists. Mostly the first
    rows of a table already have such a row, so they are searched before the whole table, first next to the
    first rows of a table that is joined. A row among them settles the condition; otherwise the whole table
    does.
    """
    for condition, is_negative in conditions:
        holds = is_negative
        for asked in more_and_more_rows(condition):
            holds = bool(engine.counted(composer.complete(asked))[0][0])
            if holds != is_negative:
                break
        if not holds:
            return 0
    return 1


def more_and_more_rows(condition: exp.Query) -> Iterator[exp.Query]:
    """Yield a condition on the first rows of its tables, of its first table, and on all rows."""
    first = of_first_rows(condition)
    joins = [join for join in first.find_all(exp.Join) if isinstance(join.this, exp.Table)]
    # A count of the rows that were joined would be another one.
    is_plain = first.find(exp.AggFunc, exp.Group, exp.Having) is None
    if is_plain and len(joins) == 1 and is_inner(joins[0]):
        both = first.copy()
        _limit(next(join.this for join in both.find_all(exp.Join)))
        yield both
    yield first
    yield condition


def of_first_rows(condition: exp.Query) -> exp.Query:
    first = condition.copy()
    _limit(next(source.this for source in first.find_all(exp.From) if isinstance(source.this, exp.Table)))
    return first


def _limit(table: exp.Table) -> None:
    """Read the first rows of a table only, in place."""
    some = exp.select(exp.Star()).from_(exp.to_table(table.name)).limit(SAMPLE)
    table.replace(some.subquery(table.alias_or_name))


def _scanned(
    composer: Composer, engine: Engine, inputs: Inputs, name: str, counters: Sequence[tuple[int, exp.Expr]]
) -> tuple[Any, ...]:
    """Read an input once from end to end; a file that cannot be read fails here.

    Plan rule: in clean data, one condition for all checks finds nothing, and is several times as fast
    as a count for each check.
    """
    total = exp.Count(this=exp.Star())
    conditions = finite([of_the_row(counter.expression.this) for _, counter in counters])
    any_of_them = exp.select(total).from_(name).where(exp.or_(*conditions))
    query = exp.select(total.copy(), *(counter for _, counter in counters)).from_(name)
    try:
        if not engine.counted(composer.complete(any_of_them))[0][0]:
            return (0, *(0 for _ in counters))
        return engine.counted(composer.complete(query))[0]
    except EngineError as error:
        if not error.unreadable:
            raise
        label = inputs.labels.get(name, inputs.labels["predictions"])
        raise InputError(label, f"cannot be read: {error}", "check it") from error


def of_the_row(condition: exp.Expr) -> exp.Expr:
    """Return the part of a condition that looks at one row only; it holds wherever the whole does."""
    kept = [part.copy() for part in conjuncts(condition) if not part.find(exp.Query)]
    return exp.and_(*kept) if kept else exp.true()


def finite(conditions: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Test each number once for NaN and infinities, because both are not finite (plan rule)."""
    found: dict[exp.Expr, None] = {}
    for condition in conditions:
        inner = condition.unnest()
        for part in inner.flatten() if isinstance(inner, exp.Or) else [inner]:
            if isinstance(part, exp.IsNan | exp.IsInf):
                finite = exp.Anonymous(this="isfinite", expressions=[part.this.copy()])
                part = exp.not_(finite)
            found[part] = None
    return [part.copy() for part in found]


def counted_together(offenders: exp.Query) -> exp.Expr | None:
    """Write a check that only filters an input as one column of a scan of it.

    A subquery of its condition may read the table by an alias, which the scan does not have.
    """
    clauses = {name for name, value in offenders.args.items() if value}
    source = offenders.args.get("from_")
    if clauses != {"expressions", "from_", "where"} or not source or not isinstance(source.this, exp.Table):
        return None
    if source.this.alias_or_name == source.this.name:
        return exp.Filter(this=exp.Count(this=exp.Star()), expression=offenders.args["where"].copy())
    return None


def _repeated(composer: Composer, engine: Engine, offenders: exp.Select) -> int:
    """Return 0 if the keys of a check are not repeated; else they may be."""
    source = composer.inputs.get(offenders.args["from_"].this.name)
    whole = ("score",) if composer.facts.get("by_rank") else ()
    query = repeated(offenders, composer.constants, source, whole)
    return int(engine.counted(composer.complete(query))[0][0])


def repeated(
    offenders: exp.Select,
    constants: Mapping[str, Value],
    source: exp.Query | None = None,
    whole: Collection[str] = (),
) -> exp.Select:
    """Look for repeated keys among their sorted hashes.

    Plan rule: this is faster than grouping. Equal keys have equal hashes, so a count of 0 means that no
    key is repeated. Any other count, such as for hashes out of order, means that the check has to run.

    Args:
        source: the query that is read; its types show whether the keys fit into one number.
        whole: the columns of type DOUBLE that have whole numbers only, as ranks are.
    """
    keys = [k.copy() for k in offenders.args["group"].expressions if k.name not in constants]
    one = packed(keys, source, whole) or exp.Anonymous(this="hash", expressions=keys)
    hashed = exp.select(one.as_("h"))
    hashed = hashed.from_(offenders.args["from_"].this.copy()).order_by(exp.column("h"))
    if (where := offenders.args.get("where")) is not None:
        hashed = hashed.where(where.this.copy())
    previous = exp.Window(this=exp.Lag(this=exp.column("h")))
    paired = exp.select("h", previous.as_("previous")).from_(hashed.subquery("hashes"))
    again = exp.LTE(this=exp.column("h"), expression=exp.column("previous"))
    return exp.select(exp.Count(this=exp.Star())).from_(paired.subquery("pairs")).where(again)


def packed(
    keys: Sequence[exp.Expr], source: exp.Query | None, whole: Collection[str] = ()
) -> exp.Expr | None:
    """Pack two 32-bit numbers into one BIGINT (plan rule): exports that are in order then sort faster.

    A number with a fraction or more bits can make different keys look equal, never equal keys different.
    """
    numbers = [_as_bigint(key, source, whole) for key in keys]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return None
    shifted = exp.Mul(this=numbers[0], expression=literal(2**32))
    return exp.Add(this=shifted, expression=exp.paren(exp.Add(this=numbers[1], expression=literal(2**31))))


def _as_bigint(key: exp.Expr, source: exp.Query | None, whole: Collection[str]) -> exp.Expr | None:
    """Return a key as a BIGINT; None if it is not known to have 32 bits."""
    if key.name in whole:
        # The score is the negative of a rank; files are often in the order of the ranks.
        number = exp.paren(exp.Mod(this=try_cast(key.copy(), "BIGINT"), expression=literal(2**31)))
        return exp.Neg(this=number)
    types = {p.alias_or_name: p.unalias() for p in source.selects} if isinstance(source, exp.Select) else {}
    known = types.get(key.name)
    is_narrow = isinstance(known, exp.Cast) and known.to.is_type("INT")
    return exp.cast(key.copy(), "BIGINT") if is_narrow else None


def count_of(offenders: exp.Query) -> exp.Select:
    return exp.select(exp.Count(this=exp.Star())).from_(offenders.subquery("offenders"))


def in_order(offenders: exp.Query, step: str | None = None) -> exp.Select:
    """Sort offenders by all of their columns, so that the first ones are the same in every run.

    Args:
        step: the name of the step that has them, None if they stand in the query itself.
    """
    ordered = exp.select(exp.Star()).from_(step or offenders.subquery("offenders"))
    for i in range(1, len(offenders.selects) + 1):
        ordered = ordered.order_by(literal(i), copy=False)
    return ordered


# The verb behind the noun of a title.
_VERBS = {"that are": "that is", "that were": "that was", "that have": "that has"}


def finding_of(
    engine: Engine, inputs: Inputs, one: BoundCheck, count: int, totals: Mapping[str, int]
) -> Finding | None:
    if one.when or one.offenders.args.get("having"):
        count, rows = _counted_examples(engine, one)
        if not count:
            return None
    else:
        rows = _examples(engine, one)
    table, _, column = one.place.partition(".")
    examples = tuple(_example(engine, inputs, table, row) for row in rows)
    where = f"{inputs.labels[table]}: column {inputs.column_label(table, column)!r}"
    shown = f" ({'; '.join(examples)})" if any(examples) else ""
    among = rows[0].get(TOTAL) if rows else None
    title = singular(one.title) if count == 1 and among is None else one.title
    total = totals.get(table) if one.severity == NOTE and among is None and _filters(one, table) else None
    share = f", {count / total:.2g} of all" if total and count < total else ", all of them" if total else ""
    number = count if among is None else f"{count} of {among}"
    sentence = f"{number} {title}{share}"
    advice = in_words(one.advice, inputs.words.get(table, engine.dialect), inputs.column_label(table, column))
    message = f"{where}: {sentence}{shown}; {advice}"
    of = among or (totals.get(table) if _filters(one, table) else None) or None
    return Finding(one.name, one.severity, inputs.labels[table], inputs.column_label(table, column),
                   count, examples, message, advice, of, sentence)  # fmt: skip


def _filters(one: BoundCheck, table: str) -> bool:
    """Return whether the offenders are rows of a table, so that their share has a meaning."""
    return counted_together(one.offenders) is not None and one.offenders.args["from_"].this.name == table


def singular(title: str) -> str:
    """Turn ``rows that are all 0`` into ``row that is all 0``."""
    noun, _, rest = title.partition(" ")
    one = f"{noun.removesuffix('ies')}y" if noun.endswith("ies") else noun.removesuffix("s")
    for plural, single in _VERBS.items():
        rest = re.sub(rf"\b{plural}\b", single, rest, count=1)
    return f"{one} {rest}".rstrip()


def _counted_examples(engine: Engine, one: BoundCheck) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of offenders, and three of them.

    Plan rule: what is costly to find is found once.
    """
    if isinstance(one.offenders, exp.Union) or not engine.supports(Feature.GLOBAL_SORTS):
        count = engine.rows(one.composer.complete(count_of(one.offenders)))[0][0]
        return count, _examples(engine, one) if count else []
    names = [p.alias_or_name for p in one.offenders.selects]
    step = one.composer.step("offenders", one.offenders.copy())
    counted = in_order(one.offenders, step).select(row_count(step).subquery().as_("n_offenders"))
    rows = engine.rows(one.composer.complete(counted.limit(EXAMPLES)))
    return rows[0][-1] if rows else 0, [dict(zip(names, row[:-1], strict=True)) for row in rows]


def _examples(engine: Engine, one: BoundCheck) -> list[dict[str, Any]]:
    """Return three offenders; for a check over both sides, three of each."""
    parts = (
        [one.offenders.this, one.offenders.expression]
        if isinstance(one.offenders, exp.Union) else [one.offenders]
    )  # fmt: skip
    names = [p.alias_or_name for p in one.offenders.selects]
    rows = []
    for part in parts:
        rows += engine.rows(one.composer.complete(in_order(part).limit(EXAMPLES)))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _example(engine: Engine, inputs: Inputs, table: str, row: Mapping[str, Any]) -> str:
    """Write an offender as a person would: ``query_id=q1, item_id=a``."""
    shown = dict(row)
    shown.pop(TOTAL, None)
    if shown.get("system") == "":
        del shown["system"]
    parts = [_slice(engine, inputs, shown.pop(SEGMENT))] if SEGMENT in shown else []
    for name, value in shown.items():
        parts.append(f"{inputs.column_label(table, name)}={_visible(value)}")
    return ", ".join(filter(None, parts))


def _visible(value: object) -> object:
    """Quote a text that is empty or has blanks around it, so that a reader can see it."""
    return repr(value) if isinstance(value, str) and (value.strip() != value or not value) else value


def _slice(engine: Engine, inputs: Inputs, number: int) -> str:
    """Return the slice that the number of a segment stands for; empty if it stands for all rows."""
    if "slices" not in inputs.queries:
        return ""
    same = exp.EQ(this=exp.column(SEGMENT), expression=literal(number))
    (row,) = engine.rows(
        exp.select(exp.Star()).from_(inputs.queries["slices"].subquery("slices")).where(same)
    )
    _, grouping, *values = row
    in_force = inputs.by[grouping - 1] if grouping else ()
    known = zip(inputs.by_columns, values, strict=True)
    return ", ".join(
        f"{name}={'NULL' if value is None else value}" for name, value in known if name in in_force
    )
