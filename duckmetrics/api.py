"""The public functions; each hands its work to the module that knows how."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog import Catalog
from duckmetrics.checks import check, counted_notes, varying
from duckmetrics.compose import Composer
from duckmetrics.errors import InputError, MetricError
from duckmetrics.inputs import Inputs, Request, gather, slice_label
from duckmetrics.measure import parse_measures, split_specs, written
from duckmetrics.results import Evaluation
from duckmetrics.summary import Summary
from duckmetrics.tables import ColumnMap

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.measure import Measure

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
        predictions: a table with query_id, item_id and score (or rank): a path or glob, a DuckDB
            table or view, SQL, a relation, an Arrow, pandas or Polars frame; or a mapping of
            system names to such tables.
        truth: a table with query_id, item_id and relevance; without one, the predictions carry
            a column label.
        metrics: specs such as ``"ndcg@10"`` or ``"map(norm=min_k)@100"``.
        system: the column of the predictions that names the system, or a mapping of systems.
        by: attributes of the query to slice by; a list of lists asks for several groupings.
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
    from duckmetrics.engines.duckdb import DuckDBEngine

    specs = [metrics] if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(spec, str) for spec in specs):
        raise MetricError(f"metrics: {metrics!r} are no specs; write them as text, such as 'ndcg@10'")
    specs = [part for spec in specs for part in split_specs(spec)]
    population = switches.get(POPULATION)
    if population is not None and not _is_choice(population):
        switches = {**switches, POPULATION: "table"}
    else:
        population = None
    measures = parse_measures(catalog(), specs, switches)
    if isinstance(connection, DuckDBEngine):
        engine = connection
    else:
        engine = DuckDBEngine(connection, threads, memory_limit)
    request = Request(
        predictions=_systems(predictions, system),
        truth=truth,
        system=system if isinstance(system, str) else None,
        by=_groupings(by),
        queries=queries,
        population=population,
        columns=ColumnMap(dict(columns or {})),
        positions=any(measure.values.get("ties") == "input" for measure in measures),
    )
    try:
        return run(engine, measures, gather(request, engine.attach, engine.extremes))
    finally:
        engine.release()


def run(engine: DuckDBEngine, measures: Sequence[Measure], inputs: Inputs) -> Evaluation:
    """Check the inputs, compute the per-query values once, and summarize them."""
    findings = check(catalog(), engine, inputs, measures)
    varying(engine, inputs)
    composer = Composer(catalog(), inputs.queries, inputs.one_system)
    query, columns = composer.per_query(measures)
    table = engine.name("per_query")
    engine.keep(table, query)
    summary = Summary(catalog(), inputs, measures, columns, table)
    summarized = summary.query()
    summary_table = engine.name("summary")
    engine.keep(summary_table, summarized)
    names = summarized.named_selects
    rows = tuple(dict(zip(names, row, strict=True)) for row in engine.rows(engine.kept(summary_table)))
    policies = {"missing": str(measures[0].values.get("missing"))}
    return Evaluation(
        rows=rows,
        groupings={slice_label(grouping): grouping for grouping in ((), *inputs.by)},
        checks=(*findings, *counted_notes(rows, inputs, policies)),
        sql=";\n\n".join(engine.ran) + ";",
        canonical={measure.text: str(measure) for measure in measures},
        _summary=lambda: engine.arrow(engine.kept(summary_table)),
        _per_query=lambda: engine.arrow(summary.per_query()),
        _write_per_query=lambda path: engine.copy(summary.per_query(), path),
    )


def compose_sql(metrics: Sequence[str], dialect: str = "duckdb", steps: bool = False, **switches: Any) -> str:
    """Return the SQL of metrics over tables named `predictions` and `truth`.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        UnsupportedError: the dialect is unknown or lacks something.
    """
    measures = parse_measures(catalog(), [p for s in metrics for p in split_specs(s)], switches)
    return Composer(catalog()).text(measures, dialect, steps)


def metrics() -> pa.Table:
    """The catalogue: one row per metric with family, aliases, parameters, range and source."""
    import pyarrow as pa

    return pa.Table.from_pylist([
        {
            "family": family,
            "name": name,
            "aliases": [alias for alias, _ in metric.aliases()],
            "title": metric.title,
            "params": list(catalog().params(metric)),
            "range": metric.header["range"],
            "formula": metric.header["formula"],
            "source": metric.header["source"],
        }
        for (family, name), metric in sorted(catalog().metrics.items())
    ])  # fmt: skip


def describe(name: str) -> str:
    """Explain a metric: title, formula, source, parameters with their values, range and SQL.

    Raises:
        MetricError: no such metric.
    """
    family, _, bare = name.rpartition(".")
    metric = catalog().find(bare, family or None).metric
    header = metric.header
    lines = [f"{metric.family}.{metric.name}: {metric.title}", ""]
    lines += [f"{key:<9}{header[key]}" for key in ("alias", "formula", "range", "note", "source")
              if key in header]  # fmt: skip
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
