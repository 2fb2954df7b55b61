"""Checks of the data before any number: one SQL file each, its rows are the offenders.

Checks that only filter one input are counted together in one scan of it; examples are looked up
only where something was found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import DIALECT, RANKING, Catalog, substituted
from duckmetrics.catalog.specs import written
from duckmetrics.checks.copies import explained_copies
from duckmetrics.compose.composer import Binding, Composer
from duckmetrics.compose.optimizer import CONTENDERS, selects, unpruned
from duckmetrics.dialects.portable import reason_against
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import bind, is_false, literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Definition
    from duckmetrics.catalog.specs import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.ranking import Inputs

EXAMPLES = 3
WEIGHT, WEIGHTED = "weight", "weighted"
ERROR, WARNING, NOTE = "error", "warning", "note"
SAMPLE = 10_000
# So many rows that can come to a cut-off tell the queries of which all rows are searched.
PROBED = 5_000
# What a check reads that looks at the values of a metric; the others look at the inputs.
METRIC = "metric"
# The column of a check that tells among how many its rows were found.
TOTAL = "total"
SEGMENT = "segment"

_RANGE = re.compile(r"\[(?P<low>[\d.-]+), (?P<high>[\d.-]+)\], (?P<better>higher|lower) is better")


@dataclass(frozen=True)
class Finding:
    """What a check found: where, how often, up to three examples, and what to do.

    Attributes:
        message: all of it as a sentence, ``where: what (examples); what next``.
        advice: what to do next.
    """

    check: str
    severity: str
    table: str
    column: str
    count: int
    examples: tuple[str, ...]
    message: str
    advice: str = ""


@dataclass(frozen=True)
class _Check:
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


def check(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> list[Finding]:
    """Run every check that the measures call for.

    Returns: the warnings and notes.
    Raises:
        InputError: at least one check of severity error found something.
    """
    examination = Examination(catalog, engine, inputs, measures)
    found = examination.run(catalog.checks.values())
    errors = [finding for finding in found if finding.severity == ERROR]
    if errors:
        errors += examination.explained(errors)
        raise InputError("\n".join(finding.message for finding in errors))
    return [*found, *examination.explained(found)]


def check_values(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    rows: Sequence[Mapping[str, Any]],
    summary: exp.Query,
) -> list[Finding]:
    """Run the checks of the values of metrics.

    Plan rule: they look for values in the worse half of the range, which few data have.

    Args:
        rows: the results.
        summary: their query.
    """
    poor = [measure for measure in measures if any(_is_poor(measure, row) for row in rows)]
    return Examination(catalog, engine, inputs, poor).of_values(summary) if poor else []


def _is_poor(measure: Measure, row: Mapping[str, Any]) -> bool:
    """Say whether a result is an overall value of a measure in the worse half of its range."""
    declared = _RANGE.match(measure.metric.header.get("range", ""))
    if declared is None or row["metric"] != measure.text or row["slice"] != "" or row["value"] is None:
        return False
    middle = (float(declared["low"]) + float(declared["high"])) / 2
    return bool(row["value"] < middle if declared["better"] == "higher" else row["value"] > middle)


def explained(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], found: Sequence[Finding]
) -> list[Finding]:
    """Look for what explains findings that come from the values."""
    return Examination(catalog, engine, inputs, measures).explained(found)


class Examination:
    """The checks that measures call for, on one set of inputs.

    Args:
        doubtful: (table, column) of what cannot be relied on, "*" for all columns of a table; a check
            that depends on it is left out.
    """

    def __init__(
        self,
        catalog: Catalog,
        engine: Engine,
        inputs: Inputs,
        measures: Sequence[Measure],
        doubtful: Collection[tuple[str, str]] = (),
    ) -> None:
        self.catalog = catalog
        self.engine = engine
        self.inputs = inputs
        self.measures = measures
        self.doubtful = doubtful
        self.composer = self._composer(inputs.unsliced)
        self.names: set[str] = set()
        self.totals: dict[str, int] = {}

    @cached_property
    def sliced(self) -> Composer:
        """Writes what looks at the slices of rows; all else looks at every row once."""
        return self._composer(self.inputs.queries)

    def _composer(self, queries: Mapping[str, exp.Query]) -> Composer:
        """Write what reads these inputs; no filter of DuckDB may trust the statistics of their files."""
        if not self.engine.portable:
            queries = {name: unpruned(query) for name, query in queries.items()}
        return Composer(self.catalog, queries, self.inputs.constants, self.inputs.facts)

    def run(self, definitions: Iterable[Definition], found: Collection[str] = ()) -> list[Finding]:
        """Run those of the checks that the measures call for, or a check that found something does.

        Args:
            found: the names of the checks that found something.
        """
        planned = list(self._planned(definitions, found))
        if not found:
            planned += _required(self.composer, self.measures)
        planned = [one for one in planned if not self._is_doubtful(one)]
        self.names |= {one.name for one in planned}
        counts, totals = _counts(self.engine, self.inputs, planned)
        self.totals |= totals
        findings = [
            _finding(self.engine, self.inputs, one, count, self.totals)
            for one, count in zip(planned, counts, strict=True) if count
        ]  # fmt: skip
        return explained_copies(self.engine, self.inputs, filter(None, findings))

    def explained(self, found: Iterable[Finding], notes: bool = False) -> list[Finding]:
        """Run the inspections that are about what was found.

        Args:
            notes: whether to tell also what changes nothing.
        """
        names = {finding.check for finding in found}
        about = [
            definition for definition in self.catalog.inspections.values()
            if names & protected(definition) and definition.name not in self.names
            and (notes or definition.header["severity"] != NOTE)
        ]  # fmt: skip
        return self.run(about, names) if about else []

    def of_values(self, summary: exp.Query) -> list[Finding]:
        """Run the checks of values, such as one that no sound score has.

        Args:
            summary: the query of the results.
        """
        found: list[Finding] = []
        for definition in self.catalog.checks.values():
            for measure in self.measures:
                if measure.metric.name not in protected(definition) or METRIC not in definition.tables:
                    continue
                composer = Composer(self.catalog, {METRIC: _overall(summary, measure)})
                one = _bound(composer, definition, {}, composer.resolved(definition, {}))
                self.names.add(one.name)
                count = self.engine.rows(composer.complete(count_of(one.offenders)))[0][0]
                finding = _finding(self.engine, self.inputs, one, count, {}) if count else None
                found += [finding] if finding else []
        return found

    def _planned(self, definitions: Iterable[Definition], found: Collection[str]) -> Iterator[_Check]:
        for definition in definitions:
            asking = [
                measure for measure in self.measures
                if (concerned(self.catalog, measure) | set(found)) & protected(definition)
            ]  # fmt: skip
            if not asking or METRIC in definition.tables:
                continue
            if self.engine.portable and reason_against(self.catalog, definition):
                continue
            if "population" in definition.tables and "population" not in self.inputs.queries:
                continue
            composer = self.sliced if SEGMENT in definition.query.named_selects else self.composer
            seen: set[Binding] = set()
            planned: list[_Check] = []
            for measure in asking:
                values = {**_values(self.inputs, measure), **self._probe}
                binding = composer.binding(definition, values)
                if binding in seen:
                    continue
                seen.add(binding)
                if not is_off(definition, values):
                    offenders = composer.resolved(definition, values)
                    if all(offenders != known.offenders for known in planned):
                        planned.append(_bound(composer, definition, values, offenders))
            yield from planned

    @cached_property
    def _probe(self) -> dict[str, Value]:
        """Plan rule: the last of the queries that are searched from end to end, as a literal.

        DuckDB reads only the part of a sorted file that a literal lets through, which a join does not tell.
        """
        if CONTENDERS not in self.inputs.queries:
            return {}
        first = exp.select("query_id").from_(CONTENDERS).order_by("query_id").limit(literal(PROBED))
        self.composer.relation(CONTENDERS, {})
        last = exp.select(exp.Max(this=exp.column("query_id"))).from_(first.subquery("first_rows"))
        ((value,),) = self.engine.rows(self.composer.complete(last))
        return {"until": value} if type(value) in (int, str) else {}

    def _is_doubtful(self, one: _Check) -> bool:
        """Say whether a check depends on a column that cannot be relied on."""
        table, _, column = one.place.partition(".")
        counted = None if one.when else _counted(one.offenders)
        if counted is not None and one.offenders.args["from_"].this.name == table:
            read = {(table, c.name) for c in counted.expression.find_all(exp.Column)}
        else:
            read = {(t, c) for t, columns in one.inputs.items() for c in columns}
        read |= {(table, column)}
        return any((t, c) in self.doubtful or (t, "*") in self.doubtful for t, c in read)


def protected(definition: Definition) -> set[str]:
    """What a check is for: families, relations and metrics, and checks that it explains."""
    return set(definition.header["for"].split(", "))


def _overall(summary: exp.Query, measure: Measure) -> exp.Select:
    """The values of one measure for all rows of each system, as the table `metric`."""
    of_measure = exp.EQ(this=exp.column("metric"), expression=literal(measure.text))
    overall = exp.EQ(this=exp.column("slice"), expression=literal(""))
    system = exp.func("coalesce", exp.column("system"), literal(""))
    return (
        exp.select(system.as_("system"), "value", "n", "n_positive")
        .from_(summary.subquery("summary"))
        .where(of_measure, overall)
    )


def _values(inputs: Inputs, measure: Measure) -> dict[str, Value]:
    """What a check may ask about a measure: its parameters, and what the parameters do not say."""
    sampled = measure.metric.header.get("sampled", "inconsistent")
    return {
        **measure.values, "truth_lists": inputs.truth_lists, "sampled": sampled, "by_rank": inputs.by_rank,
        "untied": measure.untied, "reaching": CONTENDERS in inputs.queries,
        "named_runs": bool(inputs.runs), "wide_scores": inputs.wide_scores,
        "text_queries": "query_id" in inputs.text_ids, "text_items": "item_id" in inputs.text_ids,
    }  # fmt: skip


def is_off(definition: Definition, values: Mapping[str, Value]) -> bool:
    """Say whether the parameters alone decide that a check finds nothing."""
    known = {name: param.default for name, param in definition.own_params.items()} | dict(values)
    conditions = [part.args.get("where") for part in selects(definition.query)]
    return bool(conditions) and all(where and is_false(bind(where, known)) for where in conditions)


def _bound(
    composer: Composer, definition: Definition, values: Mapping[str, Value], offenders: exp.Query
) -> _Check:
    """Bind the conditions of a check; they read no other relations than its query does."""
    header = definition.header
    asked = []
    for condition in definition.conditions:
        query = exp.select(exp.Case().when(condition.copy(), literal(1)).else_(literal(0)))
        asked.append((composer.linked(query, values), isinstance(condition, exp.Not)))
    return _Check(
        composer, definition.name, header["severity"], header["column"], definition.title, header["advice"],
        offenders, definition.inputs, tuple(asked),
    )  # fmt: skip


def _required(composer: Composer, measures: Sequence[Measure]) -> Iterator[_Check]:
    """What single metrics ask of the rows of an input."""
    for measure in measures:
        for table, condition in measure.requires.items():
            bound = substituted(condition, measure.values)
            columns = list(dict.fromkeys(bound.find_all(exp.Column)))
            keys = ("query_id", "item_id") if measure.family == RANKING else ()
            offenders = exp.select(*keys, *columns).from_(table)
            composer.relation(table, {})
            yield _Check(
                composer, f"requires_{measure.metric.name}", ERROR, f"{table}.{columns[0].name}",
                f"rows outside of what {measure.text} needs, {_shown(condition, measure)}",
                "leave like= out, the tool treats such rows otherwise" if measure.needed
                else "mend them or change the parameter", offenders.where(exp.not_(bound)), {},
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


def _counts(engine: Engine, inputs: Inputs, planned: Sequence[_Check]) -> tuple[list[int], dict[str, int]]:
    """Count the offenders, one scan per input for the checks that only filter it.

    Returns: the number of offenders of every check, and the number of rows of every input scanned.
    """
    counts = [0] * len(planned)
    totals: dict[str, int] = {}
    scans: dict[tuple[Composer, str], list[tuple[int, exp.Expr]]] = {}
    for i, one in enumerate(planned):
        counted = None if one.when else _counted(one.offenders)
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
            counts[i] = engine.rows(one.composer.complete(count_of(one.offenders)))[0][0]
    return counts, totals


def _holds(composer: Composer, engine: Engine, conditions: Sequence[tuple[exp.Query, bool]]) -> int:
    """Say whether all conditions hold, asked one after the other.

    Plan rule: a condition says that there is a row with something, or that there is none, and mostly
    the first rows have it already. So the first rows of the table that it reads first are asked before
    all are: what is there among them settles the condition, what is not settles nothing.
    """
    for condition, is_negative in conditions:
        among_first = bool(engine.rows(composer.complete(_of_first_rows(condition)))[0][0])
        if among_first == is_negative:
            among_first = bool(engine.rows(composer.complete(condition))[0][0])
        if not among_first:
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
    conditions = [_of_the_row(counter.expression.this) for _, counter in counters]
    if not engine.portable:
        conditions = _finite(conditions)
    any_of_them = exp.select(total).from_(name).where(exp.or_(*conditions))
    query = exp.select(total.copy(), *(counter for _, counter in counters)).from_(name)
    try:
        if not engine.rows(composer.complete(any_of_them))[0][0]:
            return (0, *(0 for _ in counters))
        return engine.rows(composer.complete(query))[0]
    except EngineError as error:
        if not error.unreadable:
            raise
        label = inputs.labels.get(name, inputs.labels["predictions"])
        raise InputError(f"{label}: cannot be read: {error}; check it") from error


def _of_the_row(condition: exp.Expr) -> exp.Expr:
    """The part of a condition that looks at its row alone: it holds wherever the whole does."""
    conjuncts = condition.flatten() if isinstance(condition, exp.And) else [condition]
    kept = [part.copy() for part in conjuncts if not part.find(exp.Query)]
    return exp.and_(*kept) if kept else exp.true()


def _finite(conditions: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Plan rule: a number is looked at once for NaN and the infinities, which both are not finite."""
    found: dict[exp.Expr, None] = {}
    for condition in conditions:
        inner = condition.unnest()
        for part in inner.flatten() if isinstance(inner, exp.Or) else [inner]:
            if isinstance(part, exp.IsNan | exp.IsInf):
                finite = exp.Anonymous(this="isfinite", expressions=[part.this.copy()])
                part = exp.not_(finite)
            found[part] = None
    return [part.copy() for part in found]


