"""The macro that lists the problems of rankings, a row for each finding; others raise the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING, conditions_of
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks.bound_check import TOTAL
from duckmetrics.checks.examination import is_off, protected
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macro_queries.checks import in_the_shell
from duckmetrics.macro_queries.forms import CONSTANTS
from duckmetrics.macro_queries.macro import Argument, Macro, Overload, given, without_with
from duckmetrics.macro_queries.query import shown, tables_of_user, whole
from duckmetrics.macro_queries.shell_files import BY_RANK, by_rank, concatenated, query_of
from duckmetrics.macros.ranking import columns_of_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macro_queries.query import Steps

# CHECK is a reserved word.
NAME = "inspect"
TABLES = ("predictions", "truth")
SEVERITIES = ("error", "warning", "note")
SHOWN = ("severity", "check", "column", "finding", "count", "example", "advice")
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
    tables = (Argument(name, required=True) for name in TABLES)
    arguments = (*tables, Argument(CUTOFF, measure.values[CUTOFF]), *columns_of_tables(catalog))
    return Macro(NAME, (Overload(arguments, _query(catalog, values)),),
                 "What is wrong with predictions and truth, a row for each finding")  # fmt: skip


def _query(catalog: Catalog, values: Mapping[str, Value]) -> exp.Query:
    """Return one row for every check that finds something, the worst first."""
    composer = Composer(catalog, {}, CONSTANTS)
    steps: dict[str, exp.Query] = dict(tables_of_user(catalog))
    steps["population"] = exp.select("query_id").from_("truth")
    found: list[exp.Query] = []
    for definition in _definitions(catalog, values):
        told = _told(composer, definition, values)
        for check in _explained(catalog, definition):
            told = told.where(exp.Exists(this=_told(composer, check, values)))
        rest, own = without_with(composer.complete(told))
        steps |= {name: step for name, step in own if name not in steps}
        found.append(rest)
    said = {"population": literal("truth")}
    problems = _stacked(query_of(catalog, name, said) for name in ("no_rows", "mixed_ids"))
    placed = exp.select("problem", literal(0).as_("place")).from_(problems.subquery("found"))
    every: Steps = [
        *steps.items(), ("findings", _stacked(found)), ("problems", placed),
        ("checked", query_of(catalog, "checked", {})),
    ]  # fmt: skip
    opened = [(name, cast("exp.Query", given(step, {BY_RANK: by_rank()}))) for name, step in every]
    result = exp.select(*(exp.column(name, quoted=True).as_(name, quoted=True) for name in SHOWN))
    result = result.from_("findings").join("checked", join_type="cross").where(exp.column("fine"))
    return shown(whole(catalog, result.order_by("place", exp.column("check", quoted=True)), opened))


def _stacked(queries: Iterable[exp.Query]) -> exp.Query:
    whole_, *others = queries
    for query in others:
        whole_ = exp.union(whole_, query, distinct=False, copy=False)
    return whole_


def _definitions(catalog: Catalog, values: Mapping[str, Value]) -> Iterator[Definition]:
    """Yield the checks of rankings that can find something, and the inspections that explain them."""
    for definition in (*catalog.checks.values(), *catalog.inspections.values()):
        is_wanted = RANKING in protected(definition) or _explained(catalog, definition)
        if is_wanted and "population" not in definition.tables and not is_off(definition, values):
            yield definition


def _explained(catalog: Catalog, definition: Definition) -> list[Definition]:
    """Return the checks that an inspection explains; it runs only if one of them found something."""
    named = protected(definition)
    return [] if RANKING in named else [check for check in catalog.checks.values() if check.reported in named]


def _told(composer: Composer, definition: Definition, values: Mapping[str, Value]) -> exp.Select:
    """Write the findings of a check as one row, or no row if it found nothing."""
    header = definition.header
    offenders = composer.resolved(definition, values)
    parts: list[str | exp.Expr] = []
    for name in offenders.named_selects:
        if name not in ("system", TOTAL):
            value = exp.func("coalesce", exp.cast(exp.column(name), "VARCHAR"), literal("NULL"))
            parts += [f"{', ' if parts else ''}{name}=", value]
    count = exp.Count(this=exp.Star())
    columns: dict[str, exp.Expr] = {
        "severity": literal(header["severity"]), "check": literal(definition.reported),
        "column": literal(header["column"]), "finding": literal(definition.title), "count": count,
        "example": exp.Min(this=concatenated(*parts)), "advice": literal(in_the_shell(header["advice"])),
        "place": literal(SEVERITIES.index(header["severity"])),
    }  # fmt: skip
    query = exp.select(*(e.as_(name, quoted=True) for name, e in columns.items()))
    query = query.from_(offenders.subquery("offenders"))
    for condition in conditions_of(header):
        asked = composer.linked(exp.select("1").where(condition.copy()), values)
        query = query.where(asked.args["where"].this)
    return query.having(exp.GT(this=count.copy(), expression=literal(0)))
