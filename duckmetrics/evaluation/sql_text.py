"""A composed query as text to read, or to run elsewhere on tables named predictions and truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.catalog.measure import POSITIONS, holds
from duckmetrics.compose.composer import OF_TRUTH, TRUTH, Composer, needs_truth
from duckmetrics.compose.dialects import DIALECTS, find_dialect
from duckmetrics.compose.functions import inlined, linked
from duckmetrics.compose.optimizer import dropped
from duckmetrics.compose.portable import SYSTEM, TYPES_OF_COLUMNS, UserTables, refuse_unportable
from duckmetrics.compose.translation import outer_joins, rewritten, written
from duckmetrics.engines.plans import plans, portable_plans
from duckmetrics.errors import MetricError
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.means import means_of_queries, means_of_rows, values_of_systems
from duckmetrics.inference.row_summary import per_slice
from duckmetrics.inputs.classification import OVERALL, WEIGHTED
from duckmetrics.inputs.systems import ONE_SYSTEM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value


# Engines whose temporary tables need no keyword, or that have none.
WITHOUT_TEMPORARY = ("datafusion", "trino")
# The conditions that the rows must satisfy, because no check runs before the text does.
CONTRACT = "no NULL in ids, no NULL or NaN in numbers, and no row twice:"


def composed_sql(
    catalog: Catalog,
    measures: Sequence[Measure],
    dialect: str,
    *,
    per_query: bool = False,
    system: str | None = None,
    steps: bool = False,
) -> str:
    """Write the SQL of measures of one family over tables of the names that their headers declare.

    Args:
        per_query: whether to return the values of queries instead of their means.
        system: the column of the predictions that names the systems.
        steps: whether to write one table after the other instead of one query.

    Raises:
        MetricError: the measures are of several families, or have no queries.
        UnsupportedError: the dialect is unknown or lacks something, or a metric is for DuckDB only.
    """
    known = find_dialect(dialect)
    refuse_unportable(catalog, known.name, measures)
    families = {measure.family for measure in measures}
    if len(families) > 1:
        raise MetricError(
            f"metrics of {' and '.join(sorted(families))}",
            "have no query in common",
            "ask for them separately",
        )
    if families == {RANKING}:
        query = _of_queries(catalog, measures, per_query, system)
    elif per_query:
        raise MetricError("per_query", f"{measures[0].text} has no queries", "leave it out")
    else:
        query = _of_rows(catalog, measures, known.name)
    constants: dict[str, Value] = {} if families == {RANKING} else {"segment": OVERALL}
    if system is None:
        constants[SYSTEM] = ONE_SYSTEM
    positions = any(holds(catalog, POSITIONS, measure) for measure in measures)
    query = dropped(query, constants)
    read = {table.name for table in query.find_all(exp.Table)}
    declared = {table: columns for table, columns in _declared(measures).items() if table in read}
    tables = UserTables(declared, known.name, system, positions)
    return "".join(_needs(measures)) + _script(catalog, query, tables, steps)


def _of_queries(
    catalog: Catalog, measures: Sequence[Measure], per_query: bool, system: str | None
) -> exp.Select:
    """Return the query of rankings, with a column of systems."""
    one = {"systems": exp.select(exp.Literal.string(ONE_SYSTEM).as_(SYSTEM))} if system is None else {}
    counts_truth = any(one.items() <= measure.values.items() for measure in measures for one in OF_TRUTH)
    if not counts_truth and not needs_truth(catalog, measures):
        # Some relevant item for each query, so that none of them counts as one without.
        no_item = exp.Case().when(exp.false(), exp.column("item_id"))
        nothing = exp.select("query_id", no_item.as_("item_id"), literal(1.0).as_("relevance"))
        one[TRUTH] = nothing.distinct().from_("predictions")
    of_systems = [measure for measure in measures if measure.metric.is_of_systems]
    if of_systems:
        _refuse_mixed(measures, of_systems, per_query)
        return values_of_systems(catalog, Composer(catalog, one), measures)
    query, columns = Composer(catalog, one).per_query(measures)
    if not per_query:
        return means_of_queries(catalog, query, measures, columns)
    titles = {column.value: measure.text for column, measure in zip(columns, measures, strict=True)}
    for projection in query.expressions:
        if projection.alias in titles:
            projection.set("alias", exp.to_identifier(titles[projection.alias], quoted=True))
    return query


def _refuse_mixed(measures: Sequence[Measure], of_systems: Sequence[Measure], per_query: bool) -> None:
    """Refuse one query for values of queries and of all lists together.

    Raises:
        MetricError: some measures have values of queries, or these are asked for.
    """
    if per_query:
        raise MetricError("per_query", f"{of_systems[0].text} has no values of queries", "leave it out")
    others = [measure.text for measure in measures if measure not in of_systems]
    if others:
        what = f"{of_systems[0].text} is of all lists together, and {others[0]} the mean of the queries"
        raise MetricError("metrics", what, "ask for them separately")


def _of_rows(catalog: Catalog, measures: Sequence[Measure], dialect: str) -> exp.Select:
    """Return the query of classifiers, with columns of systems and segments."""
    composer = Composer(catalog)
    decided = [m.bound(**{WEIGHTED: bool(m.values.get(WEIGHTED))}) for m in measures]
    plan = plans(catalog, decided, None) if dialect == DIALECT else portable_plans(decided)
    if measures[0].metric.is_table:
        values = {**decided[0].values, **plan[decided[0].text]}
        return composer.complete(composer.resolved(decided[0].metric, values))
    return means_of_rows(catalog, per_slice(composer, decided, plan), decided)


def _script(catalog: Catalog, query: exp.Select, tables: UserTables, steps: bool) -> str:
    """Write a query as text; with `steps`, as one table after the other.

    Raises:
        UnsupportedError: the dialect lacks something that the query needs.
    """
    dialect = tables.dialect
    tables.put_into(query)
    if dialect == DIALECT:
        named, macros = linked(catalog, query)
    else:
        named, macros = rewritten(inlined(catalog, query), dialect, tables.schema), []
    statements = (written(tree, dialect) for tree in (*macros, *_apart(named, dialect, steps)))
    return _heading(tables) + ";\n\n".join(statements)


def _apart(query: exp.Query, dialect: str, steps: bool) -> list[exp.Expr]:
    """Return a query, or its steps as tables of the session and the query without them."""
    if not steps:
        return [query]
    named = [(cte.alias, cte.this) for cte in query.ctes]
    query.set("with_", None)
    created = []
    for name, step in named:
        outer_joins(step, dialect)
        _give_types_to_nulls(step)
        properties = [] if dialect in WITHOUT_TEMPORARY else [exp.TemporaryProperty()]
        created.append(exp.Create(
            this=exp.to_table(name), kind="TABLE", expression=step,
            properties=exp.Properties(expressions=properties),
        ))  # fmt: skip
    return [*created, query]


def _give_types_to_nulls(step: exp.Query) -> None:
    """Give a column that is NULL in every row a type, in place, because tables need one."""
    for select in step.find_all(exp.Select):
        for projection in select.expressions:
            if isinstance(projection.unalias(), exp.Null):
                type_ = TYPES_OF_COLUMNS.get(projection.alias_or_name, "BIGINT")
                projection.replace(exp.cast(exp.null(), type_).as_(projection.alias_or_name))


def _needs(measures: Sequence[Measure]) -> Iterator[str]:
    """Yield a comment line for each measure that a tool computes in this way for some rows only."""
    for measure in measures:
        needs = [" ".join(measure.needed.split())] if measure.needed else []
        needs += ["no equal scores in a query"] if measure.untied else []
        if needs:
            yield f"-- {measure.text} is the number of the tool only if all rows satisfy {'; '.join(needs)}\n"


def _heading(tables: UserTables) -> str:
    """Return comment lines with the engine of the text, and the tables that it reads."""
    known = DIALECTS[tables.dialect]
    read = (f"{table} ({', '.join(columns)})" for table, columns in tables.schema.items())
    lines = [f"{known.engine} ({known.tested})", f"reads, with {CONTRACT}", *read]
    return "".join(f"-- {line}\n" for line in lines)


def _declared(measures: Sequence[Measure]) -> Mapping[str, list[str]]:
    """Return the tables that measures may read, with their columns."""
    declared: dict[str, list[str]] = {}
    for measure in measures:
        for table, columns in measure.metric.inputs.items():
            found = declared.setdefault(table, [])
            found += [column for column in columns if column not in found]
    return declared