def _counted(offenders: exp.Query) -> exp.Expr | None:
    """Write a check that only filters an input as one column of a scan of it."""
    clauses = {name for name, value in offenders.args.items() if value}
    source = offenders.args.get("from_")
    if clauses == {"expressions", "from_", "where"} and source and isinstance(source.this, exp.Table):
        return exp.Filter(this=exp.Count(this=exp.Star()), expression=offenders.args["where"].copy())
    return None


def _repeated(composer: Composer, engine: Engine, offenders: exp.Select) -> int:
    """Say whether the keys of a check may be repeated."""
    if engine.portable:
        return int(engine.rows(composer.complete(count_of(offenders)))[0][0])
    source = composer.inputs.get(offenders.args["from_"].this.name)
    return int(engine.rows(composer.complete(repeated(offenders, composer.constants, source)))[0][0])


def repeated(
    offenders: exp.Select, constants: Mapping[str, Value], source: exp.Query | None = None
) -> exp.Select:
    """Plan rule: look for repeated keys among their sorted hashes, which is faster than grouping.

    Equal keys have equal hashes, so a count of 0 means that no key is repeated. Anything else, also
    hashes that came out of order, only means that the check itself has to be run.

    Args:
        source: the query of what is read; its types tell whether the keys go into one number.
    """
    keys = [k.copy() for k in offenders.args["group"].expressions if k.name not in constants]
    one = packed(keys, source) or exp.Anonymous(this="hash", expressions=keys)
    hashed = exp.select(one.as_("h"))
    hashed = hashed.from_(offenders.args["from_"].this.copy()).order_by(exp.column("h"))
    previous = exp.Window(this=exp.Lag(this=exp.column("h")))
    paired = exp.select("h", previous.as_("previous")).from_(hashed.subquery("hashes"))
    again = exp.LTE(this=exp.column("h"), expression=exp.column("previous"))
    return exp.select(exp.Count(this=exp.Star())).from_(paired.subquery("pairs")).where(again)


