"""The macros that list the problems of data, a row for each finding; others raise the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks.examination import METRIC, concerned, is_off
from duckmetrics.checks.notes import UNUSED, UNWEIGHTED
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.plans import GROUPED, PLAN, SORTED, has_relation
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inference.row_summary import BINARY, per_slice
from duckmetrics.inputs.classification import GROUP, OVERALL, WEIGHTED
from duckmetrics.inputs.columns import PLURALS, WEIGHT
from duckmetrics.inputs.ranking_tables import GRADES
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.results.findings import ERROR, NOTE, WARNING
from duckmetrics.shell.findings import (
    IDS,
    NULL_SLICES,
    SYSTEM,
    FindingRows,
    column_names,
    column_or_null,
    lenient,
    null_slices,
    of_findings,
    prefixed,
    with_common_ids,
    with_examples,
    with_system,
)
from duckmetrics.shell.macro import (
    BY_RANK,
    FUNCTIONS,
    ORDER,
    QUERY,
    Argument,
    Macro,
    Overload,
    Written,
    by_rank,
    call,
    concatenated,
    given,
    is_null,
    query_of,
    reference,
    source,
)
from duckmetrics.shell.parameters import Offer, aliases_of, unknown_metric
from duckmetrics.shell.query import METRICS, NAMES_RUNS, SOURCE, asks_for, refusing
from duckmetrics.shell.ranking_call import QUERIES
from duckmetrics.shell.ranking_macros import SLICES, columns_of_tables
from duckmetrics.shell.row_body import UNNAMED
from duckmetrics.shell.template import one_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.plans import Plan
    from duckmetrics.expressions.folding import Value
    from duckmetrics.shell.parameters import OfferedMetric
    from duckmetrics.shell.query import Steps


# CHECK is a reserved word.
NAME = "inspect"
READERS = {"predictions": "read_trec_run", "truth": "read_trec_qrels"}
# The columns that hold a number, by the first name that is looked for.
ORDERED = {"score": ("score", "rank"), "relevance": ("relevance", "label")}
# Values that a check reads in addition to the parameters of a metric; here, every check is wanted.
WANTED: dict[str, Value] = {
    "truth_lists": False, "sampled": "inconsistent", "text_queries": True, "text_items": True,
}  # fmt: skip

# The steps with the types of the columns of the tables.
TYPES = {"predictions": "predicted_types", "truth": "judged_types"}
ROWS_NAME = "inspect_classification"
DATA, TABLE = "data", "predictions"
OF_ROWS: dict[str, Value] = {"system": ONE_SYSTEM, "segment": OVERALL}
COLUMNS = ("label", "score", WEIGHT, GROUP)
# Marks in the text of the query; the columns or expressions of the user replace them.
MARKS = {name: f"__{name}" for name in COLUMNS}


def inspect_macro(catalog: Catalog) -> Macro:
    """Return the macro of the checks and inspections of rankings over two tables.

    The parameters of the usual metric are those of the checks, and its cut-off is the default.
    """
    measure = parse_measure(catalog, catalog.usual(RANKING), meant=lambda: RANKING)
    values = {**measure.values, **WANTED, CUTOFF: Parameter(CUTOFF), BY_RANK: Parameter(BY_RANK)}
    tables = (Argument(name, required=True) for name in READERS)
    known = [argument for argument in columns_of_tables(catalog) if argument.name != SYSTEM]
    arguments = (
        *tables, Argument(CUTOFF, measure.values[CUTOFF]), *known, Argument(SYSTEM),
        *(argument for argument in SLICES if argument.name != SYSTEM),
    )  # fmt: skip
    one, several = (_query(catalog, values, has_systems=has) for has in (False, True))
    cases = (is_null(reference(SYSTEM)), one), (exp.true(), several)

    def write() -> exp.Query:
        texts = {NULL_SLICES: null_slices(catalog, arguments)}
        return one_of(arguments, lambda: cases, texts).write()

    return Macro(NAME, (Overload(arguments, Written(write)),),
                 "What is wrong with predictions and truth, a row for each finding")  # fmt: skip


def _query(catalog: Catalog, values: Mapping[str, Value], has_systems: bool) -> exp.Query:
    """Return one row for every check that finds something, the worst first."""
    labels = {**labels_of_rankings(), QUERIES: call(catalog, "table_label", reference(QUERIES))}
    composer = Composer(catalog, {}, {} if has_systems else {"system": ONE_SYSTEM})
    rows = FindingRows(catalog, composer, labels)
    for definition in _definitions(catalog, values):
        explained = [(check, values) for check in _explained(catalog, definition)]
        rows.add(definition, values, explained=explained)
    every: Steps = [
        *_tables(catalog, has_systems), ("population", exp.select("query_id").from_("truth")), *rows.rows(),
        *with_examples(
            catalog, "type_problems", {}, labels, _examples(catalog, labels),
            [exp.select("*").from_(NULL_SLICES),
             query_of(catalog, "unread_grade", {"names": literal(GRADES)}),
             *(_unasked(catalog, name, RANKING, step) for name, step in TYPES.items())],
        ),
        ("column_names", column_names(labels)),
    ]  # fmt: skip
    known = {BY_RANK: by_rank(catalog), CUTOFF: _cutoff()}
    opened = [(name, cast("exp.Query", given(step, known))) for name, step in every]
    return of_findings(catalog, opened)


def _unasked(catalog: Catalog, table: str, family: str, step: str) -> exp.Query:
    """Return the note about a column of weights that a table has, and that nothing uses.

    Args:
        step: the step with the types of the columns of the table.
    """
    unused = {"severity": NOTE, "what": f"is not used by {PLURALS[family]}", "advice": UNUSED}
    said = {name: literal(text) for name, text in unused.items()}
    if family == CLASSIFICATION:
        said = {"severity": literal(ERROR), **UNNAMED}
    said |= {"of_table": literal(table), "family": literal(family)}
    query = query_of(catalog, "unasked_weight", said)
    for read in query.find_all(exp.Table):
        read.set("this", exp.to_identifier(step))
    return query


def _cutoff() -> exp.Expr:
    """Write the cut-off as a number; anything else is refused."""
    number: exp.Expr = try_cast(reference(CUTOFF), "INT")
    is_fine = exp.or_(is_null(reference(CUTOFF)), exp.GT(this=number, expression=literal(0)))
    text = concatenated("duckmetrics: k cannot be '", exp.cast(reference(CUTOFF), "VARCHAR"),
                        "'; it must be a positive whole number")  # fmt: skip
    return exp.Case().when(is_fine, number.copy()).else_(exp.Anonymous(this="error", expressions=[text]))


def _tables(catalog: Catalog, has_systems: bool) -> Iterator[tuple[str, exp.Query]]:
    """Yield the steps that read the predictions and the truth, whatever the types of their columns."""
    read = {name: source(catalog, reference(name), reader) for name, reader in READERS.items()}
    plain = {NAMES_RUNS: exp.false()}
    seen = {name: query_of(catalog, name, {SOURCE: text, **plain}) for name, text in read.items()}
    if has_systems:
        seen["predictions"] = with_system(seen["predictions"])
    for name, query in seen.items():
        yield f"seen_{name}", lenient(query)
    for name in seen:
        others = [other for other in seen if other != name]
        yield name, with_common_ids(seen[name], f"seen_{name}", *(f"seen_{other}" for other in others))
    yield ORDER, query_of(catalog, ORDER, {SOURCE: read["predictions"]})
    yield from ((step, query_of(catalog, step, {SOURCE: read[name]})) for name, step in TYPES.items())


def _examples(catalog: Catalog, labels: Mapping[str, exp.Expr]) -> dict[str, exp.Query]:
    """Return the values of every column that may have a wrong type."""
    found: dict[str, exp.Query] = {}
    for column in labels:
        table, _, name = column.partition(".")
        if name in IDS:
            names: list[exp.Expr] = [reference(name)]
        elif name in ORDERED:
            asked = [reference(other) for other in ORDERED[name] if other != "label"]
            names = [exp.func("coalesce", *asked, literal(usual)) for usual in ORDERED[name]]
        else:
            continue
        found[column] = _values(source(catalog, reference(table), READERS[table]), names)
    return found


def _values(read: exp.Expr, names: Sequence[exp.Expr]) -> exp.Select:
    """Return the values of the first of some columns that is there."""
    table = exp.Table(this=exp.Anonymous(this=QUERY, expressions=[read]))
    none = exp.null().as_("_duckmetrics_none", quoted=True)
    rows = exp.select(exp.Star(), none).from_(table)
    columns = [column_or_null(name).as_(f"v{i}") for i, name in enumerate(names)]
    found = exp.func("coalesce", *(exp.column(f"v{i}") for i in range(len(names))))
    return exp.select(found.as_("v")).from_(
        exp.select(*columns).from_(rows.subquery("rows")).subquery("named")
    )


def labels_of_rankings() -> dict[str, exp.Expr]:
    """Return the user's names of the tables and columns."""
    ids = {f"{table}.{name}": reference(name) for table in READERS for name in ("query_id", "item_id")}
    tables = {
        name: exp.Anonymous(this=f"{FUNCTIONS}table_label", expressions=[reference(name)]) for name in READERS
    }
    return {
        **tables, **ids, "predictions.score": _one("order_name", "predicted_types"),
        "predictions.run": _one("run_name", "predicted_types"), "predictions.system": reference(SYSTEM),
        "truth.relevance": _one("grade_name", "judged_types"),
    }  # fmt: skip


