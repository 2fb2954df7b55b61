"""Checks of a macro: the files under sql/checks as queries.

Every problem is a row of text; a macro that finds one raises it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, conditions_of, substituted
from duckmetrics.checks.counting import repeated
from duckmetrics.checks.examination import concerned, is_off, protected
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macro_queries.macro import without_with
from duckmetrics.macro_queries.shell_files import BY_RANK
from duckmetrics.macro_queries.template import joined
from duckmetrics.ranking_inputs.side_tables import table_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value

Only = Callable[["Sequence[Measure]"], "exp.Expr | None"]
INPUTS = ("predictions", "truth", "population")
# Stands for the row in the messages of the checks of a scan.
ROW = "{row}"
_SETTING = re.compile(r"\b(\w+)=(\w+)")
_KEYWORD = re.compile(r"\b(\w+)=(?!\w)")


def of_data(
    catalog: Catalog,
    measures: Sequence[Measure],
    steps: Mapping[str, exp.Query],
    constants: Mapping[str, Value],
    only: Only = lambda measures: None,
    absent: Collection[str] = (),
    further: Mapping[str, Value] | None = None,
) -> tuple[list[exp.Query], list[tuple[str, exp.Query]]]:
    """Return the checks of severity error that apply to the measures.

    Args:
        steps: those of the macro; a check shares them where they are the same.
        only: the condition under which some of the measures are asked for, None if they always are.
        absent: inputs that the macro does not read.
        further: parameters of checks that are none of the measures, such as how deep they look.
    Returns: the queries of the problems, and the steps that they need in addition to those of the macro.
    """
    composer = Composer(catalog, {}, constants, {BY_RANK: Parameter(BY_RANK)})
    filters: dict[str, list[tuple[exp.Expr, Mapping[str, str], Sequence[str]]]] = {}
    others: list[exp.Query] = []
    for header, offenders, concern in (
        *_offenders(catalog, composer, measures, further or {}),
        *_required(measures),
    ):
        condition = only(concern)
        table = _filtered(offenders)
        if table is not None:
            where = offenders.args["where"].this
            where = exp.and_(condition, where) if condition else where
            filters.setdefault(table, []).append((where, header, _shown(offenders)))
        else:
            query = _found(composer, header, offenders, told(header, offenders))
            others.append(query.where(condition) if condition else query)
    scans = [_scan(table, found) for table, found in filters.items() if table not in absent]
    return _shared(composer, [*scans, *others], steps)


def _filtered(offenders: exp.Query) -> str | None:
    """Return the input that a check only filters, None if it does more."""
    clauses = {name for name, value in offenders.args.items() if value}
    source = offenders.args.get("from_")
    if (
        clauses != {"expressions", "from_", "where"}
        or source is None
        or not isinstance(source.this, exp.Table)
    ):
        return None
    return source.this.name if source.this.name in INPUTS else None


def _offenders(
    catalog: Catalog, composer: Composer, measures: Sequence[Measure], further: Mapping[str, Value]
) -> Iterator[tuple[Mapping[str, str], exp.Query, list[Measure]]]:
    """Yield each check with its rows, and the measures that call for it."""
    for definition in catalog.checks.values():
        found: list[tuple[exp.Query, list[Measure]]] = []
        for measure in measures if definition.header["severity"] == "error" else ():
            values: dict[str, Value] = {
                **measure.values, "truth_lists": False, "sampled": "consistent", "counted": False,
                **composer.facts, **further,
            }  # fmt: skip
            read = {table_of(name) for name in measure.metric.further_inputs}
            named = (concerned(catalog, measure) | read) & protected(definition)
            if not named or is_off(definition, values):
                continue
            offenders = composer.resolved(definition, values)
            known = next((concern for query, concern in found if query == offenders), None)
            if known is None:
                found.append((offenders, [measure]))
            else:
                known.append(measure)
        for offenders, concern in found:
            yield {"title": definition.title, "when": "", **definition.header}, offenders, concern


def _required(measures: Sequence[Measure]) -> Iterator[tuple[Mapping[str, str], exp.Query, list[Measure]]]:
    """Yield the checks of the conditions that single metrics impose on the rows of an input."""
    for measure in measures:
        for table, condition in measure.metric.requires.items():
            columns = [c.name for c in condition.find_all(exp.Column) if c.name not in measure.values]
            bound = substituted(condition, measure.values)
            header = {
                "column": f"{table}.{columns[0]}", "advice": "correct them or change the parameter",
                "title": f"rows outside of what {measure.text} needs, {condition.sql(DIALECT)}", "when": "",
            }  # fmt: skip
            yield (
                header,
                exp.select("query_id", "item_id", *columns).from_(table).where(exp.not_(bound)),
                [measure],
            )


def in_the_shell(advice: str) -> str:
    """Write advice in the words of macros."""
    return _KEYWORD.sub(r"\1 := ...", _SETTING.sub(r"\1 := '\2'", advice))


def told(
    header: Mapping[str, str], offenders: exp.Query, left_out: Collection[str] = ("system",)
) -> exp.Expr:
    """Write the message of a check, with the row as an example, without the columns `left_out`."""
    begun, advice = _said(header)
    shown = _shown(offenders, left_out)
    return joined([begun, *_example(shown), f"; {advice}"]) if shown else literal(f"{begun}; {advice}")


def _said(header: Mapping[str, str]) -> tuple[str, str]:
    """Return what the message of a check says before and after the example."""
    return f"{header['column']}: {header['title']}", in_the_shell(header["advice"])


def _shown(offenders: exp.Query, left_out: Collection[str] = ("system",)) -> list[str]:
    """Return the columns of the example of a check."""
    selects = offenders.expressions if isinstance(offenders, exp.Select) else []
    return [p.alias_or_name for p in selects if p.alias_or_name not in left_out]


def _example(shown: Sequence[str]) -> Iterator[str | exp.Expr]:
    """Yield the parts of the text of a row."""
    for i, name in enumerate(shown):
        yield f"{', ' if i else ' ('}{name}="
        yield exp.func("coalesce", exp.cast(exp.column(name), "VARCHAR"), literal("NULL"))
    yield ")"


def _scan(table: str, found: Sequence[tuple[exp.Expr, Mapping[str, str], Sequence[str]]]) -> exp.Select:
    """Return one scan of an input for all checks that only filter it (plan rule).

    The text of the row is there once: DuckDB binds the text of every check in each call.
    """
    text = exp.Case()
    for condition, header, _ in found:
        text = text.when(condition.copy(), literal(ROW.join(_said(header))), copy=False)
    shown = dict.fromkeys(name for _, _, names in found for name in names)
    row = joined([*_example([*shown]), "; "])
    problem = exp.Anonymous(this="replace", expressions=[text, literal(ROW), row])
    conditions = exp.or_(*(exp.paren(condition.copy()) for condition, _, _ in found))
    return exp.select(problem.as_("problem")).from_(table).where(conditions)


def _found(composer: Composer, header: Mapping[str, str], offenders: exp.Query, text: exp.Expr) -> exp.Select:
    if isinstance(offenders, exp.Select) and offenders.args.get("having"):
        some = exp.GT(this=repeated(offenders, composer.constants).subquery(), expression=literal(0))
        offenders = offenders.where(some)
    query = exp.select(text.as_("problem")).from_(offenders.subquery("offenders"))
    for condition in conditions_of(header):
        asked = composer.linked(exp.select("1").where(condition.copy()), {})
        query = query.where(asked.args["where"].this)
    return query


def _shared(
    composer: Composer, queries: Sequence[exp.Query], steps: Mapping[str, exp.Query]
) -> tuple[list[exp.Query], list[tuple[str, exp.Query]]]:
    """Point the checks at steps that the macro already has; the other steps get names of their own."""
    needed: dict[str, exp.Query] = {}
    written: list[exp.Query] = []
    for query in queries:
        rest, own = without_with(composer.complete(query))
        needed |= dict(own)
        written.append(rest)
    names = {n: n for n, step in needed.items() if n in steps and steps[n] == step}
    names |= {n: f"check_{n}" for n in needed if n not in names}
    for tree in (*written, *needed.values()):
        for table in tree.find_all(exp.Table):
            if table.name in names and names[table.name] != table.name:
                alias = table.alias or table.name
                table.replace(exp.to_table(names[table.name]).as_(alias, table=True))
    return written, [(names[n], step) for n, step in needed.items() if names[n] != n]