def packed(keys: Sequence[exp.Expr], source: exp.Query | None) -> exp.Expr | None:
    """Plan rule: two 32-bit ids side by side in one BIGINT; exports that are in order sort faster so."""
    types = {p.alias_or_name: p.unalias() for p in source.selects} if isinstance(source, exp.Select) else {}
    casts = [types.get(key.name) for key in keys]
    if len(casts) != 2 or not all(isinstance(c, exp.Cast) and c.to.is_type("INT") for c in casts):
        return None
    high, low = (exp.cast(key.copy(), "BIGINT") for key in keys)
    shifted = exp.Mul(this=high, expression=literal(2**32))
    return exp.Add(this=shifted, expression=exp.paren(exp.Add(this=low, expression=literal(2**31))))


def count_of(offenders: exp.Query) -> exp.Select:
    return exp.select(exp.Count(this=exp.Star())).from_(offenders.subquery("offenders"))


def _finding(
    engine: Engine, inputs: Inputs, one: _Check, count: int, totals: Mapping[str, int]
) -> Finding | None:
    if one.when or one.offenders.args.get("having"):
        count = engine.rows(one.composer.complete(count_of(one.offenders)))[0][0]
        if not count:
            return None
    table, _, column = one.place.partition(".")
    rows = _examples(engine, one)
    examples = tuple(_example(engine, inputs, table, row) for row in rows)
    where = f"{inputs.labels[table]}: column {inputs.column_label(table, column)!r}"
    shown = f" ({'; '.join(examples)})" if any(examples) else ""
    among = rows[0].get(TOTAL) if rows else None
    title = _singular(one.title) if count == 1 and among is None else one.title
    total = totals.get(table) if one.severity == NOTE and among is None else None
    share = f", {count / total:.2g} of all" if total else ""
    number = count if among is None else f"{count} of {among}"
    message = f"{where}: {number} {title}{share}{shown}; {one.advice}"
    return Finding(one.name, one.severity, inputs.labels[table], inputs.column_label(table, column),
                   count, examples, message, one.advice)  # fmt: skip


