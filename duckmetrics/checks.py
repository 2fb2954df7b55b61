"""Checks of the data before any number: one SQL file each, its rows are the offenders.

Checks that only filter one input are counted together in one scan of it; examples are looked up
only where something was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog import DIALECT, Catalog, substituted
from duckmetrics.compose import Binding, Composer
from duckmetrics.errors import EngineError, InputError
from duckmetrics.fold import bind, is_false, literal
from duckmetrics.measure import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog import Definition
    from duckmetrics.engines import Engine
    from duckmetrics.fold import Value
    from duckmetrics.inputs import Inputs
    from duckmetrics.measure import Measure

EXAMPLES = 3
WEIGHT, WEIGHTED = "weight", "weighted"
NOTE = "note"
SAMPLE = 10_000


@dataclass(frozen=True)
class Finding:
    """What a check found: where, how often, up to three examples, and what to do."""

    check: str
    severity: str
    table: str
    column: str
    count: int
    examples: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class _Check:
    """One check under one binding of its parameters."""

    name: str
    severity: str
    place: str
    title: str
    advice: str
    offenders: exp.Query
    when: tuple[exp.Query, ...] = ()


def check(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> list[Finding]:
    """Run every check that the measures call for.

    Returns: the warnings and notes.
    Raises:
        InputError: at least one check of severity error found something.
    """
    composer = Composer(catalog, inputs.queries, inputs.constants)
    planned = list(_planned(catalog, composer, inputs, measures))
    counts, totals = _counts(composer, engine, inputs, planned)
    found = [
        _finding(composer, engine, inputs, one, count, totals)
        for one, count in zip(planned, counts, strict=True) if count
    ]  # fmt: skip
    errors = [finding for finding in found if finding and finding.severity == "error"]
    if errors:
        raise InputError("\n".join(finding.message for finding in errors))
    return [finding for finding in found if finding]


def _planned(
    catalog: Catalog, composer: Composer, inputs: Inputs, measures: Sequence[Measure]
) -> Iterator[_Check]:
    for definition in catalog.checks.values():
        if "population" in definition.tables and "population" not in inputs.queries:
            continue
        seen: set[Binding] = set()
        planned: list[_Check] = []
        for measure in measures:
            if not concerned(catalog, measure) & set(definition.header["for"].split(", ")):
                continue
            values = _values(inputs, measure)
            binding = composer.binding(definition, values)
            if binding in seen:
                continue
            seen.add(binding)
            if not is_off(definition, values):
                offenders = composer.resolved(definition, values)
                if all(offenders != known.offenders for known in planned):
                    planned.append(_bound(composer, definition, values, offenders))
        yield from planned
    yield from _required(composer, measures)


def _values(inputs: Inputs, measure: Measure) -> dict[str, Value]:
    """What a check may ask about a measure: its parameters, and what the parameters do not say."""
    sampled = measure.metric.header.get("sampled", "inconsistent")
    return {**measure.values, "truth_lists": inputs.truth_lists, "sampled": sampled}


def is_off(definition: Definition, values: Mapping[str, Value]) -> bool:
    """Say whether the parameters alone decide that a check finds nothing."""
    where = definition.query.args.get("where")
    known = {name: param.default for name, param in definition.own_params.items()} | dict(values)
    return where is not None and is_false(bind(where, known))


def _bound(
    composer: Composer, definition: Definition, values: Mapping[str, Value], offenders: exp.Query
) -> _Check:
    """Bind the conditions of a check; they read no other relations than its query does."""
    header = definition.header
    asked = (
        exp.select(exp.Case().when(condition.copy(), literal(1)).else_(literal(0)))
        for condition in definition.conditions
    )
    return _Check(
        definition.name, header["severity"], header["column"], definition.title, header["advice"],
        offenders, tuple(composer.linked(query, values) for query in asked),
    )  # fmt: skip


def _required(composer: Composer, measures: Sequence[Measure]) -> Iterator[_Check]:
    """What single metrics ask of the rows of an input."""
    for measure in measures:
        for table, condition in measure.metric.requires.items():
            bound = substituted(condition, measure.values)
            columns = list(bound.find_all(exp.Column))
            offenders = exp.select("query_id", "item_id", *columns).from_(table)
            composer.relation(table, {})
            yield _Check(
                f"requires_{measure.metric.name}", "error", f"{table}.{columns[0].name}",
                f"rows outside of what {measure.text} needs, {_shown(condition, measure)}",
                "mend them or change the parameter", offenders.where(exp.not_(bound)),
            )  # fmt: skip


def concerned(catalog: Catalog, measure: Measure) -> set[str]:
    """What a check can name to be asked for a measure: its family, and all that it reads."""
    read = {definition.name for definition in catalog.foundations(measure.metric)}
    weighted = {WEIGHT} if measure.values.get(WEIGHTED) else set()
    return {measure.family, measure.metric.name} | read | weighted


def _shown(condition: exp.Expr, measure: Measure) -> str:
    """Write a condition with the values of the measure's parameters as a person would."""
    shown = condition.copy()
    for column in list(shown.find_all(exp.Column)):
        if column.name in measure.values:
            column.replace(exp.var(written(measure.values[column.name])))
    return shown.sql(DIALECT)


