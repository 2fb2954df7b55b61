"""The code of other tools, as their users write it: ``python peers.py NAME`` in a folder of data.

A peer prints the values on which it agrees with the defaults of duckmetrics, as JSON. It does not import
duckmetrics, so it can run in a separate environment.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

PREDICTIONS, TRUTH, IMPRESSIONS = "predictions.parquet", "truth.parquet", "impressions.parquet"
HISTORY = "history.parquet"


def bare_join(column: str = "score") -> dict[str, float]:
    """Join the two files with DuckDB, a lower bound for every tool that joins them."""
    import duckdb

    query = f"SELECT sum({column} + relevance) FROM '{PREDICTIONS}' JOIN '{TRUTH}' USING (query_id, item_id)"
    duckdb.sql(query).fetchall()
    return {}


def bare_join_of_ranks() -> dict[str, float]:
    return bare_join("rank")


def bare_sort() -> dict[str, float]:
    """Sort the scores and labels with DuckDB, close to a lower bound for every tool that ranks all rows."""
    import duckdb

    query = f"SELECT sum(score) FROM (SELECT score, label FROM '{IMPRESSIONS}' ORDER BY score OFFSET 1)"
    duckdb.sql(query).fetchall()
    return {}


def pytrec_eval() -> dict[str, float]:
    """Run the C code of trec_eval over dictionaries; it compares scores as 32-bit floats."""
    import pandas
    import pytrec_eval

    def nested(path: str, value: str, kind: type) -> dict[str, dict[str, Any]]:
        table = pandas.read_parquet(path)
        items = table["item_id"].astype(str)
        rows: dict[str, dict[str, Any]] = {}
        for query, item, number in zip(
            table["query_id"].astype(str), items, table[value].astype(kind).tolist(), strict=True
        ):
            rows.setdefault(query, {})[item] = number
        return rows

    run, qrels = nested(PREDICTIONS, "score", float), nested(TRUTH, "relevance", int)
    names = {"ndcg@10": "ndcg_cut_10", "ndcg@100": "ndcg_cut_100", "map": "map", "mrr": "recip_rank",
             "precision@10": "P_10"}  # fmt: skip
    found = pytrec_eval.RelevanceEvaluator(qrels, set(names.values())).evaluate(run).values()
    return {ours: sum(query[theirs] for query in found) / len(found) for ours, theirs in names.items()}


def ir_measures() -> dict[str, float]:
    """Run ir-measures over data frames, which calls pytrec_eval."""
    import ir_measures as measures
    import pandas

    def frame(path: str, value: str) -> pandas.DataFrame:
        table = pandas.read_parquet(path).rename(columns={"item_id": "doc_id", value: value})
        return table.astype({"query_id": str, "doc_id": str})

    names = {measures.nDCG @ 10: "ndcg@10", measures.nDCG @ 100: "ndcg@100", measures.AP: "map",
             measures.RR: "mrr", measures.P @ 10: "precision@10"}  # fmt: skip
    found = measures.calc_aggregate(list(names), frame(TRUTH, "relevance"), frame(PREDICTIONS, "score"))
    return {names[measure]: value for measure, value in found.items()}


def ranx() -> dict[str, float]:
    """Run ranx, compiled by numba, over data frames."""
    import pandas
    import ranx

    def frame(path: str) -> pandas.DataFrame:
        return pandas.read_parquet(path).astype({"query_id": str, "item_id": str})

    truth = frame(TRUTH).astype({"relevance": "int64"})
    qrels = ranx.Qrels.from_df(truth, q_id_col="query_id", doc_id_col="item_id", score_col="relevance")
    run = ranx.Run.from_df(frame(PREDICTIONS), q_id_col="query_id", doc_id_col="item_id", score_col="score")
    names = ["ndcg@10", "ndcg@100", "map", "mrr", "precision@10"]
    return {name: float(value) for name, value in ranx.evaluate(qrels, run, names).items()}


def rectools() -> dict[str, float]:
    """Run RecTools over data frames; its NDCG has binary gains, so its time counts but not its values."""
    import pandas
    from rectools import Columns
    from rectools.metrics import MAP, MRR, NDCG, Precision, calc_metrics

    names = {"query_id": Columns.User, "item_id": Columns.Item}
    predictions = pandas.read_parquet(PREDICTIONS).rename(columns=names)
    truth = pandas.read_parquet(TRUTH).rename(columns={**names, "relevance": Columns.Weight})
    predictions = predictions.sort_values([Columns.User, "score"], ascending=[True, False])
    predictions[Columns.Rank] = predictions.groupby(Columns.User).cumcount() + 1
    metrics = {"ndcg10": NDCG(k=10), "ndcg100": NDCG(k=100), "map": MAP(k=100), "mrr": MRR(k=100),
               "precision@10": Precision(k=10)}  # fmt: skip
    found = calc_metrics(metrics, predictions, truth)
    return {name: float(found[name]) for name in ("map", "mrr", "precision@10")}


def replay() -> dict[str, float]:
    """Run RePlay on Polars; its NDCG and MAP have other definitions, so only its time counts."""
    import polars as pl
    from replay.metrics import MAP, MRR, NDCG, OfflineMetrics, Precision

    metrics = [NDCG([10, 100]), MAP(100), MRR(100), Precision(10)]
    names = {"query_column": "query_id", "item_column": "item_id", "rating_column": "score"}
    found = OfflineMetrics(metrics, **names)(pl.read_parquet(PREDICTIONS), pl.read_parquet(TRUTH))
    return {"mrr": float(found["MRR@100"]), "precision@10": float(found["Precision@10"])}


def rectools_lists() -> dict[str, float]:
    """Run the metrics of popularity and coverage of RecTools over data frames."""
    import pandas
    from rectools import Columns
    from rectools.metrics import AvgRecPopularity, CatalogCoverage, MeanInvUserFreq, calc_metrics

    names = {"query_id": Columns.User, "item_id": Columns.Item}
    predictions = pandas.read_parquet(PREDICTIONS).rename(columns=names)
    history = pandas.read_parquet(HISTORY).rename(columns=names)
    predictions = predictions.sort_values([Columns.User, "score"], ascending=[True, False])
    predictions[Columns.Rank] = predictions.groupby(Columns.User).cumcount() + 1
    metrics = {"arp@10": AvgRecPopularity(k=10), "miuf@10": MeanInvUserFreq(k=10),
               "coverage@10": CatalogCoverage(k=10, normalize=True)}  # fmt: skip
    items = history[Columns.Item].unique()
    found = calc_metrics(metrics, predictions, prev_interactions=history, catalog=items)
    return {name: float(value) for name, value in found.items()}


def replay_lists() -> dict[str, float]:
    """Run the metrics of novelty and coverage of RePlay on Polars; its Novelty also counts other users."""
    import polars as pl
    from replay.metrics import Coverage, Novelty, OfflineMetrics, Surprisal

    names = {"query_column": "query_id", "item_column": "item_id", "rating_column": "score"}
    tables = (pl.read_parquet(PREDICTIONS), pl.read_parquet(TRUTH), pl.read_parquet(HISTORY))
    found = OfflineMetrics([Surprisal(10), Novelty(10), Coverage(10)], **names)(*tables)
    return {
        "miuf(scale=max, norm=k)@10": float(found["Surprisal@10"]),
        "coverage@10": float(found["Coverage@10"]),
    }


def count_of_history() -> dict[str, float]:
    """Count the interactions of every item with DuckDB, which every metric of popularity needs."""
    import duckdb

    query = f"SELECT max(n) FROM (SELECT item_id, count(*) AS n FROM '{HISTORY}' GROUP BY item_id)"
    duckdb.sql(query).fetchall()
    return {}


def polars_ranking() -> dict[str, float]:
    """Write the metrics in Polars by hand, as an expert would; it checks nothing."""
    import polars as pl

    truth = pl.scan_parquet(TRUTH)
    ranked = pl.scan_parquet(PREDICTIONS).sort("query_id", "score", descending=[False, True]).with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("query_id")
    )  # fmt: skip
    discount = 1 / (pl.col("rank") + 1).log(2)
    hits = ranked.join(truth, on=["query_id", "item_id"]).sort("query_id", "rank")
    hits = hits.with_columns(
        hit=pl.int_range(1, pl.len() + 1).over("query_id"), dcg=pl.col("relevance") * discount
    )
    ideal = truth.sort("query_id", "relevance", descending=[False, True]).with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("query_id")
    )  # fmt: skip
    ideal = ideal.with_columns(dcg=pl.col("relevance") * discount)

    def upto(k: int) -> pl.Expr:
        return pl.col("dcg").filter(pl.col("rank") <= k).sum()

    best = ideal.group_by("query_id").agg(upto(10).alias("i10"), upto(100).alias("i100"), m=pl.len())
    found = hits.group_by("query_id").agg(
        upto(10).alias("d10"), upto(100).alias("d100"), ap=(pl.col("hit") / pl.col("rank")).sum(),
        rr=1 / pl.col("rank").min(), p=(pl.col("rank") <= 10).sum() / 10,
    )  # fmt: skip
    both = best.join(found, on="query_id", how="left").fill_null(0)
    means = both.select(
        (pl.col("d10") / pl.col("i10")).mean().alias("ndcg@10"),
        (pl.col("d100") / pl.col("i100")).mean().alias("ndcg@100"),
        (pl.col("ap") / pl.col("m")).mean().alias("map"),
        pl.col("rr").mean().alias("mrr"), pl.col("p").mean().alias("precision@10"),
    )  # fmt: skip
    return means.collect().row(0, named=True)


def sklearn_auc(score: str = "score") -> dict[str, float]:
    import pandas
    from sklearn.metrics import roc_auc_score

    table = pandas.read_parquet(IMPRESSIONS, columns=["label", score])
    return {"auc": float(roc_auc_score(table["label"], table[score]))}


def sklearn_auc_rounded() -> dict[str, float]:
    return sklearn_auc("rounded")


def sklearn_log_loss() -> dict[str, float]:
    import pandas
    from sklearn.metrics import log_loss

    table = pandas.read_parquet(IMPRESSIONS, columns=["label", "score"])
    return {"log_loss": float(log_loss(table["label"], table["score"]))}


def sklearn_average_precision() -> dict[str, float]:
    import pandas
    from sklearn.metrics import average_precision_score

    table = pandas.read_parquet(IMPRESSIONS, columns=["label", "score"])
    return {"average_precision": float(average_precision_score(table["label"], table["score"]))}


def polars_average_precision() -> dict[str, float]:
    """Sum the precision at each distinct score, weighted by the clicks that have it."""
    import polars as pl

    groups = (
        pl.scan_parquet(IMPRESSIONS)
        .group_by("score")
        .agg(pl.col("label").cast(pl.Float64).sum().alias("clicks"), pl.len().cast(pl.Float64).alias("rows"))
        .sort("score", descending=True)
    )
    precision = pl.col("clicks").cum_sum() / pl.col("rows").cum_sum()
    value = (pl.col("clicks") * precision).sum() / pl.col("clicks").sum()
    return {"average_precision": groups.select(value).collect().item()}


def polars_auc(score: str = "score") -> dict[str, float]:
    """Return the AUC from the sum of the average ranks of the clicks."""
    import polars as pl

    clicked = pl.col("label") == 1
    ranked = pl.scan_parquet(IMPRESSIONS).select(clicked.alias("y"), pl.col(score).rank("average").alias("r"))
    sums = ranked.select(pl.col("r").filter("y").sum(), pl.col("y").sum().cast(pl.Float64).alias("p"),
                         pl.len().cast(pl.Float64).alias("n"))  # fmt: skip
    r, p, n = sums.collect().row(0)
    return {"auc": (r - p * (p + 1) / 2) / (p * (n - p))}


def polars_auc_rounded() -> dict[str, float]:
    return polars_auc("rounded")


def chdb_auc() -> dict[str, float]:
    """Run ClickHouse in the process."""
    import chdb

    query = f"SELECT arrayROCAUC(groupArray(score), groupArray(label)) FROM file('{IMPRESSIONS}')"
    return {"auc": float(str(chdb.query(query, "CSV")))}


def pandas_gauc() -> dict[str, float]:
    """Group roc_auc_score by 1 % of the users; its time is scaled to all of them."""
    import pandas
    from sklearn.metrics import roc_auc_score

    table = pandas.read_parquet(IMPRESSIONS, columns=["user_id", "label", "score"])
    table = table[table["user_id"] % 100 == 0]
    start = time.perf_counter()
    both = table.groupby("user_id").filter(lambda rows: rows["label"].nunique() == 2)
    aucs = both.groupby("user_id").apply(lambda rows: roc_auc_score(rows["label"], rows["score"]))
    weights = both.groupby("user_id").size()
    (aucs * weights).sum() / weights.sum()
    return {"seconds_more": 99 * (time.perf_counter() - start)}


def main() -> None:
    print(json.dumps(globals()[sys.argv[1]]()))


if __name__ == "__main__":
    main()
