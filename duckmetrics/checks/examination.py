"""Checks of the data, and of poor values: one SQL file each, its rows are the offenders.

Checks that only filter one input are counted together in one scan of it; examples are looked up
only where something was found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING, substituted
from duckmetrics.catalog.measure import written
from duckmetrics.checks.counting import (
    SEGMENT,
    BoundCheck,
    count_of,
    counted_together,
    counts_of,
    finding_of,
    finite,
    of_first_rows,
)
from duckmetrics.checks.notes import explained_copies, of_other_tools, unasked, unread_grades
from duckmetrics.compose.composer import Binding, Composer
from duckmetrics.compose.optimizer import CONTENDERS, TOP, plan_to, selects, unpruned
from duckmetrics.engines.engine import Feature, keep_readable
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import everything, row_count, rows_of, stacked
from duckmetrics.expressions.folding import bind, is_false, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.inputs.ranking import CUTS, MEANINGS, OF_COLUMNS, table_of
from duckmetrics.results.findings import ERROR, NOTE, Finding, refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


POPULATION = "population"
OPTIONAL = {CUTS, *OF_COLUMNS}


def side_tables_of(measure: Measure, inputs: Inputs) -> set[str]:
    """Return the history, the catalogue and the reference run, if a measure reads them."""
    tables: set[str] = {table_of(name) for name in measure.metric.further_inputs}
    # Without a catalogue, the items are those of the history.
    return tables | {HISTORY} if ITEMS in tables and ITEMS not in inputs.labels else tables


def lacks_a_table(inputs: Inputs, definition: Definition) -> bool:
    """Return whether a table that a check cannot do without was not given.

    Relations read a population only if there is one, so a check needs it only if it reads it itself.
    """
    if POPULATION in definition.tables and POPULATION not in inputs.queries:
        return True
    read = definition.inputs.keys()
    return bool((read & MEANINGS.keys()) - inputs.labels.keys() or (read & OPTIONAL) - inputs.queries.keys())


@dataclass
class _Pass:
    """The rows to count, all in one query: each has a 1 in the columns of the counters that it is for."""

    composer: Composer
    parts: list[tuple[dict[int, exp.Expr], exp.Select]] = field(default_factory=list)
    size: int = 0

    def counter(self) -> int:
        """Return the place of a new counter."""
        self.size += 1
        return self.size - 1

    def add_rows(self, query: exp.Query) -> int:
        """Count the rows of a query; return the place of the counter."""
        place = self.counter()
        self.parts.append(({place: literal(1)}, exp.select().from_(query.subquery(f"rows_{place}"))))
        return place

    def add_scan(self, table: str, conditions: Sequence[exp.Expr]) -> list[int]:
        """Count the rows of a table for which each condition holds; return the places of the counters."""
        places = [self.counter() for _ in conditions]
        ones: dict[int, exp.Expr] = {
            place: exp.Case().when(condition.copy(), literal(1))
            for place, condition in zip(places, conditions, strict=True)
        }
        any_of_them = exp.or_(*finite(conditions))
        self.parts.append((ones, exp.select().from_(table).where(any_of_them)))
        return places

    def counts(self, engine: Engine) -> tuple[int, ...]:
        """Run the query, and return the counts."""
        if not self.parts:
            return ()
        names = [f"n_{place}" for place in range(self.size)]
        none = exp.cast(exp.null(), "INTEGER")
        parts = (
            rows.select(*((ones.get(i) or none.copy()).as_(name) for i, name in enumerate(names)))
            for ones, rows in self.parts
        )
        whole = stacked(parts).subquery("counted")
        counted = (exp.Count(this=exp.column(name)).as_(f"count_{name}") for name in names)
        (found,) = engine.rows(self.composer.complete(exp.select(*counted).from_(whole)))
        return found


def counts_in_one_pass(engine: Engine, planned: Sequence[BoundCheck]) -> tuple[list[int], dict[str, int]]:
    """Count the offenders of every check; of a check with conditions, return 1 if they hold, else 0.

    Plan rule: a query with all checks starts fewer jobs than a query for each check, and reads a table once
    for all checks that only filter it.

    Returns: the counts, and the number of rows of every table that a finding only filters.
    """
    counts = [0] * len(planned)
    totals: dict[str, int] = {}
    for composer in dict.fromkeys(one.composer for one in planned):
        chosen = [i for i, one in enumerate(planned) if one.composer is composer]
        passed = _Pass(composer)
        places = _scans(passed, {i: planned[i] for i in chosen if _is_scan(planned[i])})
        others = [i for i in chosen if i not in places]
        places |= {i: passed.add_rows(planned[i].offenders) for i in others if not planned[i].when}
        asked = {i: _conditions(passed, planned[i]) for i in others if planned[i].when}
        found = passed.counts(engine)
        for i, place in places.items():
            counts[i] = found[place]
        for i, of_check in asked.items():
            counts[i] = int(_hold(engine, planned[i], [bool(found[place]) for place in of_check]))
        for name in {_scanned_table(planned[i]) for i in chosen if counts[i] and _is_filter(planned[i])}:
            totals[name] = engine.rows(composer.complete(row_count(name)))[0][0]
    return counts, totals


def _is_filter(one: BoundCheck) -> bool:
    """Return whether the rows of a check are rows of one table."""
    return not one.when and counted_together(one.offenders) is not None


def _is_scan(one: BoundCheck) -> bool:
    """Return whether a check only filters a table, row by row."""
    return _is_filter(one) and one.offenders.args["where"].find(exp.Query) is None


def _scanned_table(one: BoundCheck) -> str:
    return str(one.offenders.args["from_"].this.name)


def _scans(passed: _Pass, checks: dict[int, BoundCheck]) -> dict[int, int]:
    """Count the checks that only filter a table in one part for each table."""
    tables: dict[str, list[int]] = {}
    for i, one in checks.items():
        tables.setdefault(_scanned_table(one), []).append(i)
    found: dict[int, int] = {}
    for table, group in tables.items():
        conditions = [checks[i].offenders.args["where"].this for i in group]
        found |= dict(zip(group, passed.add_scan(table, conditions), strict=True))
    return found


def _conditions(passed: _Pass, one: BoundCheck) -> list[int]:
    """Count the first rows that decide the conditions of a check; return the places of the counters."""
    rows = [exists.this for query, _ in one.when for exists in of_first_rows(query).find_all(exp.Exists)]
    return [passed.add_rows(query.copy()) for query in rows]


def _hold(engine: Engine, one: BoundCheck, found: Sequence[bool]) -> bool:
    """Return whether all conditions of a check hold; see `counting` for why the first rows come first.

    Args:
        found: whether the first rows have one with the property of each condition.
    """
    for (condition, is_negative), is_among_first in zip(one.when, found, strict=True):
        if is_among_first and is_negative:
            return False
        if not is_among_first and not engine.rows(one.composer.complete(condition))[0][0]:
            return False
    return True


# The number of rows within reach of a cut-off whose queries are searched completely.
PROBED = 5_000
# The parameter of checks that look at the rows within reach of a cut-off only, if an evaluation asks.
REACHING = "reaching"
# The relation of the history that is kept in a table if a measure reads it.
ITEM_HISTORY = "item_history"
# The table that checks of the values of a metric read; the other checks read the inputs.
METRIC = "metric"


def check(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> list[Finding]:
    """Run every check that the measures call for.

    Returns: the warnings and notes.
    Raises:
        InputError: at least one check of severity error found something.
    """
    read = (HISTORY,) if inputs.derived else ()
    examination = Examination(catalog, engine, inputs, measures, given=read)
    found = examination.run(catalog.checks.values())
    errors = [finding for finding in found if finding.severity == ERROR]
    if errors:
        errors += examination.explained(errors)
        raise refusal(errors)
    names = [*unread_grades(inputs), *unasked(inputs, measures[0].family)]
    return [*found, *examination.explained(found), *names, *of_other_tools(measures)]


def check_values(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    rows: Sequence[Mapping[str, Any]],
    summary: exp.Query,
) -> list[Finding]:
    """Run the checks of the values of metrics.

    Plan rule: they look for values in the worse half of the range, which few results have.

    Args:
        rows: the results.
        summary: their query.
    """
    poor = [measure for measure in measures if any(_is_poor(measure, row) for row in rows)]
    return Examination(catalog, engine, inputs, poor).of_values(summary) if poor else []


def _is_poor(measure: Measure, row: Mapping[str, Any]) -> bool:
    """Return whether a result is an overall value of a measure in the worse half of its range."""
    declared = measure.metric.range
    middle = declared.middle()
    if middle is None or row["metric"] != measure.text or row["slice"] != "" or row["value"] is None:
        return False
    gain = declared.gain(row["value"], middle)
    return gain is not None and gain < 0


def explained(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], found: Sequence[Finding]
) -> list[Finding]:
    """Look for causes of the findings that come from the values."""
    return Examination(catalog, engine, inputs, measures).explained(found)


class Examination:
    """The checks that measures call for, on one set of inputs.

    Args:
        doubtful: (table, column) of columns that cannot be relied on, "*" for all columns of a table; a check
            that depends on it is left out.
        given: the tables whose checks run even if no measure reads them.
        passed: whether an evaluation of the same tables refused nothing, so that no check of severity error
            is run again.
    """

    def __init__(
        self,
        catalog: Catalog,
        engine: Engine,
        inputs: Inputs,
        measures: Sequence[Measure],
        doubtful: Collection[tuple[str, str]] = (),
        passed: bool = False,
        given: Collection[str] = (),
    ) -> None:
        self.catalog = catalog
        self.engine = engine
        self.inputs = inputs
        self.measures = measures
        self.doubtful = doubtful
        self.passed = passed
        self.given = given
        self.composer = self._composer(inputs.unsliced)
        self._shallow: dict[Binding, Composer] = {}
        self.names: set[str] = set()
        self.totals: dict[str, int] = {}

    @cached_property
    def sliced(self) -> Composer:
        """The composer of the queries that read the slices of rows; other queries read every row once."""
        return self._composer(self.inputs.queries)

    def _composer(self, queries: Mapping[str, exp.Query]) -> Composer:
        """Return a composer for these inputs; no filter of DuckDB may trust the statistics of their files."""
        if self.engine.supports(Feature.FILE_STATISTICS):
            queries = {name: unpruned(query) for name, query in queries.items()}
        return self.inputs.composer(self.catalog, queries)

    def run(self, definitions: Iterable[Definition], found: Collection[str] = ()) -> list[Finding]:
        """Run the checks that the measures, or checks that found something, call for.

        Args:
            found: the names of the checks that found something.
        """
        planned = list(self._planned(definitions, found))
        if not found:
            planned += required_checks(self.composer, self.measures)
        planned = [one for one in planned if not self._is_doubtful(one)]
        self.names |= {one.name for one in planned} - self._passed_in_part()
        planned = [one for one in planned if not (self.passed and one.severity == ERROR)]
        with self.engine.step("explain findings" if found else "check the rows"):
            if self.engine.supports(Feature.GLOBAL_SORTS):
                counts, totals = counts_of(self.engine, self.inputs, planned)
            else:
                counts, totals = counts_in_one_pass(self.engine, planned)
        self.totals |= totals
        with self.engine.step("examples of findings"):
            findings = [
                finding_of(self.engine, self.inputs, one, count, self.totals)
                for one, count in zip(planned, counts, strict=True) if count
            ]  # fmt: skip
        return explained_copies(self.engine, self.inputs, filter(None, findings))

    def explained(self, found: Iterable[Finding], notes: bool = False) -> list[Finding]:
        """Run the inspections that explain the given findings.

        Args:
            notes: whether to report also findings that change nothing.
        """
        names = {finding.check for finding in found}
        about = [
            definition for definition in self.catalog.inspections.values()
            if names & definition.subjects and definition.reported not in self.names
            and (notes or definition.header["severity"] != NOTE)
        ]  # fmt: skip
        return self.run(about, names) if about else []

    def of_values(self, summary: exp.Query) -> list[Finding]:
        """Run the checks of values, such as a value that no sound score has.

        Args:
            summary: the query of the results.
        """
        results = self.engine.results()
        found: list[Finding] = []
        for definition in self.catalog.checks.values():
            for measure in self.measures:
                if measure.metric.name not in definition.subjects or METRIC not in definition.tables:
                    continue
                composer = Composer(self.catalog, {METRIC: _overall(summary, measure)})
                one = _bound(composer, definition, {}, composer.resolved(definition, {}))
                self.names.add(one.name)
                count = results.rows(composer.complete(count_of(one.offenders)))[0][0]
                finding = finding_of(results, self.inputs, one, count, {}) if count else None
                found += [finding] if finding else []
        return found

    def _planned(self, definitions: Iterable[Definition], found: Collection[str]) -> Iterator[BoundCheck]:
        for definition in definitions:
            subjects = definition.subjects
            is_asked = bool(subjects & {*found, *self.given})
            asking = [
                measure for measure in self.measures
                if is_asked or subjects & concerned(self.catalog, measure)
                or subjects & side_tables_of(measure, self.inputs)
            ]  # fmt: skip
            if not asking or METRIC in definition.tables:
                continue
            if self.engine.reason_against(self.catalog, definition):
                continue
            if lacks_a_table(self.inputs, definition):
                continue
            composer = self.sliced if SEGMENT in definition.query.named_selects else self.composer
            seen: set[Binding] = set()
            planned: list[BoundCheck] = []
            for measure in asking:
                values = {**_values(self.inputs, measure), **self._probe}
                values |= self._depth(definition, values)
                binding = composer.binding(definition, values)
                if binding in seen:
                    continue
                seen.add(binding)
                if not is_off(definition, values):
                    reading = self._reaching(composer, values)
                    offenders = reading.resolved(definition, values)
                    if not self.inputs.has_truth and _reads_truth(reading, offenders):
                        continue
                    if all(offenders != known.offenders for known in planned):
                        planned.append(_bound(reading, definition, values, offenders))
            yield from planned

    def _passed_in_part(self) -> set[str]:
        """Return the checks of which the evaluation may have looked at the first ranks only."""
        if not self.passed:
            return set()
        checks = self.catalog.checks.values()
        return {check.reported for check in checks if REACHING in self.catalog.placeholders(check)}

    def _depth(self, definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the deepest rank that a check reads, and the plan for the ranks down to it."""
        depth = definition.depth(_with_defaults(definition, values))
        if depth is None or not self.engine.supports(Feature.GLOBAL_SORTS):
            return {}
        return {"depth": depth, "plan": plan_to(depth)}

    def _reaching(self, composer: Composer, values: Mapping[str, Value]) -> Composer:
        """Return a composer that reads the rows of the first ranks from a table, if checks read only these.

        Plan rule: several checks read them, and each looks for its examples once more.
        """
        if values.get("plan") != TOP or composer is not self.composer or self.doubtful:
            return composer
        if CONTENDERS in self.inputs.queries:
            return composer
        binding = composer.binding(self.catalog.relations[CONTENDERS], values)
        if binding not in self._shallow:
            finding = self.inputs.composer(self.catalog, self.inputs.unsliced)
            query = finding.complete(everything(finding.relation(CONTENDERS, values)))
            kept = self.engine.kept(keep_readable(self.engine, CONTENDERS, query, self.passed))
            self._shallow[binding] = self._composer({**self.inputs.unsliced, CONTENDERS: kept})
        return self._shallow[binding]

    @cached_property
    def _probe(self) -> dict[str, Value]:
        """The last of the queries whose rows are all searched, as a literal (plan rule).

        With a literal, DuckDB reads only the matching part of a sorted file; with a join, it reads all of it.
        """
        if CONTENDERS not in self.inputs.queries:
            return {}
        first = exp.select("query_id").from_(CONTENDERS).order_by("query_id").limit(literal(PROBED))
        self.composer.relation(CONTENDERS, {})
        last = exp.select(exp.Max(this=exp.column("query_id"))).from_(first.subquery("first_rows"))
        ((value,),) = self.engine.rows(self.composer.complete(last))
        return {"until": value} if type(value) in (int, str) else {}

    def _is_doubtful(self, one: BoundCheck) -> bool:
        """Return whether a check depends on a column that cannot be relied on."""
        table, _, column = one.place.partition(".")
        counted = None if one.when else counted_together(one.offenders)
        if counted is not None and one.offenders.args["from_"].this.name == table:
            read = {(table, c.name) for c in counted.expression.find_all(exp.Column)}
        else:
            read = {(t, c) for t, columns in one.inputs.items() for c in columns}
        read |= {(table, column)}
        return any((t, c) in self.doubtful or (t, "*") in self.doubtful for t, c in read)


