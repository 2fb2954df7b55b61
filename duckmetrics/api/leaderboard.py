"""Rank many systems, and show which of them no test distinguishes from the best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.api.arguments import ordered, session_of
from duckmetrics.api.compared import compared, read_comparer
from duckmetrics.catalog.specs import refuse_metrics_as_truth, refuse_misspelled
from duckmetrics.comparison.contest import leaderboard as ranked
from duckmetrics.comparison.families import OF_METRIC
from duckmetrics.comparison.margins import margins_for
from duckmetrics.comparison.pairing import PAIRED
from duckmetrics.inputs.interval_options import SEED, USUAL_METHOD, read_inference
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Unpack

    import duckdb
    from pyspark.sql import SparkSession

    from duckmetrics.comparison.leaderboard import Leaderboard
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.switches import Switches


@ordered
def leaderboard(
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
    interval: float = 0.95,
    interval_method: str = USUAL_METHOD,
    cluster: str | None = None,
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = ALPHA,
    margin: float | str | Mapping[str, float | str] | None = None,
    resamples: int | None = None,
    seed: int = SEED,
    allow_different: bool = False,
    **switches: Unpack[Switches],
) -> Leaderboard:
    """Rank all systems, the best first, and test every pair of them.

    A place alone is not enough, because two means almost always differ. Each system also gets letters, an
    interval of its rank, and its chance to be the best. Two systems share a letter if no test distinguishes
    them.

    Args:
        predictions, truth, metrics, system, by, columns, layout, positive, score, where, version, as_of,
            queries, history, items, reference, connection, engine, threads, memory_limit, temp_directory,
            snapshot, time_zone, chunks, like, interval, interval_method, cluster, alpha, allow_different,
            **switches: as for `compare`.
        test: the test of a pair: ``"paired_t"`` by default, or another one, see `compare`.
        adjust: how p is adjusted for the number of pairs of a metric. The default is ``"holm"``, or
            ``"none"`` if the test itself covers all pairs of systems, as ``"tukey"`` does. The slices of a
            slicing are one family, and the overall results of a metric are another one.
        margin: the largest difference that does not matter, as for `compare`, or a share of the value of the
            best system. Each system is then also tested against the best one, for the verdicts "equivalent"
            and "not worse". Their p-values are adjusted for the number of pairs, because the data decide
            which system is the best. Letters and ranks do not depend on the margin.
        resamples: the number of resamples of a test that resamples, and of the chances to be the best; by
            default, a chance comes from up to 2000 resamples.
        seed: another seed draws other resamples.

    Returns:
        A row for every system, slice and metric, the best first: value with its interval, place, interval
        of the rank, letters, difference to the best system with its adjusted p, chance to be the best, and a
        verdict in words.

    Raises:
        MetricError: one system only, a metric, switch, test or method that cannot be read, a metric without a
            best value, or an aggregation that is not a mean.
        InputError: the data cannot be evaluated, or the systems have values of different queries or rows.
        EngineError: the database refused a query.

    Source:
        Ranks from tests of all pairs: Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024,
        doi:10.1093/restud/rdad006; letters: Piepho, Journal of Computational and Graphical Statistics 2004,
        doi:10.1198/1061860043515.

    Example:
        tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
        result = duckmetrics.leaderboard(*tables, "ndcg@10", system="system")
        result.verdict  # 'pixels is the best of 2 systems'
        result.rows[1]["tier"]  # 'b'
    """
    refuse_misspelled(leaderboard, switches)
    refuse_metrics_as_truth(truth, metrics, connection)
    inference = read_inference(interval, interval_method, cluster, resamples, seed)
    inference = replace(inference, resampling=True)  # the chances to be the best
    comparer = read_comparer(inference, test or PAIRED, adjust, alpha, 0.8, allow_different, pairs=True)
    margins = margins_for(margin, comparer.test, comparer.adjust, comparer.inference.alpha)
    comparer = replace(comparer, families=OF_METRIC, command="leaderboard", margins=margins)
    given: dict[str, Any] = {
        "truth": truth, "by": by, "columns": columns, "queries": queries, "like": like, "layout": layout,
        "positive": positive, "score": score, "where": where, "version": version, "as_of": as_of,
        "history": history, "items": items, "reference": reference,
    }  # fmt: skip
    if engine is None:
        engine = session_of(predictions, system, *given.values(), *switches.values())
    opening = (engine, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with compared(comparer, predictions, metrics, system, chunks, given, switches, opening) as found:
        return ranked(comparer, found.session, found.parts)
