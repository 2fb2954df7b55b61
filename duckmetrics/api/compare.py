"""Compare systems with a baseline, query by query, and test each difference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.api.arguments import ordered, session_of
from duckmetrics.api.compared import compared, read_comparer
from duckmetrics.catalog.specs import refuse_metrics_as_truth, refuse_misspelled
from duckmetrics.comparison.comparer import Recounting
from duckmetrics.comparison.margins import margins_for
from duckmetrics.comparison.pairing import PAIRED
from duckmetrics.errors import MetricError
from duckmetrics.inputs.interval_options import SEED, USUAL_METHOD, read_inference
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Unpack

    import duckdb
    from pyspark.sql import SparkSession

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.switches import Switches


@ordered
def compare(
    predictions: Any,
    truth: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    baseline: str | None = None,
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
    interval: float = 0.95,
    interval_method: str = USUAL_METHOD,
    cluster: str | None = None,
    test: str = PAIRED,
    adjust: str | None = None,
    alpha: float = ALPHA,
    power: float = 0.8,
    margin: float | str | Mapping[str, float | str] | None = None,
    resamples: int | None = None,
    seed: int = SEED,
    allow_different: bool = False,
    pairs: bool | None = None,
    planned: int | None = None,
    unpaired: bool = False,
    **switches: Unpack[Switches],
) -> Comparison:
    """Compare systems with a baseline: are the differences larger than chance explains?

    All systems are evaluated on one population, and compared query by query, or for classifiers cluster by
    cluster. If the systems have different units, use ``unpaired=True``. The p-values of all comparisons of a
    call are adjusted together, but separately for each slicing.

    Args:
        predictions: a mapping of system names to tables, or one table with ``system=``. Or a mapping of
            system names to results of `evaluate`, with one system in each result. Their values per query are
            then compared.
        truth, metrics, system, by, columns, layout, positive, score, where, version, as_of, queries,
            history, items, reference, connection, engine, threads, memory_limit, temp_directory, snapshot,
            time_zone, chunks, like, interval, interval_method, cluster, resamples, seed, **switches: as
            for `evaluate`.
        baseline: the system to compare with; the first of a mapping by default.
        test: the test that computes p: ``"paired_t"``, or another test against a baseline under
            sql/statistics, such as ``"randomization"``, ``"bootstrap"``, ``"sign"``, ``"wilcoxon"`` or
            ``"tukey"``. Only ``"always_valid"`` keeps its error rate if you look again and again while
            queries arrive.
        adjust: ``"holm"``, ``"benjamini_hochberg"`` or another method of adjusted_p, or ``"none"``. The
            default is holm, or none if the test itself covers all pairs of systems, as ``"tukey"`` does.
            ``"max_t"`` finds more differences if systems or metrics are correlated. It draws random signs
            of the differences, ``resamples`` times. p_adjusted comes from the largest statistic of each
            draw.
        alpha: the error rate of verdicts: a verdict needs an adjusted p below it. Intervals do not depend
            on it.
        power: the power of the test at the minimum detectable effect.
        margin: the largest difference that does not matter, for the verdicts "not worse" and "equivalent": a
            number in the units of the metric such as ``0.005``, a share of the baseline such as ``"1%"``, or
            these by metric, such as ``{"ndcg@10": 0.005, "mrr": "1%"}``. The tests of the margin are
            one-sided at alpha. They are adjusted in the same way as p. For metrics without a direction, only
            "equivalent" is tested.
        allow_different: compare only the common queries if the systems have values of different queries, and
            allow results of different conventions. For classifiers, only the same rows can be compared.
        pairs: compare every pair of systems. The letters after a value name the systems that it is
            significantly better than. p-values are adjusted for the number of all pairs. The default is True
            if the test itself covers all pairs, as ``"tukey"`` does, else False. With
            ``pairs=True``, you may leave out ``baseline``.
        planned: with ``test="always_valid"``, the number of queries or clusters at which the intervals are
            the tightest. Choose it before the first look, and keep it; 1000 by default.
        unpaired: the systems have different users, weeks or countries: compare their means with Welch's test
            of independent units, or with ``test="randomization"``, which suits few or skewed values. Each
            system is evaluated only on the queries that it answered. Without a cluster, every row of a
            classifier is a unit.

    Returns:
        A row for every system, slice and metric: value, difference to the baseline, interval, effect size,
        p, adjusted p, the smallest difference that the test can detect, and a verdict in words. With a
        margin, a row also has the margin, and p of "not worse" and "equivalent". With ``pairs=True``,
        `Comparison.pairs` has the same for every pair of systems.

    Raises:
        MetricError: a metric, switch, test or method cannot be read, no such baseline, or an aggregation
            that is not a mean.
        InputError: the data cannot be evaluated, or the systems have values of different queries or
            rows, or of other conventions.
        EngineError: the database refused a query.

    Source:
        Smucker, Allan and Carterette, CIKM 2007, doi:10.1145/1321440.1321528; Urbano, Lima and Hanjalic,
        SIGIR 2019, doi:10.1145/3331184.3331259; Holm, Scandinavian Journal of Statistics 1979.

    Example:
        tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
        result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
        result.row("ndcg@10")["delta"]  # 0.1929
        result.row("ndcg@10")["verdict"]  # 'better'
    """
    refuse_misspelled(compare, switches)
    refuse_metrics_as_truth(truth, metrics, connection)
    inference = read_inference(interval, interval_method, cluster, resamples, seed)
    comparer = read_comparer(inference, test, adjust, alpha, power, allow_different, pairs, planned, unpaired)
    margins = margins_for(margin, comparer.test, comparer.adjust, comparer.inference.alpha)
    comparer = replace(comparer, margins=margins)
    given: dict[str, Any] = {
        "truth": truth, "by": by, "columns": columns, "queries": queries, "like": like, "layout": layout,
        "positive": positive, "score": score, "where": where, "version": version, "as_of": as_of,
        "history": history, "items": items, "reference": reference,
    }  # fmt: skip
    if engine is None:
        engine = session_of(predictions, system, *given.values(), *switches.values())
    opening = (engine, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with compared(comparer, predictions, metrics, system, chunks, given, switches, opening) as found:
        session, parts, specs = found
        if specs is None:
            return comparer.result(session, parts, baseline)
        if baseline is None and session.request.system is not None and not comparer.pairs:
            known = " or ".join(map(repr, comparer.systems(session, parts)))
            raise MetricError("baseline", "not given", f"set baseline= (--baseline) to {known}")
        result = comparer.result(session, parts, baseline)
        return replace(result, recount=Recounting(comparer, session, specs, result.baseline))