def _counts(
    composer: Composer, engine: Engine, inputs: Inputs, planned: Sequence[_Check]
) -> tuple[list[int], dict[str, int]]:
    """Count the offenders, one scan per input for the checks that only filter it.

    Returns: the number of offenders of every check, and the number of rows of every input scanned.
    """
    counts = [0] * len(planned)
    totals: dict[str, int] = {}
    scans: dict[str, list[tuple[int, exp.Expr]]] = {}
    for i, one in enumerate(planned):
        counted = None if one.when else _counted(one.offenders)
        if counted is not None:
            scans.setdefault(one.offenders.args["from_"].this.name, []).append((i, counted))
    for name, counters in scans.items():
        totals[name], *found = _scanned(composer, engine, inputs, name, counters)
        for (i, _), count in zip(counters, found, strict=True):
            counts[i] = count
    scanned = {i for counters in scans.values() for i, _ in counters}
    for i, one in enumerate(planned):
        if one.when:
            counts[i] = _holds(composer, engine, one.when)
        elif isinstance(one.offenders, exp.Select) and one.offenders.args.get("having"):
            counts[i] = _repeated(composer, engine, one.offenders)
        elif i not in scanned:
            counts[i] = engine.rows(composer.complete(_count_of(one.offenders)))[0][0]
    return counts, totals


def _holds(composer: Composer, engine: Engine, conditions: Sequence[exp.Query]) -> int:
    """Say whether all conditions hold, asked one after the other.

    Plan rule: the conditions say that no row has something, and mostly the first rows have it
    already, so that those of the table a condition reads first are asked before all rows are.
    """
    for condition in conditions:
        for query in (_of_first_rows(condition), condition):
            if not engine.rows(composer.complete(query))[0][0]:
                return 0
    return 1


def _of_first_rows(condition: exp.Query) -> exp.Query:
    first = condition.copy()
    table = next(source.this for source in first.find_all(exp.From) if isinstance(source.this, exp.Table))
    some = exp.select(exp.Star()).from_(exp.to_table(table.name)).limit(SAMPLE)
    table.replace(some.subquery(table.alias_or_name))
    return first


def _scanned(
    composer: Composer, engine: Engine, inputs: Inputs, name: str, counters: Sequence[tuple[int, exp.Expr]]
) -> tuple[Any, ...]:
    """Read an input once from end to end; what cannot be read shows here.

    Plan rule: one condition for all checks finds nothing in clean data, several times as fast as a
    count for each.
    """
    total = exp.Count(this=exp.Star())
    conditions = (_of_the_row(counter.expression.this) for _, counter in counters)
    any_of_them = exp.select(total).from_(name).where(exp.or_(*conditions))
    query = exp.select(total.copy(), *(counter for _, counter in counters)).from_(name)
    try:
        if not engine.rows(composer.complete(any_of_them))[0][0]:
            return (0, *(0 for _ in counters))
        return engine.rows(composer.complete(query))[0]
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(f"{inputs.labels[name]}: cannot be read: {error}; check it") from error