def _reads_truth(composer: Composer, offenders: exp.Query) -> bool:
    """Return whether a check needs to know the relevant items."""
    return any(cte.alias == "truth" for cte in composer.complete(offenders).ctes)


def _overall(summary: exp.Query, measure: Measure) -> exp.Select:
    """Return the values of one measure for all rows of each system, as the table `metric`."""
    of_measure = exp.EQ(this=exp.column("metric"), expression=literal(measure.text))
    overall = exp.EQ(this=exp.column("slice"), expression=literal(""))
    system = exp.func("coalesce", exp.column("system"), literal(""))
    return (
        exp.select(system.as_("system"), "value", "n", "n_positive")
        .from_(summary.subquery("summary"))
        .where(of_measure, overall)
    )


def _values(inputs: Inputs, measure: Measure) -> dict[str, Value]:
    """Return the values that a check can use: the parameters of a measure, and facts about the inputs."""
    sampled = measure.metric.header.get("sampled", "inconsistent")
    return {
        **measure.values, "truth_lists": inputs.truth_lists, "sampled": sampled, "by_rank": inputs.by_rank,
        "untied": measure.untied, REACHING: CONTENDERS in inputs.queries,
        "named_runs": bool(inputs.runs), "wide_scores": inputs.wide_scores,
        "text_queries": "query_id" in inputs.text_ids, "text_items": "item_id" in inputs.text_ids,
        "counted": ITEM_HISTORY in inputs.queries, "by_day": inputs.by_day, "has_truth": inputs.has_truth,
    }  # fmt: skip


