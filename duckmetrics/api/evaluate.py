"""Compute metrics of predictions, and tables such as a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.api.arguments import ordered, session_of
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import is_of_table, refuse_metrics_as_truth, refuse_misspelled
from duckmetrics.engines.opening import open_engine
from duckmetrics.evaluation.session import opened
from duckmetrics.inputs.interval_options import SEED, USUAL_METHOD, read_intervals
from duckmetrics.inputs.request import read_request
from duckmetrics.results.tabular import readable

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Unpack

    import duckdb
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.switches import Switches, TableParameters


@ordered
def evaluate(
    predictions: Any,
    truth: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str | Mapping[str, str] | None = None,
    positive: str | float | None = None,
    score: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    version: int | Mapping[str, int] | None = None,
    as_of: str | date | Mapping[str, str | date] | None = None,
    queries: Any = None,
    history: Any = None,
    items: Any = None,
    reference: Any = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    engine: SparkSession | str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
    time_zone: str | None = None,
    chunks: int | None = None,
    like: str | None = None,
    verify: int | None = None,
    interval: float | bool | None = None,
    interval_method: str = USUAL_METHOD,
    cluster: str | None = None,
    resamples: int | None = None,
    seed: int = SEED,
    **switches: Unpack[Switches],
) -> Evaluation:
    """Compute metrics of predictions against a truth, where the data are.

    Args:
        predictions: for rankings a table with query_id, item_id and score (or rank), for classifiers
            one with label and score: a path or glob, a DuckDB table or view, SQL, a relation, an
            Arrow, pandas or Polars frame, ``{query: {item: score}}``, or arrays by name; or a
            mapping of system names to such tables.
        truth: a table with query_id, item_id and relevance; without one, the predictions carry
            a column label.
        metrics: specs such as ``"ndcg@10"``, ``"map(norm=min_k)@100"`` or ``"auc"``. A name of both
            families, such as ``"precision"``, is a ranking metric if there is a truth or a cut-off,
            a classification metric if there is no query_id; ``"classification.precision"`` says so.
            By default ndcg@10, or auc for rows with a label.
        system: the column of the predictions that names the system, or a mapping of systems.
        by: columns to slice by, of the rows for classifiers, attributes of the query for rankings;
            or expressions of them with a name, such as ``"date_trunc('week', day) AS week"``;
            a list of lists asks for several groupings. With history=, rankings also have the slices
            ``"history_length"`` (users by the number of their interactions) and ``"truth_popularity"``
            (queries by the popularity of their relevant items), unless a table has such a column.
        columns: canonical name -> your name, as in ``{"query_id": "user_id"}``.
        layout: the tool that wrote the tables, such as ``"rectools"``, or a mapping with one for each of
            predictions and truth. By default duckmetrics recognizes it by the names of the columns, and a
            note names it. If you map a column, or with ``"canonical"``, no layout is used.
        positive: the label that counts as 1 if labels are text, such as ``"yes"``; others count as 0.
        score: the columns of the scores by system, if one table has several:
            ``{"lr": "p_lr", "gbm": "p_gbm"}``.
        where: conditions on the rows to read, by the table, as in
            ``{"predictions": "day = DATE '2026-11-01'"}``; partitions that they rule out are not read.
        version: the version of a Delta table, or the id of a snapshot of an Iceberg table, by the table, as
            in ``{"predictions": 3}``. A number alone is for the only table that has versions.
        as_of: like `version`, the last version at a time, such as ``{"predictions": "2026-11-01"}``, in UTC
            if it names no zone.
        queries: a table keyed by query_id with the attributes of the queries.
        history: the interactions that the systems were trained on, a row for each: query_id, item_id, and
            perhaps timestamp, which only checks read. Metrics of popularity and novelty need it.
        items: the catalogue: item_id, and perhaps category (a value or a list) and vector. Without it, the
            catalogue is the items of the history.
        reference: another run, such as that of the last release, for metrics of what changed.
        connection: a DuckDB connection, or the path of a database file.
        engine: a session of Spark, or "spark" for the active or a new one; tables are then paths, tables,
            views, SQL and DataFrames of Spark. By default the session of a DataFrame of Spark among the
            tables, else DuckDB.
        threads: the number of threads.
        memory_limit: such as ``"4GB"``; more is spilled to disk.
        temp_directory: the folder for data that memory cannot hold.
        snapshot: which tables are read once, into a temporary table: ``"auto"``, the default, for those that
            are remote, text, or queries that do more than scan a table; ``"always"`` or ``"never"``.
        time_zone: the zone in which slices and conditions read days and hours of a time with a zone, such as
            ``"Europe/Berlin"``; UTC by default, whatever the zone of the machine or of the connection is.
        chunks: the number of parts in which the queries of rankings are evaluated, one after the other,
            which takes less memory; the results are the same.
        like: a tool whose conventions replace the defaults, such as ``"trec_eval"``; see
            `presets`. Switches and parameters of a spec win.
        verify: the number of queries that the plain-Python reference recomputes, for a classifier
            50 rows for each; see `Evaluation.verified`.
        interval: the level of intervals around the values, such as 0.95, in the columns lower and
            upper. Queries (rankings) or clusters (classifiers) are assumed to be independent.
        interval_method: ``"t"`` for Student's t over the queries or clusters, or ``"bootstrap"`` for
            percentiles of a Poisson bootstrap, which is deterministic. Proportions have Wilson's interval,
            AUC one on the logit scale. Functions of sums, and AUC, use a jackknife over clusters; over rows,
            the delta method and DeLong. For other metrics of classifiers, a bootstrap recomputes the metric.
        cluster: the column that identifies independent units, such as ``"user_id"``; rows, or queries, of one
            unit may be correlated. For classifiers, cluster_id, group_id or query_id by default, else rows.
        resamples: the number of bootstrap resamples: 10,000 by default, and 1000 if each resample recomputes
            a metric.
        seed: another seed draws other resamples.
        **switches: conventions such as ``ties="pessimistic"``; see `describe`. ``population``
            may also be a table with query_id.

    Returns:
        The values overall and by slice, with a signature of the conventions behind each.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        InputError: the data cannot be evaluated as they are.
        UnsupportedError: the tool that `like` names has no such metric, or its way is not imitated.
        EngineError: the database refused a query.

    Example:
        run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
        qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
        ev = duckmetrics.evaluate(run, qrels, ["mrr", "recall@1"])
        ev["mrr"]  # 0.75
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        duckmetrics.evaluate(clicks, metrics="auc")["auc"]  # 0.75
    """
    refuse_misspelled(evaluate, switches)
    refuse_metrics_as_truth(truth, metrics, connection)
    if engine is None:
        tables = (predictions, truth, queries, history, items, reference, system, *switches.values())
        engine = session_of(*tables)
    request = read_request(
        catalog(), predictions, truth, system=system, by=by, columns=columns, queries=queries,
        history=history, items=items, reference=reference, like=like, verify=verify, chunks=chunks,
        switches=switches, layout=layout, positive=positive, score=score, where=where, version=version,
        as_of=as_of, inference=read_intervals(interval, interval_method, cluster, resamples, seed),
    )  # fmt: skip
    used = open_engine(engine, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with opened(request, used) as session:
        specs = read_specs(session.usual if metrics is None else metrics)
        return session.evaluation(session.measures(specs))


def _names_table(given: Any) -> bool:
    return isinstance(given, str) and is_of_table(catalog(), given)


def curve(
    predictions: Any,
    table: str,
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str | Mapping[str, str] | None = None,
    positive: str | float | None = None,
    score: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    version: int | Mapping[str, int] | None = None,
    as_of: str | date | Mapping[str, str | date] | None = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    engine: SparkSession | str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
    time_zone: str | None = None,
    **params: Unpack[TableParameters],
) -> pa.Table:
    """Return a table of a classifier, such as the points of its ROC curve.

    Args:
        predictions: a table with label and score, as for `evaluate`.
        table: its spec, such as ``"roc_curve"`` or ``"calibration_curve(bins=20)"``. The two may be
            in either order.
        system, by, columns, layout, positive, score, where, version, as_of, connection, engine, threads,
            memory_limit, temp_directory, snapshot, time_zone: as for `evaluate`.
        **params: parameters of the table; a list of values gives the rows of each.

    Returns:
        The system and slice if there are several, then the columns of the table.

    Raises:
        MetricError: no such table, or a parameter that cannot be read.
        InputError: the data cannot be evaluated as they are.
        EngineError: the database refused a query.

    Example:
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        points = duckmetrics.curve(clicks, "roc_curve")
        points["fpr"].to_pylist()  # [0.0, 0.0, 0.5, 0.5, 1.0]
        points["tpr"].to_pylist()  # [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    if _names_table(predictions) and not _names_table(table):
        predictions, table = table, predictions  # as on the command line, where the table comes first
    refuse_misspelled(curve, params)
    engine = session_of(predictions, system) if engine is None else engine
    request = read_request(
        catalog(), predictions, system=system, by=by, columns=columns, layout=layout, positive=positive,
        score=score, where=where, version=version, as_of=as_of,
    )  # fmt: skip
    used = open_engine(engine, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with opened(request, used, keep=False) as session:
        return readable(session.table(table, params))
