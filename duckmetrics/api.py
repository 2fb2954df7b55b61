"""The public functions; each hands its work to the module that knows how."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog import CLASSIFICATION, RANKING, Catalog
from duckmetrics.errors import InputError, MetricError
from duckmetrics.families import EVALUATE, composed_sql, table_query
from duckmetrics.inputs import Request, slice_label
from duckmetrics.measure import parse_measures, parse_table, split_specs, written
from duckmetrics.results import Evaluation
from duckmetrics.systems import Systems
from duckmetrics.tables import ColumnMap

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import duckdb
    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog import Definition
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.tables import Role, Source

POPULATION = "population"


@cache
def catalog() -> Catalog:
    """The definitions that ship with the package."""
    return Catalog.read()


def evaluate(
    predictions: Any,
    truth: Any = None,
    metrics: str | Sequence[str] = ("ndcg@10",),
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    queries: Any = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **switches: Any,
) -> Evaluation:
    """Compute metrics of predictions against a truth, where the data are.

    Args:
        predictions: for rankings a table with query_id, item_id and score (or rank), for classifiers
            one with label and score: a path or glob, a DuckDB table or view, SQL, a relation, an
            Arrow, pandas or Polars frame; or a mapping of system names to such tables.
        truth: a table with query_id, item_id and relevance; without one, the predictions carry
            a column label.
        metrics: specs such as ``"ndcg@10"``, ``"map(norm=min_k)@100"`` or ``"auc"``. A name of both
            families, such as ``"precision"``, is a ranking metric if there is a truth or a cut-off,
            a classification metric if there is no query_id; ``"classification.precision"`` says so.
        system: the column of the predictions that names the system, or a mapping of systems.
        by: columns to slice by, of the rows for classifiers, attributes of the query for rankings;
            a list of lists asks for several groupings.
        columns: canonical name -> your name, as in ``{"query_id": "user_id"}``.
        queries: a table keyed by query_id with the attributes of the queries.
        connection: a DuckDB connection, or the path of a database file.
        threads: the number of threads.
        memory_limit: such as ``"4GB"``; more is spilled to disk.
        **switches: conventions such as ``ties="pessimistic"``; see `describe`. ``population``
            may also be a table with query_id.

    Returns:
        The values overall and by slice, with a signature of the conventions behind each.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        InputError: the data cannot be evaluated as they are.
        EngineError: the database refused a query.
    """
    specs = [metrics] if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(spec, str) for spec in specs):
        raise MetricError(f"metrics: {metrics!r} are no specs; write them as text, such as 'ndcg@10'")
    specs = [part for spec in specs for part in split_specs(spec)]
    population = switches.get(POPULATION)
    if population is not None and not _is_choice(population):
        switches = {**switches, POPULATION: "table"}
    else:
        population = None
    request = Request(
        predictions=_systems(predictions, system),
        truth=truth,
        system=system if isinstance(system, str) else None,
        by=_groupings(by),
        queries=queries,
        population=population,
        columns=ColumnMap(dict(columns or {})),
    )
    session = Session(request, _engine(connection, threads, memory_limit), switches)
    try:
        return session.evaluation(specs)
    finally:
        session.engine.release()


def curve(
    predictions: Any,
    table: str,
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **params: Any,
) -> pa.Table:
    """Return a table of a classifier, such as the points of its ROC curve.

    Args:
        predictions: a table with label and score, as for `evaluate`.
        table: its spec, such as ``"roc_curve"`` or ``"calibration_curve(bins=20)"``.
        **params: parameters of the table; a list of values gives the rows of each.

    Returns:
        The system and slice where there are several, then the columns of the table.

    Raises:
        MetricError: no such table, or a parameter that cannot be read.
        InputError: the data cannot be evaluated as they are.
        EngineError: the database refused a query.
    """
    request = Request(
        predictions=_systems(predictions, system),
        system=system if isinstance(system, str) else None,
        by=_groupings(by),
        columns=ColumnMap(dict(columns or {})),
    )
    session = Session(request, _engine(connection, threads, memory_limit), {})
    try:
        return session.table(table, params)
    finally:
        session.engine.release()


class Session:
    """One request on one engine: the tables are attached once, whatever is asked of them."""

    def __init__(self, request: Request, engine: DuckDBEngine, switches: Mapping[str, Any]) -> None:
        self.request = request
        self.engine = engine
        self.switches = switches
        self._attached: dict[tuple[int, str], Source] = {}

    def evaluation(self, specs: Sequence[str]) -> Evaluation:
        """Evaluate the measures of each family and put the results together."""
        measures = parse_measures(catalog(), specs, self.switches, self.family)
        self.request = replace(self.request, positions=any(m.values.get("ties") == "input" for m in measures))
        parts = []
        for family in dict.fromkeys(measure.family for measure in measures):
            chosen = [measure for measure in measures if measure.family == family]
            parts.append(EVALUATE[family](catalog(), self.engine, self.request, chosen, self.attach))
        per_query = next((part.per_query for part in parts if part.per_query is not None), None)
        return Evaluation(
            rows=tuple(row for part in parts for row in part.rows),
            groupings={slice_label(grouping): grouping for grouping in ((), *parts[0].by)},
            checks=tuple(finding for part in parts for finding in part.findings),
            sql=";\n\n".join(self.engine.ran) + ";",
            canonical={measure.text: str(measure) for part in parts for measure in part.measures},
            _summary=lambda: _concatenated([self.engine.arrow(part.summary) for part in parts]),
            _per_query=None if per_query is None else lambda: self.engine.arrow(per_query),
            _write_per_query=lambda path: self.engine.copy(_queries(per_query), path),
            _table=self.table,
        )

    def table(self, spec: str, params: Mapping[str, Any]) -> pa.Table:
        """Return the rows of a table; parameters that are lists give the rows of each value."""
        return _concatenated([self.engine.arrow(query) for query in self.table_queries(spec, params)])

    def table_queries(self, spec: str, params: Mapping[str, Any]) -> list[exp.Query]:
        """One query per combination of the parameters that are lists."""
        values = [value if isinstance(value, list | tuple) else [value] for value in params.values()]
        queries = []
        for chosen in product(*values):
            given = dict(zip(params, chosen, strict=True))
            measure = parse_table(catalog(), spec, given, self.switches)
            queries.append(table_query(catalog(), self.engine, self.request, measure, self.attach))
        return queries

    def attach(self, table: Any, role: Role) -> Source:
        key = id(table), role
        if key not in self._attached:
            self._attached[key] = self.engine.attach(table, role)
        return self._attached[key]

    def family(self) -> str | None:
        """What a name means that belongs to two families: rankings have a truth, or queries."""
        if self.request.truth is not None:
            return RANKING
        first = Systems(self.request.predictions, self.request.system, self.attach).first
        queries = self.request.columns.find(first, "predictions", "query_id")
        composite = self.request.columns.given("predictions", "query_id")
        return CLASSIFICATION if queries is None and composite is None else None


def _engine(connection: Any, threads: int | None, memory_limit: str | None) -> DuckDBEngine:
    from duckmetrics.engines.duckdb import DuckDBEngine

    if isinstance(connection, DuckDBEngine):
        return connection
    return DuckDBEngine(connection, threads, memory_limit)


def _queries(per_query: exp.Query | None) -> exp.Query:
    if per_query is None:
        raise MetricError("per-query values: no metric of queries was asked for; add one, such as ndcg@10")
    return per_query


def _concatenated(parts: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    return parts[0] if len(parts) == 1 else pa.concat_tables(parts, promote_options="permissive")


def compose_sql(metrics: Sequence[str], dialect: str = "duckdb", steps: bool = False, **switches: Any) -> str:
    """Return the SQL of metrics of one family over tables named `predictions` and `truth`.

    Of classifiers, `predictions` has the columns system, segment, label, score, weight and group_id,
    as far as the metrics read them; a segment is what shall be evaluated by itself.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        UnsupportedError: the dialect is unknown or lacks something.
    """
    specs = [part for spec in metrics for part in split_specs(spec)]
    return composed_sql(
        catalog(), parse_measures(catalog(), specs, switches, lambda: RANKING), dialect, steps
    )


def metrics() -> pa.Table:
    """The catalogue: one row per metric with family, aliases, parameters, range and source.

    A table, such as a curve, has no range.
    """
    import pyarrow as pa

    return pa.Table.from_pylist([
        {
            "family": family,
            "name": name,
            "aliases": [alias for alias, _ in metric.aliases()],
            "title": metric.title,
            "params": list(catalog().params(metric)),
            "range": metric.header.get("range"),
            "formula": metric.header["formula"],
            "source": metric.header["source"],
        }
        for (family, name), metric in sorted({**catalog().metrics, **catalog().tables}.items())
    ])  # fmt: skip


def describe(name: str) -> str:
    """Explain a metric or table: title, formula, source, parameters with their values, range and SQL.

    A name of two families is explained twice.

    Raises:
        MetricError: no such metric.
    """
    family, _, bare = name.rpartition(".")
    known = {f: metric for (f, n), metric in catalog().tables.items() if n == bare.lower()}
    known |= {f: alias.metric for (f, n), alias in catalog().names.items() if n == bare.lower()}
    chosen = [metric for f, metric in known.items() if family in ("", f)]
    return "\n\n".join(map(_described, chosen or [catalog().find(bare, family or None).metric]))


def macros_sql() -> str:
    """Return the macros of the DuckDB shell as the text of one file.

    They are temporary: they live in the session that executes the text, and work in read-only databases.
    """
    from duckmetrics.macros.script import script

    return script(catalog())


def macros_database(path: str | os.PathLike[str]) -> None:
    """Write a DuckDB database that holds the macros, to be attached as ``dm`` and called as ``dm.name(...)``.

    Every macro stands for itself, whatever the database is called there; DuckDB 1.4 can attach it.

    Raises:
        EngineError: the file cannot be written.
    """
    from duckmetrics.engines.duckdb import write_database
    from duckmetrics.macros.database import statements

    write_database(path, statements(catalog()))


def _described(metric: Definition) -> str:
    header = metric.header
    lines = [f"{metric.family}.{metric.name}: {metric.title}", ""]
    keys = ("alias", "formula", "range", "undefined", "note", "source")
    lines += [f"{key:<10}{header[key]}" for key in keys if key in header]
    lines += ["", "parameters"]
    for param in catalog().params(metric).values():
        default = "required" if param.required else f"default {written(param.default)}"
        choices = f", one of {', '.join(map(str, param.choices))}" if param.choices else ""
        lines.append(f"  {param.name}: {default}{choices}")
    return "\n".join([*lines, "", metric.text])


def _is_choice(population: Any) -> bool:
    param = catalog().relations["queries"].switches[POPULATION]
    return isinstance(population, str) and population in param.choices and population != "table"


def _systems(predictions: Any, system: str | Mapping[str, Any] | None) -> Any:
    if system is None or isinstance(system, str):
        if predictions is None:
            raise InputError("predictions: none given; name a table, or map systems to tables")
        return predictions
    if predictions is not None:
        raise InputError(
            "system: maps systems to tables, and predictions are given too; leave predictions out (None)"
        )
    return system


def _groupings(by: str | Sequence[str | Sequence[str]] | None) -> tuple[tuple[str, ...], ...]:
    if by is None:
        return ()
    if isinstance(by, str):
        return ((by,),)
    by = list(by)
    if all(isinstance(column, str) for column in by):
        return (tuple(dict.fromkeys(cast("Sequence[str]", by))),) if by else ()
    if any(isinstance(column, str) for column in by):
        raise MetricError("by: mixes columns and lists; write [['country'], ['country', 'device']]")
    groupings = (tuple(dict.fromkeys(grouping)) for grouping in by)
    return tuple(dict.fromkeys(grouping for grouping in groupings if grouping))