def _of_the_row(condition: exp.Expr) -> exp.Expr:
    """The part of a condition that looks at its row alone: it holds wherever the whole does."""
    conjuncts = condition.flatten() if isinstance(condition, exp.And) else [condition]
    return exp.and_(exp.true(), *(part.copy() for part in conjuncts if not part.find(exp.Query)))


def _counted(offenders: exp.Query) -> exp.Expr | None:
    """Write a check that only filters an input as one column of a scan of it."""
    clauses = {name for name, value in offenders.args.items() if value}
    source = offenders.args.get("from_")
    if clauses == {"expressions", "from_", "where"} and source and isinstance(source.this, exp.Table):
        return exp.Filter(this=exp.Count(this=exp.Star()), expression=offenders.args["where"].copy())
    return None


def _repeated(composer: Composer, engine: Engine, offenders: exp.Select) -> int:
    """Say whether the keys of a check may be repeated."""
    return int(engine.rows(composer.complete(repeated(offenders, composer.constants)))[0][0])


def repeated(offenders: exp.Select, constants: Mapping[str, Value]) -> exp.Select:
    """Plan rule: look for repeated keys among their sorted hashes, which is faster than grouping.

    Equal keys have equal hashes, so a count of 0 means that no key is repeated. Anything else, also
    hashes that came out of order, only means that the check itself has to be run.
    """
    keys = [k.copy() for k in offenders.args["group"].expressions if k.name not in constants]
    hashed = exp.select(exp.Anonymous(this="hash", expressions=keys).as_("h"))
    hashed = hashed.from_(offenders.args["from_"].this.copy()).order_by(exp.column("h"))
    previous = exp.Window(this=exp.Lag(this=exp.column("h")))
    paired = exp.select("h", previous.as_("previous")).from_(hashed.subquery("hashes"))
    again = exp.LTE(this=exp.column("h"), expression=exp.column("previous"))
    return exp.select(exp.Count(this=exp.Star())).from_(paired.subquery("pairs")).where(again)


def _count_of(offenders: exp.Query) -> exp.Select:
    return exp.select(exp.Count(this=exp.Star())).from_(offenders.subquery("offenders"))


def _finding(
    composer: Composer, engine: Engine, inputs: Inputs, one: _Check, count: int, totals: Mapping[str, int]
) -> Finding | None:
    if one.when or one.offenders.args.get("having"):
        count = engine.rows(composer.complete(_count_of(one.offenders)))[0][0]
        if not count:
            return None
    table, _, column = one.place.partition(".")
    names = [inputs.column_label(table, p.alias_or_name) for p in one.offenders.selects]
    rows = _examples(composer, engine, one)
    examples = tuple(_example(names, row) for row in rows)
    where = f"{inputs.labels[table]}: column {inputs.column_label(table, column)!r}"
    shown = f" ({'; '.join(examples)})" if examples else ""
    title = _singular(one.title) if count == 1 else one.title
    total = totals.get(table) if one.severity == NOTE else None
    share = f", {count / total:.2g} of all" if total else ""
    message = f"{where}: {count} {title}{share}{shown}; {one.advice}"
    return Finding(one.name, one.severity, inputs.labels[table], inputs.column_label(table, column),
                   count, examples, message)  # fmt: skip


def _singular(title: str) -> str:
    """``rows whose score is NULL`` -> ``row whose score is NULL``."""
    noun, _, rest = title.partition(" ")
    return (
        f"{noun.removesuffix('ies')}y {rest}" if noun.endswith("ies") else f"{noun.removesuffix('s')} {rest}"
    )


