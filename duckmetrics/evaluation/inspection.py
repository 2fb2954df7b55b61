"""All checks and inspections of the data of one family, whatever they find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import CLASSIFICATION, MULTICLASS, RANKING
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks.examination import METRIC, Examination, without_common_query
from duckmetrics.checks.notes import unasked, unread_grades, unweighted, varying
from duckmetrics.checks.schema import EVERY, Admission
from duckmetrics.compose.composer import TRUTH, needed_by
from duckmetrics.engines.engine import keep_readable
from duckmetrics.engines.plans import has_relation
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.build import distinct, picked, row_count, rows_of
from duckmetrics.inference.ranking_summary import weighing
from duckmetrics.inference.row_summary import BINARY, slice_values
from duckmetrics.inputs.classes import PLACE
from duckmetrics.inputs.classification import WEIGHTED, classification_inputs
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.inputs.ranking import MEANINGS, SIDE_INPUTS, ranking_inputs, refuse_absent
from duckmetrics.inputs.request import Request
from duckmetrics.results.findings import ERROR, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.systems import Attach


@dataclass(frozen=True)
class Inspection:
    """Findings for the measures of one family, with the checks that ran and the number of rows.

    Attributes:
        checks: the names of the checks that ran.
        looked_at: the number of rows of each table, and of queries.
    """

    findings: tuple[Finding, ...]
    checks: frozenset[str] = frozenset()
    looked_at: Mapping[str, int] | None = None


def inspect_ranking(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> Inspection:
    """Check predictions and truth."""
    admission = Admission(request, attach, engine)
    inputs = admission.inputs(
        [RANKING], measures, lambda r, a: ranking_inputs(catalog, r, a, engine.extremes)
    )
    if inputs is None:
        return Inspection(tuple(admission.findings))
    examination = Examination(
        catalog, engine, inputs, measures, admission.doubtful, request.checked,
        [table for table in MEANINGS if table in inputs.queries],
    )  # fmt: skip
    found = [*admission.findings, *_examined(examination), *unread_grades(inputs), *unasked(inputs, RANKING)]
    if all(finding.severity != ERROR for finding in found):
        systems = [] if inputs.one_system else inputs.systems or _systems(engine, inputs)
        found += without_common_query(catalog, engine, inputs, measures, systems)
    found += _refused("absent_table", lambda: _refuse_absent(catalog, request, inputs, measures))
    found += _refused("varying_attribute", lambda: varying(engine, inputs))
    found += _refused("wrong_weight", lambda: _weigh(engine, inputs))
    return Inspection(tuple(found), frozenset(examination.names), _looked_at(examination))


def _weigh(engine: Engine, inputs: Inputs) -> None:
    """Refuse wrong weights of queries that have a judgment."""
    if inputs.weight is not None:
        judged = picked(inputs.queries["truth"].subquery("truth"), "query_id").distinct()
        weighing(engine, inputs, keep_readable(engine, "weighed", judged))


def _systems(engine: Engine, inputs: Inputs) -> list[str]:
    """Return the systems that a column names."""
    rows = picked(inputs.unsliced["predictions"].subquery("predictions"), "system").distinct()
    return sorted(system for (system,) in engine.rows(rows) if system is not None)


def inspect_classification(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> Inspection:
    """Check the rows of a classifier."""
    decided = list(measures)

    def read(request: Request, attach: Attach) -> Inputs:
        inputs, decided[:] = classification_inputs(request, measures, attach, partial(keep_readable, engine))
        return inputs

    admission = Admission(request, attach, engine)
    family = measures[0].family
    inputs = admission.inputs([family], measures, read)
    if inputs is None:
        return Inspection(tuple(admission.findings))
    examination = Examination(catalog, engine, inputs, decided, admission.doubtful, request.checked)
    found = [*admission.findings, *_examined(examination), *unweighted(inputs, decided)]
    found += unasked(inputs, family)
    if any(has_relation(catalog, m, BINARY) for m in decided) and all(f.severity != ERROR for f in found):
        examination.measures = _measures_of_checks(catalog, inputs)
        _, summary = slice_values(catalog, engine, inputs, examination.measures)
        found += examination.of_values(summary)
    return Inspection(tuple(found), frozenset(examination.names), _looked_at(examination))


Inspect = Callable[["Catalog", "Engine", Request, "Sequence[Measure]", "Attach"], Inspection]
INSPECT: dict[str, Inspect] = {
    RANKING: inspect_ranking,
    CLASSIFICATION: inspect_classification,
    MULTICLASS: inspect_classification,
}


def _examined(examination: Examination) -> list[Finding]:
    """Run all checks; a table that cannot be read to its end is also a finding."""
    catalog = examination.catalog
    try:
        found = examination.run([*catalog.checks.values(), *catalog.inspections.values()])
        return [*found, *examination.explained(found, notes=True)]
    except InputError as error:
        return [_refusal("unreadable", error)]
    except EngineError as error:
        if not error.unreadable:
            raise
        return [_refusal("unreadable", InputError("", error, "check it"))]


def _measures_of_checks(catalog: Catalog, inputs: Inputs) -> list[Measure]:
    """Return the metrics of rows whose values a check looks at."""
    names = {
        name for check in catalog.checks.values() if METRIC in check.tables
        for name in check.subjects if (CLASSIFICATION, name) in catalog.metrics
    }  # fmt: skip
    measures = (parse_measure(catalog, f"{CLASSIFICATION}.{name}") for name in sorted(names))
    return [measure.bound(**{WEIGHTED: inputs.weighted}) for measure in measures]


def _refuse_absent(catalog: Catalog, request: Request, inputs: Inputs, measures: Sequence[Measure]) -> None:
    """Refuse measures that read a table which was not given; without a catalogue, the history has the items.

    Raises:
        InputError: there is such a measure.
    """
    needed = needed_by(catalog, measures)
    known = {table for table, given in request.side_tables.items() if given is not None}
    if HISTORY in known:
        known.add(ITEMS)
    absent = {name: text for name, text in needed.items() if name in SIDE_INPUTS and name not in known}
    refuse_absent(inputs.queries, absent, inputs.labels, inputs.catalog_columns)


def _refused(check: str, refuse: Callable[[], None]) -> list[Finding]:
    """Return what a function refuses, as a finding."""
    try:
        refuse()
    except InputError as error:
        return [_refusal(check, error)]
    return []


def _refusal(check: str, error: InputError) -> Finding:
    return Finding(check, ERROR, "", "", 1, (), str(error), error.advice)


def _looked_at(examination: Examination) -> dict[str, int]:
    """Count the rows of the tables, and the queries of the population."""
    inputs = examination.inputs
    names = [name for name in ("predictions", "truth", *MEANINGS) if name in inputs.labels]
    names = [name for name in names if name in inputs.queries and (name != TRUTH or inputs.has_truth)]
    found: dict[str, int] = {}
    for name in names:
        if (name, EVERY) not in examination.doubtful:
            found[name] = examination.totals.get(name) or _count(examination, name)
    if TRUTH in found and not any(column == "query_id" for _, column in examination.doubtful):
        values = examination.measures[0].values
        queries = examination.composer.relation("queries", values)
        found["queries"] = _count(examination, queries, "query_id")
    return found


def _count(examination: Examination, step: str, column: str | None = None) -> int:
    """Count the rows of a step, or the distinct values of a column."""
    # Of several classes, each row has one class at place 1.
    is_of_classes = examination.measures[0].family == MULTICLASS
    rows = rows_of(step, PLACE, 1).subquery("rows") if is_of_classes else step
    query = row_count(rows, None if column is None else distinct(column))
    examination.composer.relation(step, {})
    return int(examination.engine.rows(examination.composer.complete(query))[0][0])