def _one(column: str, step: str) -> exp.Expr:
    return exp.select(column).from_(step).subquery()


def _definitions(catalog: Catalog, values: Mapping[str, Value]) -> list[Definition]:
    """Return the checks of rankings that can find something, then the inspections that explain them."""
    found = [
        definition for definition in (*catalog.checks.values(), *catalog.inspections.values())
        if (RANKING in definition.subjects or _explained(catalog, definition))
        and "population" not in definition.tables and not is_off(definition, values)
    ]  # fmt: skip
    return sorted(found, key=lambda definition: RANKING not in definition.subjects)


def _explained(catalog: Catalog, definition: Definition) -> list[Definition]:
    """Return the checks that an inspection explains; it runs only if one of them found something."""
    named = definition.subjects
    return [] if RANKING in named else [check for check in catalog.checks.values() if check.reported in named]


def inspect_rows_macro(catalog: Catalog) -> Macro:
    """Return the macro of the checks and inspections of rows with a label and a score.

    Its columns are names, with quotes or without, or texts of expressions.
    """
    usual = Argument(METRICS, catalog.usual(CLASSIFICATION))
    data = (Argument(name, required=True) for name in (DATA, "label", "score"))
    arguments = (*data, usual, Argument(WEIGHT), Argument(GROUP))
    names = [name for family, name in catalog.names if family == CLASSIFICATION]
    problem = unknown_metric(catalog, reference(METRICS), names)
    refused = refusing(problem, catalog.shell["findings"].query.named_selects)
    plain, weighted = (_InspectedRows(catalog, is_weighted).query() for is_weighted in (False, True))
    cases = (exp.not_(is_null(problem)), refused), (is_null(reference(WEIGHT)), plain), (exp.true(), weighted)
    texts = {mark: call(catalog, "column_of", reference(name)) for name, mark in MARKS.items()}
    return Macro(ROWS_NAME, (Overload(arguments, one_of(arguments, lambda: cases, texts)),),
                 "What is wrong with rows of a label and a score, a row for each finding")  # fmt: skip