def _examples(composer: Composer, engine: Engine, one: _Check) -> list[tuple[Any, ...]]:
    """Three offenders; of a check over both sides, three of each."""
    parts = (
        [one.offenders.this, one.offenders.expression]
        if isinstance(one.offenders, exp.Union) else [one.offenders]
    )  # fmt: skip
    rows = []
    for part in parts:
        ordered = exp.select(exp.Star()).from_(part.subquery("offenders"))
        for i in range(1, len(part.selects) + 1):
            ordered = ordered.order_by(literal(i), copy=False)
        rows += engine.rows(composer.complete(ordered.limit(EXAMPLES)))
    return rows


def _example(names: Sequence[str], row: Sequence[Any]) -> str:
    return ", ".join(
        f"{name}={value}" for name, value in zip(names, row, strict=True)
        if not (name == "system" and value == "")
    )  # fmt: skip


def varying(engine: Engine, inputs: Inputs) -> None:
    """Refuse slicing columns that have more than one value within a query.

    Raises:
        InputError: names the column and three queries.
    """
    for name in inputs.by_columns:
        attribute = exp.column(exp.to_identifier(name, quoted=True))
        differs = exp.NullSafeNEQ(this=exp.Min(this=attribute), expression=exp.Max(this=attribute.copy()))
        some = exp.In(this=exp.Count(this=attribute.copy()),
                      expressions=[literal(0), exp.Count(this=exp.Star())])  # fmt: skip
        other = exp.Case().when(differs.copy(), exp.Max(this=attribute.copy()))
        query = (
            exp.select("query_id", exp.Min(this=attribute.copy()), other)
            .from_(inputs.queries["attributes"].subquery("attributes"))
            .group_by("query_id")
            .having(exp.or_(differs, exp.not_(some)))
        )
        count = engine.rows(_count_of(cast("exp.Query", query)))[0][0]
        if count:
            rows = engine.rows(query.order_by("query_id").limit(EXAMPLES))
            shown = "; ".join(f"{row[0]}: {', '.join(map(_text, row[1:]))}" for row in rows)
            raise InputError(
                f"{inputs.labels[inputs.by_source or 'predictions']}: column {name!r}: differs within "
                f"{count} queries ({shown}); slice rankings by an attribute of the query, or give one "
                "value per query with queries="
            )


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)


def unweighted(inputs: Inputs, measures: Sequence[Measure]) -> list[Finding]:
    """Warn of measures that have no weighted form though the rows have weights."""
    label = inputs.labels["predictions"]
    without = [m for m in measures for p in m.declared if p.name == WEIGHTED and p.default is False]
    return [
        Finding(
            "unweighted", "warning", label, inputs.weight, 0, (),
            f"{label}: column {inputs.weight!r}: {measure.text} has no weighted form and counts every row "
            "as 1; read it without weights beside, or leave it out",
        )
        for measure in without if inputs.weight is not None
    ]  # fmt: skip


def counted_notes(
    rows: Sequence[Mapping[str, Any]], inputs: Inputs, policies: Mapping[str, str]
) -> list[Finding]:
    """Tell of missing queries and of queries without a slice, from the counts of the result."""
    notes: dict[tuple[str, Any], Finding] = {}
    label = inputs.labels["predictions"]
    for row in rows:
        overall = row["slice"] == ""
        system = f" of system {row['system']}" if row["system"] is not None else ""
        if overall and row["n_missing"]:
            message = (
                f"{label}: {row['n_missing']} queries of the population have no predictions{system}; "
                f"the switch missing={policies['missing']} decides how they count"
            )
            notes["missing_query", row["system"]] = Finding(
                "missing_query", "warning", label, inputs.column_label("predictions", "query_id"),
                row["n_missing"], (), message,
            )  # fmt: skip
        if not overall and all(row[column] is None for column in inputs.by_columns):
            source = inputs.labels[inputs.by_source or "predictions"]
            message = (
                f"{source}: column {row['slice']!r}: some queries of the population have no value and "
                "form the slice NULL; give the attributes of all queries with queries="
            )
            notes["null_slice", row["slice"]] = Finding(
                "null_slice", "warning", source, row["slice"], row["n"], (), message
            )
    return list(notes.values())
