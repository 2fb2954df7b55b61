"""Rankings beside DuckDB's bare join of the same two files: 10,000,000 predictions of 100,000 queries."""

from __future__ import annotations

from benchmarks.timing import Command, Comparison, evaluate, python

SCRIPT = "ranking.sql"
FILES = ("predictions.parquet", "truth.parquet")
FIVE = "ndcg@10,ndcg@100,map,mrr,precision@10"
TWENTY = (
    "ndcg@10,ndcg@100,map,mrr,precision@10,ndcg@5,ndcg(gain=exp2)@10,precision@5,precision@20,recall@5,"
    "recall@10,recall@100,f1@10,hit_rate@1,hit_rate@10,hits@10,dcg@10,map@10,r_precision,rbp"
)
JOIN = python(
    'import duckdb; print(duckdb.sql(\'SELECT sum(score + relevance) FROM "predictions.parquet" '
    'JOIN "truth.parquet" USING (query_id, item_id)\').fetchall()[0][0])'
)


def ranking(metrics: str, *options: str) -> Command:
    return evaluate(FILES[0], metrics, *options, truth=FILES[1])


COMPARISONS = [
    Comparison("five metrics, all checks / bare join", ranking(FIVE), JOIN, same_value=False),
    Comparison("five metrics, duplicates not searched / bare join",
               ranking(FIVE, "--set", "duplicates=count"), JOIN, same_value=False),
    Comparison("one metric (map), all checks / bare join", ranking("map"), JOIN, same_value=False),
    Comparison("twenty metrics / one metric (map)", ranking(TWENTY), ranking("map"), same_value=False),
]  # fmt: skip