def _with_defaults(definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
    return {name: param.default for name, param in definition.own_params.items()} | dict(values)


def is_off(definition: Definition, values: Mapping[str, Value]) -> bool:
    """Return whether the parameters alone decide that a check finds nothing."""
    known = _with_defaults(definition, values)
    conditions = [part.args.get("where") for part in selects(definition.query)]
    return bool(conditions) and all(where and is_false(bind(where, known)) for where in conditions)


def _bound(
    composer: Composer, definition: Definition, values: Mapping[str, Value], offenders: exp.Query
) -> BoundCheck:
    """Bind the conditions of a check; they read no other relations than its query does."""
    header = definition.header
    asked = []
    for condition in definition.conditions:
        # By default, each builder would copy what it is given.
        value = exp.Case().when(condition.copy(), literal(1), copy=False).else_(literal(0), copy=False)
        query = exp.Select(expressions=[value])
        asked.append((composer.linked(query, values), isinstance(condition, exp.Not)))
    return BoundCheck(
        composer, definition.reported, header["severity"], header["column"], definition.title,
        header["advice"], offenders, definition.inputs, tuple(asked),
    )  # fmt: skip


def required_checks(composer: Composer, measures: Sequence[Measure]) -> Iterator[BoundCheck]:
    """Yield the checks of the conditions that single metrics impose on the rows of an input."""
    for measure in measures:
        for table, condition in measure.requires.items():
            bound = substituted(condition, measure.values)
            columns = list(dict.fromkeys(bound.find_all(exp.Column)))
            keys = () if measure.family != RANKING else ("query_id", "item_id")[table == ITEMS :]
            others = (column for column in columns if column.name not in keys)
            offenders = exp.select(*keys, *others).from_(table)
            for read in (table, *(other.name for other in bound.find_all(exp.Table))):
                composer.relation(read, {})
            yield BoundCheck(
                composer, f"requires_{measure.metric.name}", ERROR, f"{table}.{columns[0].name}",
                f"rows outside of what {measure.text} needs, {_shown(condition, measure)}",
                "remove like=, because the tool treats such rows differently" if measure.needed
                else "correct them or change the parameter", offenders.where(exp.not_(bound)), {},
            )  # fmt: skip


def concerned(catalog: Catalog, measure: Measure) -> set[str]:
    """Return the names by which a check applies to a measure: its family, and all that it reads."""
    read = {definition.name for definition in catalog.foundations(measure.metric)}
    weighted = {WEIGHT} if measure.values.get(WEIGHTED) else set()
    of_columns = {str(name) for name in measure.metric.inputs.keys() & OF_COLUMNS.keys()}
    return {measure.family, measure.metric.name} | read | weighted | of_columns


def _shown(condition: exp.Expr, measure: Measure) -> str:
    """Write a condition with the values of the measure's parameters as a person would."""
    shown = condition.copy()
    for column in list(shown.find_all(exp.Column)):
        if column.name in measure.values:
            column.replace(exp.var(written(measure.values[column.name])))
    return shown.sql(DIALECT)


# The check that refuses tables without a common query.
NO_COMMON_QUERY = "no_common_query"


def without_common_query(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    systems: Iterable[str],
    compares: bool = True,
) -> list[Finding]:
    """Return an error for each of these systems that shares no query with the truth.

    Args:
        compares: whether a system without any row is an error, too; if not, all of its queries are missing.
    """
    found: list[Finding] = []
    label = inputs.labels["predictions"]
    for system in systems if inputs.has_truth else ():
        rows = rows_of(inputs.unsliced["predictions"].subquery("predictions"), "system", system)
        labels = {**inputs.labels, "predictions": f"{label}, system {system}"}
        own = replace(inputs, queries={**inputs.queries, "predictions": rows}, rows=None, labels=labels)
        if engine.rows(rows.limit(1)):
            found += Examination(catalog, engine, own, measures).run(
                [catalog.checks[RANKING, NO_COMMON_QUERY]]
            )
        elif compares:
            error = InputError(labels["predictions"], "no rows", "check how it was exported")
            found.append(Finding("no_rows", ERROR, label, "", 1, (), str(error), error.advice))
    return found
