"""A composed query as text to read, or to run elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import inlined, linked
from duckmetrics.dialects import DIALECTS, find_dialect
from duckmetrics.dialects.portable import refuse_unportable
from duckmetrics.dialects.translation import rewritten, written
from duckmetrics.errors import MetricError
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.summaries.classification import per_slice
from duckmetrics.summaries.plans import plans, portable_plans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure

# The types of the columns that metrics read, wherever they run.
TYPES = {
    "system": "VARCHAR", "query_id": "VARCHAR", "item_id": "VARCHAR", "score": "DOUBLE", "position": "BIGINT",
    "run": "VARCHAR", "relevance": "DOUBLE", "segment": "BIGINT", "label": "DOUBLE", "weight": "DOUBLE",
    "group_id": "VARCHAR", "exact_score": "VARCHAR",
}  # fmt: skip
# The conditions that the rows must satisfy, because no check runs before the text does.
CONTRACT = "no NULL in ids, no NULL or NaN in numbers, and no row twice:"


def script(
    catalog: Catalog,
    query: exp.Select,
    titles: Mapping[str, str],
    inputs: Mapping[str, Sequence[str]],
    dialect: str = DIALECT,
    steps: bool = False,
) -> str:
    """Write a query as text; with `steps`, as one table after the other.

    Args:
        titles: column of the query -> the name it gets.
        inputs: the tables that it reads, with their columns.

    Raises:
        UnsupportedError: the dialect lacks something that the query needs.
    """
    for projection in query.expressions:
        if projection.alias in titles:
            projection.set("alias", exp.to_identifier(titles[projection.alias], quoted=True))
    if dialect == DIALECT:
        named, macros = linked(catalog, query)
        return ";\n\n".join(written(tree, dialect) for tree in (*macros, *_apart(named, steps)))
    schema = {table: {column: TYPES[column] for column in columns} for table, columns in inputs.items()}
    named = rewritten(inlined(catalog, query), dialect, schema)
    read = {table.name for table in named.find_all(exp.Table)}
    schema = {table: columns for table, columns in schema.items() if table in read}
    return _heading(schema, dialect) + ";\n\n".join(written(tree, dialect) for tree in _apart(named, steps))


def _apart(query: exp.Query, steps: bool) -> list[exp.Expr]:
    """Return a query, or its steps as temporary tables and the query without them."""
    if not steps:
        return [query]
    tables = [(cte.alias, cte.this) for cte in query.ctes]
    query.set("with_", None)
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    created: list[exp.Expr] = [
        exp.Create(this=exp.to_table(name), kind="TABLE", expression=step, properties=temporary.copy())
        for name, step in tables
    ]
    return [*created, query]


def _heading(schema: Mapping[str, Mapping[str, str]], dialect: str) -> str:
    """Return comment lines with the engine of the text, and the tables that it reads."""
    known = DIALECTS[dialect]
    lines = [f"{known.engine} ({known.tested})", f"reads, with {CONTRACT}"]
    for table, columns in schema.items():
        types = (f"{n} {exp.DataType.build(t, dialect=DIALECT).sql(dialect)}" for n, t in columns.items())
        lines.append(f"{table} ({', '.join(types)})")
    return "".join(f"-- {line}\n" for line in lines)


def composed_sql(catalog: Catalog, measures: Sequence[Measure], dialect: str, steps: bool) -> str:
    """Write the SQL of measures of one family over tables of the names that their headers declare.

    Raises:
        MetricError: the measures are of several families.
        UnsupportedError: the dialect is unknown or lacks something, or a metric is for DuckDB only.
    """
    known = find_dialect(dialect)
    refuse_unportable(catalog, known.name, measures)
    families = {measure.family for measure in measures}
    if len(families) > 1:
        raise MetricError(
            f"metrics of {' and '.join(sorted(families))}", "have no query in common", "ask apart"
        )
    composer = Composer(catalog)
    if families == {RANKING}:
        query, columns = composer.per_query(measures)
        titles = {column.value: m.text for column, m in zip(columns, measures, strict=True)}
    else:
        decided = [m.bound(**{WEIGHTED: bool(m.values.get(WEIGHTED))}) for m in measures]
        plan = plans(catalog, decided, None) if known.name == DIALECT else portable_plans(decided)
        titles = {f"value_{i}": measure.text for i, measure in enumerate(measures)}
        if measures[0].metric.is_table:
            values = {**decided[0].values, **plan[decided[0].text]}
            query = composer.complete(composer.resolved(decided[0].metric, values))
        else:
            query = per_slice(composer, decided, plan)
    return script(catalog, query, titles, _read_by(measures), known.name, steps)


def _read_by(measures: Sequence[Measure]) -> dict[str, list[str]]:
    """Return the tables that measures read, with their columns."""
    read: dict[str, list[str]] = {}
    for measure in measures:
        for table, columns in measure.metric.inputs.items():
            found = read.setdefault(table, [])
            found += [column for column in columns if column not in found]
    return read