class _InspectedRows:
    """The query of the findings about rows, with weights or without."""

    def __init__(self, catalog: Catalog, is_weighted: bool) -> None:
        self.catalog = catalog
        self.is_weighted = is_weighted
        self.asked = Offer(catalog, aliases_of(catalog, CLASSIFICATION, ()), {WEIGHTED: is_weighted}).asked
        self.labels = {
            TABLE: call(catalog, "table_label", reference(DATA)),
            **{f"{TABLE}.{name}": exp.func("coalesce", reference(name), literal(name)) for name in COLUMNS},
        }
        self.rows = FindingRows(catalog, Composer(catalog, {}, OF_ROWS), self.labels)

    def query(self) -> exp.Query:
        """Return one row for every check that finds something, the worst first."""
        for definition in (*self.catalog.checks.values(), *self.catalog.inspections.values()):
            for one, values in self._bindings(definition):
                self.rows.add(definition, values, self._is_asked(one))
        columns = {f"{TABLE}.{c}": exp.select(exp.column(c).as_("v")).from_("given") for c in COLUMNS}
        grouped = [one for one in self.asked if GROUP in one.measure.metric.inputs[TABLE]]
        problems = with_examples(
            self.catalog, "row_type_problems", {"is_grouped": self._is_asked(grouped) or exp.true()},
            self.labels, columns, [*self._unweighted(), *self._unasked()],
        )  # fmt: skip
        steps: Steps = [
            ("given", self._given()), ("row_types", self._types()),
            (TABLE, self._predictions()), *self._metric(), *self.rows.rows(),
            *problems, ("column_names", column_names(self.labels)),
        ]  # fmt: skip
        return of_findings(self.catalog, [(name, cast("exp.Query", given(step, {}))) for name, step in steps])

    def _bindings(self, definition: Definition) -> Iterator[tuple[list[OfferedMetric], dict[str, Value]]]:
        """Yield the metrics that call for a check, together if its parameters are the same to them.

        A check of values looks at those of its own metric, whatever is asked for that needs classes.
        """
        is_of_value = METRIC in definition.tables
        if is_of_value and not self._metrics_of(definition):
            return
        found: dict[tuple[tuple[str, Value], ...], list[OfferedMetric]] = {}
        for one in self.asked:
            values = _settled(one.measure)
            called = (
                has_relation(self.catalog, one.measure, BINARY) if is_of_value
                else concerned(self.catalog, one.measure) & definition.subjects
            )  # fmt: skip
            if called and not is_off(definition, values):
                used = self.catalog.placeholders(definition)
                key = tuple(sorted((name, value) for name, value in values.items() if name in used))
                found.setdefault(key, []).append(one)
        for key, asked in found.items():
            yield asked, dict(key)

    def _metrics_of(self, definition: Definition) -> set[str]:
        """Return the metrics of rows that a check protects."""
        return {name for name in definition.subjects if (CLASSIFICATION, name) in self.catalog.metrics}

    def _is_asked(self, asked: list[OfferedMetric]) -> exp.Expr | None:
        """Return the condition that one of some metrics is asked for; None if all are meant."""
        if len(asked) == len(self.asked):
            return None
        return asks_for(self.catalog, reference(METRICS), [name for one in asked for name in one.names])

    def _given(self) -> exp.Query:
        """Read the columns of the user; the marks stand for them."""
        read = source(self.catalog, reference(DATA))
        none = exp.null().as_("_duckmetrics_none", quoted=True)
        rows = exp.select(exp.Star(), none).from_(
            exp.Table(this=exp.Anonymous(this=QUERY, expressions=[read]))
        )
        marked = (exp.var(mark).as_(name) for name, mark in MARKS.items())
        return exp.select(*marked).from_(rows.subquery("rows"))

    def _types(self) -> exp.Query:
        """Return the types of the columns."""
        marks: dict[str, exp.Expr] = {name: exp.var(mark) for name, mark in MARKS.items()}
        return query_of(self.catalog, "row_types", {**marks, SOURCE: source(self.catalog, reference(DATA))})

    def _predictions(self) -> exp.Query:
        """Return the rows as the checks read them."""
        columns = {name: exp.column(name) for name in COLUMNS}
        query = query_of(
            self.catalog, "observations", {**columns, "per": literal(OVERALL), SOURCE: literal(""), **UNNAMED}
        )
        query.set("where", None)  # no argument lacks its name
        query = lenient(query)
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

    def _unasked(self) -> Iterator[exp.Query]:
        """Yield the note about a column of weights that no argument names."""
        if not self.is_weighted:
            yield _unasked(self.catalog, TABLE, CLASSIFICATION, "row_types")

    def _metric(self) -> Steps:
        """Return the steps that compute the metrics of rows whose values a check looks at."""
        composer = Composer(self.catalog, {}, OF_ROWS)
        checks = [check for check in self.catalog.checks.values() if METRIC in check.tables]
        (name,) = set().union(*map(self._metrics_of, checks))
        measure = parse_measure(self.catalog, f"{CLASSIFICATION}.{name}").bound(
            **{WEIGHTED: self.is_weighted}
        )
        plan: dict[str, Plan] = {measure.text: {PLAN: GROUPED if self.is_weighted else SORTED}}
        steps = prefixed(per_slice(composer, [measure], plan), "per_slice")
        suffix = f"_{WEIGHTED}" if self.is_weighted else ""
        counts = (exp.column(f"{name}{suffix}").as_(name) for name in ("n", "n_positive"))
        value = exp.select(literal(ONE_SYSTEM).as_("system"), exp.column("value_0").as_("value"), *counts)
        return [*steps, (METRIC, value.from_("per_slice"))]


def _settled(measure: Measure) -> dict[str, Value]:
    """Return the values of the parameters, those of the call with their defaults."""
    defaults = {param.name: param.default for param in measure.declared}
    return {n: defaults[n] if isinstance(v, Parameter) else v for n, v in measure.values.items()}