def _singular(title: str) -> str:
    """``rows whose score is NULL`` -> ``row whose score is NULL``."""
    noun, _, rest = title.partition(" ")
    return (
        f"{noun.removesuffix('ies')}y {rest}" if noun.endswith("ies") else f"{noun.removesuffix('s')} {rest}"
    )


def _examples(engine: Engine, one: _Check) -> list[dict[str, Any]]:
    """Three offenders; of a check over both sides, three of each."""
    parts = (
        [one.offenders.this, one.offenders.expression]
        if isinstance(one.offenders, exp.Union) else [one.offenders]
    )  # fmt: skip
    names = [p.alias_or_name for p in one.offenders.selects]
    rows = []
    for part in parts:
        ordered = exp.select(exp.Star()).from_(part.subquery("offenders"))
        for i in range(1, len(part.selects) + 1):
            ordered = ordered.order_by(literal(i), copy=False)
        rows += engine.rows(one.composer.complete(ordered.limit(EXAMPLES)))
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
    """A text with blanks around it, or none at all, shows only between quotes."""
    return repr(value) if isinstance(value, str) and (value.strip() != value or not value) else value


def _slice(engine: Engine, inputs: Inputs, number: int) -> str:
    """What a number of a segment stands for, nothing where it is all rows."""
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
