"""The macros that list the problems of data, a row for each finding; others raise the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks.examination import is_off, protected
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macros.findings import SYSTEM, FindingRows, column_names, of_findings, with_examples
from duckmetrics.macros.lenient import IDS, column_or_null, lenient, with_common_ids, with_system
from duckmetrics.macros.macro import FUNCTIONS, QUERY, Argument, Choice, Macro, Overload, given, reference
from duckmetrics.macros.query import SOURCE
from duckmetrics.macros.ranking import columns_of_tables
from duckmetrics.macros.shell_files import BY_RANK, by_rank, concatenated, is_null, query_of, source
from duckmetrics.macros.usual import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macros.query import Steps

# CHECK is a reserved word.
NAME = "inspect"
READERS = {"predictions": "read_trec_run", "truth": "read_trec_qrels"}
# The columns that hold a number, by the first name that is looked for.
ORDERED = {"score": ("score", "rank"), "relevance": ("relevance", "label")}
# Values that a check reads in addition to the parameters of a metric; here, every check is wanted.
WANTED: dict[str, Value] = {
    "truth_lists": False, "sampled": "inconsistent", "text_queries": True, "text_items": True,
}  # fmt: skip


def inspect_macro(catalog: Catalog, metric: str | None = None) -> Macro:
    """Return the macro of the checks and inspections of rankings over two tables.

    Args:
        metric: its parameters are those of the checks, its cut-off is the default.
    """
    measure = parse_measure(catalog, metric or catalog.usual(RANKING), meant=lambda: RANKING)
    values = {**measure.values, **WANTED, CUTOFF: Parameter(CUTOFF), BY_RANK: Parameter(BY_RANK)}
    tables = (Argument(name, required=True) for name in READERS)
    known = [argument for argument in columns_of_tables(catalog) if argument.name != SYSTEM]
    arguments = (*tables, Argument(CUTOFF, measure.values[CUTOFF]), *known, Argument(SYSTEM))
    one, several = (_query(catalog, values, has_systems=has) for has in (False, True))
    body = Choice(((is_null(reference(SYSTEM)), one), (exp.true(), several)), {})
    return Macro(NAME, (Overload(arguments, body),),
                 "What is wrong with predictions and truth, a row for each finding")  # fmt: skip


def _query(catalog: Catalog, values: Mapping[str, Value], has_systems: bool) -> exp.Query:
    """Return one row for every check that finds something, the worst first."""
    labels = _labels()
    composer = Composer(catalog, {}, {} if has_systems else CONSTANTS)
    rows = FindingRows(catalog, composer, labels)
    for definition in _definitions(catalog, values):
        explained = [(check, values) for check in _explained(catalog, definition)]
        rows.add(definition, values, explained=explained)
    every: Steps = [
        *_tables(catalog, has_systems), ("population", exp.select("query_id").from_("truth")), *rows.rows(),
        *with_examples(catalog, "type_problems", {}, labels, _examples(catalog, labels)),
        ("column_names", column_names(labels)),
    ]  # fmt: skip
    known = {BY_RANK: by_rank(), CUTOFF: _cutoff()}
    opened = [(name, cast("exp.Query", given(step, known))) for name, step in every]
    return of_findings(catalog, opened)


def _cutoff() -> exp.Expr:
    """Write the cut-off as a number, refused if it is none."""
    number: exp.Expr = exp.TryCast(this=reference(CUTOFF), to=exp.DataType.build("INT"))
    is_fine = exp.or_(is_null(reference(CUTOFF)), exp.GT(this=number, expression=literal(0)))
    text = concatenated("duckmetrics: k cannot be '", exp.cast(reference(CUTOFF), "VARCHAR"),
                        "'; it must be a positive whole number")  # fmt: skip
    return exp.Case().when(is_fine, number.copy()).else_(exp.Anonymous(this="error", expressions=[text]))


def _tables(catalog: Catalog, has_systems: bool) -> Iterator[tuple[str, exp.Query]]:
    """Yield the steps that read the predictions and the truth, whatever the types of their columns."""
    read = {name: source(catalog, reference(name), reader) for name, reader in READERS.items()}
    seen = {name: query_of(catalog, name, {SOURCE: text}) for name, text in read.items()}
    if has_systems:
        seen["predictions"] = with_system(seen["predictions"])
    for name, query in seen.items():
        yield f"seen_{name}", lenient(query)
    for name in seen:
        others = [other for other in seen if other != name]
        yield name, with_common_ids(seen[name], f"seen_{name}", *(f"seen_{other}" for other in others))
    yield BY_RANK, query_of(catalog, BY_RANK, {SOURCE: read["predictions"]})
    yield "predicted_types", query_of(catalog, "predicted_types", {SOURCE: read["predictions"]})
    yield "judged_types", query_of(catalog, "judged_types", {SOURCE: read["truth"]})


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


def _labels() -> dict[str, exp.Expr]:
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
        if (RANKING in protected(definition) or _explained(catalog, definition))
        and "population" not in definition.tables and not is_off(definition, values)
    ]  # fmt: skip
    return sorted(found, key=lambda definition: RANKING not in protected(definition))


def _explained(catalog: Catalog, definition: Definition) -> list[Definition]:
    """Return the checks that an inspection explains; it runs only if one of them found something."""
    named = protected(definition)
    return [] if RANKING in named else [check for check in catalog.checks.values() if check.reported in named]
