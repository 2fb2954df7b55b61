"""Checks of the data before any number: one SQL file each, its rows are the offenders.

Checks that only filter one input are counted together in one scan of it; examples are looked up
only where something was found.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING, substituted
from duckmetrics.catalog.parameters import written
from duckmetrics.checks.bound_check import SEGMENT, BoundCheck
from duckmetrics.checks.copies import explained_copies
from duckmetrics.checks.counting import count_of, counted_together, counts_of
from duckmetrics.checks.given_tables import lacks_a_table, side_tables_of
from duckmetrics.checks.messages import finding_of
from duckmetrics.checks.notes import of_other_tools, unasked, unread_grades
from duckmetrics.checks.one_pass import counts_in_one_pass
from duckmetrics.compose.composer import Binding, Composer
from duckmetrics.compose.optimizer import CONTENDERS, TOP, plan_to, selects, unpruned
from duckmetrics.engines.engine import Feature, keep_readable
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import bind, is_false, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.ranking_inputs.side_tables import OF_COLUMNS
from duckmetrics.results.findings import ERROR, NOTE, Finding, refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs

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
            if names & protected(definition) and definition.reported not in self.names
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
                if measure.metric.name not in protected(definition) or METRIC not in definition.tables:
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
            subjects = protected(definition)
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


def protected(definition: Definition) -> set[str]:
    """Return the subjects of a check: families, relations and metrics, and checks that it explains."""
    return set(definition.header["for"].split(", "))


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
        query = exp.select(exp.Case().when(condition.copy(), literal(1)).else_(literal(0)))
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
