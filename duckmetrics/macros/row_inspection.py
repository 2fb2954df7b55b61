"""The macro that lists the problems of rows with a label and a score, a row for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks.examination import METRIC, concerned, is_off, protected
from duckmetrics.checks.notes import UNWEIGHTED
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inputs.classification import GROUP, OVERALL, WEIGHT, WEIGHTED
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.macros.findings import FindingRows, column_names, of_findings, with_examples
from duckmetrics.macros.lenient import lenient
from duckmetrics.macros.macro import (
    QUERY,
    Argument,
    Choice,
    Macro,
    Overload,
    given,
    reference,
    without_with,
)
from duckmetrics.macros.parameters import Offer, aliases_of
from duckmetrics.macros.query import METRICS, SOURCE
from duckmetrics.macros.shell_files import call, concatenated, is_null, query_of, source
from duckmetrics.results.findings import WARNING
from duckmetrics.summaries.classification import BINARY, per_slice
from duckmetrics.summaries.plans import GROUPED, PLAN, SORTED, has_relation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macros.parameters import Asked
    from duckmetrics.macros.query import Steps
    from duckmetrics.summaries.plans import Plan

NAME = "inspect_classification"
DATA, TABLE = "data", "predictions"
CONSTANTS: dict[str, Value] = {"system": ONE_SYSTEM, "segment": OVERALL}
COLUMNS = ("label", "score", WEIGHT, GROUP)
# Marks in the text of the query; the columns or expressions of the user replace them.
MARKS = {name: f"__{name}" for name in COLUMNS}


def inspect_rows_macro(catalog: Catalog) -> Macro:
    """Return the macro of the checks and inspections of rows with a label and a score.

    Its columns are names, with quotes or without, or texts of expressions.
    """
    usual = Argument(METRICS, catalog.usual(CLASSIFICATION))
    data = (Argument(name, required=True) for name in (DATA, "label", "score"))
    arguments = (*data, usual, Argument(WEIGHT), Argument(GROUP))
    names = "|".join(name for family, name in catalog.names if family == CLASSIFICATION)
    problem = call(catalog, "unknown_metric", reference(METRICS), literal(names))
    raised = exp.Anonymous(this="error", expressions=[concatenated("duckmetrics: ", problem.copy())])
    refused = exp.select(raised.as_("refused"))
    plain, weighted = (_Rows(catalog, is_weighted).query() for is_weighted in (False, True))
    cases = (exp.not_(is_null(problem)), refused), (is_null(reference(WEIGHT)), plain), (exp.true(), weighted)
    texts = {mark: call(catalog, "column_of", reference(name)) for name, mark in MARKS.items()}
    return Macro(NAME, (Overload(arguments, Choice(cases, texts)),),
                 "What is wrong with rows of a label and a score, a row for each finding")  # fmt: skip


class _Rows:
    """The query of the findings about rows, with weights or without."""

    def __init__(self, catalog: Catalog, is_weighted: bool) -> None:
        self.catalog = catalog
        self.is_weighted = is_weighted
        self.asked = Offer(catalog, aliases_of(catalog, CLASSIFICATION, ()), {WEIGHTED: is_weighted}).asked
        self.labels = {
            TABLE: call(catalog, "table_label", reference(DATA)),
            **{f"{TABLE}.{name}": exp.func("coalesce", reference(name), literal(name)) for name in COLUMNS},
        }
        self.rows = FindingRows(catalog, Composer(catalog, {}, CONSTANTS), self.labels)

    def query(self) -> exp.Query:
        """Return one row for every check that finds something, the worst first."""
        for definition in (*self.catalog.checks.values(), *self.catalog.inspections.values()):
            for one, values in self._bindings(definition):
                self.rows.add(definition, values, self._is_asked(one))
        columns = {f"{TABLE}.{c}": exp.select(exp.column(c).as_("v")).from_("given") for c in COLUMNS}
        grouped = [one for one in self.asked if GROUP in one.measure.metric.inputs[TABLE]]
        problems = with_examples(
            self.catalog, "row_type_problems", {"is_grouped": self._is_asked(grouped) or exp.true()},
            self.labels, columns, [*self._unweighted()],
        )  # fmt: skip
        steps: Steps = [
            ("given", self._given()), ("row_types", query_of(self.catalog, "row_types", {})),
            (TABLE, self._predictions()), *self._metric(), *self.rows.rows(),
            *problems, ("column_names", column_names(self.labels)),
        ]  # fmt: skip
        return of_findings(self.catalog, [(name, cast("exp.Query", given(step, {}))) for name, step in steps])

    def _bindings(self, definition: Definition) -> Iterator[tuple[list[Asked], dict[str, Value]]]:
        """Yield the metrics that call for a check, together if its parameters are the same to them.

        A check of values looks at those of its own metric, whatever is asked for that needs classes.
        """
        is_of_value = METRIC in definition.tables
        if is_of_value and not self._metrics_of(definition):
            return
        found: dict[tuple[tuple[str, Value], ...], list[Asked]] = {}
        for one in self.asked:
            values = _settled(one.measure)
            called = (
                has_relation(self.catalog, one.measure, BINARY) if is_of_value
                else concerned(self.catalog, one.measure) & protected(definition)
            )  # fmt: skip
            if called and not is_off(definition, values):
                used = self.catalog.placeholders(definition)
                key = tuple(sorted((name, value) for name, value in values.items() if name in used))
                found.setdefault(key, []).append(one)
        for key, asked in found.items():
            yield asked, dict(key)

    def _metrics_of(self, definition: Definition) -> set[str]:
        """Return the metrics of rows that a check protects."""
        return {name for name in protected(definition) if (CLASSIFICATION, name) in self.catalog.metrics}

    def _is_asked(self, asked: list[Asked]) -> exp.Expr | None:
        """Return the condition that one of some metrics is asked for; None if all are meant."""
        if len(asked) == len(self.asked):
            return None
        names = literal("|".join(name for one in asked for name in one.names))
        return call(self.catalog, "asks_for", reference(METRICS), names)

    def _given(self) -> exp.Query:
        """Read the columns of the user; the marks stand for them."""
        read = source(self.catalog, reference(DATA))
        none = exp.null().as_("_duckmetrics_none", quoted=True)
        rows = exp.select(exp.Star(), none).from_(
            exp.Table(this=exp.Anonymous(this=QUERY, expressions=[read]))
        )
        found = query_of(self.catalog, "columns_of_row", {}).selects[0].unalias()
        marked = (exp.var(mark).as_(name) for name, mark in MARKS.items())
        return exp.select(*marked, found.as_("found")).from_(rows.subquery("rows"))

    def _predictions(self) -> exp.Query:
        """Return the rows as the checks read them."""
        columns = {name: exp.column(name) for name in COLUMNS}
        guarded = {"by_name": literal("by name"), "per": literal(OVERALL), SOURCE: literal("")}
        query = lenient(query_of(self.catalog, "observations", {**columns, **guarded}))
        query.args["from_"].this.replace(exp.to_table("given"))
        return query

    def _unweighted(self) -> Iterator[exp.Select]:
        """Yield the warnings about metrics that are asked for and have no weighted form."""
        for place, one in enumerate(self.asked if self.is_weighted else ()):
            if any(p.name == WEIGHTED and p.default is False for p in one.measure.declared):
                text = f"': {one.measure.text} has no weighted form and counts every row as 1"
                what = concatenated("column '", self.labels[f"{TABLE}.{WEIGHT}"].copy(), text)
                columns = {
                    "severity": literal(WARNING), "place": literal(place), "reported": literal("unweighted"),
                    "of_table": literal(TABLE), "of_column": self.labels[f"{TABLE}.{WEIGHT}"].copy(),
                    "what": what, "advice": literal(UNWEIGHTED), "doubt": exp.null(), "n": literal(0),
                    "examples": exp.Array(expressions=[]),
                }  # fmt: skip
                query = exp.select(*(value.as_(name) for name, value in columns.items()))
                yield query.where(self._is_asked([one]))

    def _metric(self) -> Steps:
        """Return the steps that compute the metrics of rows whose values a check looks at."""
        composer = Composer(self.catalog, {}, CONSTANTS)
        checks = [check for check in self.catalog.checks.values() if METRIC in check.tables]
        (name,) = set().union(*map(self._metrics_of, checks))
        measure = parse_measure(self.catalog, f"{CLASSIFICATION}.{name}").bound(
            **{WEIGHTED: self.is_weighted}
        )
        plan: dict[str, Plan] = {measure.text: {PLAN: GROUPED if self.is_weighted else SORTED}}
        outer, steps = without_with(per_slice(composer, [measure], plan))
        renamed = {name: f"value_{name}" for name, _ in steps}
        for tree in (outer, *(step for _, step in steps)):
            for table in tree.find_all(exp.Table):
                if table.name in renamed:
                    table.replace(exp.to_table(renamed[table.name]).as_(table.alias_or_name, table=True))
        suffix = f"_{WEIGHTED}" if self.is_weighted else ""
        counts = (exp.column(f"{name}{suffix}").as_(name) for name in ("n", "n_positive"))
        value = exp.select(literal(ONE_SYSTEM).as_("system"), exp.column("value_0").as_("value"), *counts)
        return [*((renamed[name], step) for name, step in steps), ("per_slice", outer),
                (METRIC, value.from_("per_slice"))]  # fmt: skip


def _settled(measure: Measure) -> dict[str, Value]:
    """Return the values of the parameters, those of the call with their defaults."""
    defaults = {param.name: param.default for param in measure.declared}
    return {n: defaults[n] if isinstance(v, Parameter) else v for n, v in measure.values.items()}
