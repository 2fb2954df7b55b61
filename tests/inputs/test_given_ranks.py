"""A given rank counts as it is, in every interface: a gap stands for an unjudged item.

By hand: u1 has its relevant item a at rank 57, u2 its relevant item b at rank 3.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import InputError
from support.command_line import Command, results
from support.duckdb_shell import connected

if TYPE_CHECKING:
    from pathlib import Path

RUN = pa.table({"query_id": ["u1", "u2"], "item_id": ["a", "b"], "rank": [57, 3]})
TRUTH = pa.table({"query_id": ["u1", "u2"], "item_id": ["a", "b"]})
EXPECTED = {
    "mrr@10": (0 + 1 / 3) / 2, "mrr": (1 / 57 + 1 / 3) / 2, "map": (1 / 57 + 1 / 3) / 2,
    "first_rank": 30, "precision": (1 / 57 + 1 / 3) / 2, "precision(norm=returned)@10": (0 + 1 / 3) / 2,
    "judged@10": (0 + 1 / 3) / 2, "judged": (1 / 57 + 1 / 3) / 2, "ndcg@5": (0 + 1 / 2) / 2, "bpref": 1,
    "query_auc": 0, "infap": (1 / 57 + 1 / 3) / 2, "hit_rate@3": 1 / 2, "rbp(p=0.5)@5": 0.5**3 / 2,
    "map(norm=min_returned)@60": (1 / 57 + 1 / 3) / 2, "ndcg(ties=expected)@5": (0 + 1 / 2) / 2,
}  # fmt: skip
EVERY = [
    "mrr", "mrr@3", "map", "map@4", "map(norm=min_returned)@4", "map(norm=hits)@4", "precision",
    "precision(norm=returned)@10", "precision@3",
    "judged@10", "judged", "bpref", "infap", "query_auc", "ndcg@4",
    "ndcg(ideal=returned)@4", "err", "rbp", "iprec(recall=0.5)", "r_precision", "first_rank", "hits@3",
    "recall@5", "f1@5", "hit_rate@2", "cg@4", "dcg", "idcg",
]  # fmt: skip


@pytest.mark.slow
def test_a_rank_is_taken_as_it_is() -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, list(EXPECTED), verify=10)
    assert {m: found[m] for m in EXPECTED} == pytest.approx(EXPECTED)
    assert all(one.agrees for one in found.verified)
    assert duckmetrics.evaluate(RUN, TRUTH, "mrr@10", like="rectools")["mrr@10"] == pytest.approx(1 / 6)


@pytest.mark.slow
@pytest.mark.parametrize(
    "switches",
    [{}, {"unjudged": "skip"}, {"duplicates": "first"}, {"ties": "input"}, {"ties": "pessimistic"},
     {"scores": "float32", "labels": "returned"}],
    ids=str,
)  # fmt: skip
def test_the_reference_agrees_wherever_the_holes_are(switches: dict[str, Any]) -> None:
    chance = random.Random(7)
    run, truth = [], []
    for query in range(40):
        size = chance.randint(1, 6)
        places = zip(chance.sample(range(9), size), chance.sample(range(1, 12), size), strict=True)
        run += [(f"q{query}", f"i{item}", rank) for item, rank in places]
        for item in chance.sample(range(9), chance.randint(1, 6)):
            truth.append((f"q{query}", f"i{item}", chance.choice([0, 0, 1, 2])))
    if switches.get("duplicates") == "first":
        run += [(query, item, rank + 20) for query, item, rank in run[::3]]
    tables = (
        pa.table(dict(zip(("query_id", "item_id", name), map(list, zip(*rows, strict=True)), strict=True)))
        for name, rows in (("rank", run), ("relevance", truth))
    )
    found = duckmetrics.evaluate(*tables, EVERY, verify=1000, **switches)
    assert [one for one in found.verified if not one.agrees] == []


def test_items_that_are_skipped_close_the_ranks() -> None:
    """unjudged=skip removes items before the ranking, so a alone is the first."""
    assert duckmetrics.evaluate(RUN, TRUTH, "mrr", unjudged="skip")["mrr"] == 1


BAD = {
    "0 is no rank": [0, 3],
    "1.5 is no rank": [1.5, 3.0],
    "below": [-1, 3],
    "no number": [float("inf"), 3.0],
}


@pytest.mark.some(0)
@pytest.mark.parametrize("ranks", BAD.values(), ids=BAD)
def test_what_is_no_rank_is_refused(ranks: list[float]) -> None:
    for metric in ("mrr", "mrr@10", "judged@5"):
        with pytest.raises(InputError, match="column 'rank': 1 row whose rank is not a whole number of"):
            duckmetrics.evaluate(RUN.set_column(2, "rank", [ranks]), TRUTH, metric)


def test_a_rank_of_two_items_is_refused() -> None:
    run = pa.table({"query_id": ["u", "u", "v"], "item_id": ["a", "b", "c"], "rank": [2, 2, 2]})
    for metric in ("mrr", "mrr@10"):
        with pytest.raises(InputError, match=r"1 rank that several items .*query_id=u, rank=2"):
            duckmetrics.evaluate(run, TRUTH, metric)
    both = pa.concat_tables([RUN.append_column("m", [["A", "A"]]), RUN.append_column("m", [["B", "B"]])])
    assert duckmetrics.evaluate(both, TRUTH, "mrr@10", system="m").value("mrr@10", system="B") == 1 / 6


def test_scores_of_one_system_and_ranks_of_another_are_refused() -> None:
    scored = RUN.rename_columns(["query_id", "item_id", "score"])
    with pytest.raises(InputError, match=r"gives ranks and .* gives scores"):
        duckmetrics.evaluate({"A": RUN, "B": scored}, TRUTH, "mrr")


def test_a_rank_is_an_order_of_the_input() -> None:
    connection = duckdb.connect()
    connection.register("given", RUN)
    connection.execute("CREATE VIEW run AS SELECT * FROM given")
    for source in ("run", "SELECT * FROM given"):
        found = duckmetrics.evaluate(source, TRUTH, "mrr", ties="input", connection=connection)
        assert found["mrr"] == pytest.approx(EXPECTED["mrr"])


@pytest.mark.slow
def test_the_place_in_a_list_is_the_rank() -> None:
    lists = pa.table({"query_id": ["u1", "u2"], "items": [["x", "y", "a"], ["b"]]})
    for switches in ({}, {"ties": "input"}, {"like": "spark"}):
        found = duckmetrics.evaluate(lists, TRUTH, "map", **switches)
        assert found["map"] == pytest.approx((1 / 3 + 1) / 2)
    twice = pa.concat_tables([lists, lists])
    with pytest.raises(InputError, match="ranks that several items"):
        duckmetrics.evaluate(twice, TRUTH, "mrr", duplicates="count")


def test_no_window_where_the_ranks_are_given() -> None:
    """The query computes neither ranks nor ties of returned items, but still the ideal order."""
    query = duckmetrics.evaluate(RUN, TRUTH, ["mrr@10", "query_auc", "judged"]).sql
    steps = query[query.index("ranked AS (") :].split("), ")
    assert [step for step in steps if step.startswith(("ranked", "returned")) and "OVER (" in step] == []


def test_a_sample_of_candidates_has_no_holes() -> None:
    with pytest.raises(InputError, match="queries without exactly one relevant item"):
        duckmetrics.evaluate(RUN, TRUTH, "mrr", catalog_size=1000)


def test_the_command_line_agrees(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    connection = duckdb.connect()
    connection.register("run", RUN)
    connection.register("truth", TRUTH)
    files = [tmp_path / f"{name}.parquet" for name in ("run", "truth")]
    for file in files:
        connection.execute(f"COPY {file.stem} TO '{file}'")
    outcome = Command(capsys)("evaluate", *files, "-m", "mrr@10", "--format", "json")
    assert [row["value"] for row in results(outcome)] == [pytest.approx(1 / 6)]


@pytest.mark.slow
def test_the_shell_agrees() -> None:
    with connected() as connection:
        connection.register("run", RUN)
        connection.register("qrels", TRUTH)
        names = list(EXPECTED)
        for metric in ("mrr", "judged", "query_auc", "precision_at", "infap", "map_at"):
            found = connection.execute(f"SELECT value FROM {metric}(run, qrels)").fetchall()
            spec = metric.removesuffix("_at")
            assert found == [(pytest.approx(EXPECTED[spec]),)], (metric, names)
        assert connection.execute("SELECT value FROM ndcg(run, qrels, k := 5)").fetchall() == [(0.25,)]
        found = connection.execute("SELECT value FROM mrr(run, qrels, k := 10, ties := 'input')").fetchall()
        assert found == [(pytest.approx(1 / 6),)]
        found = connection.execute("SELECT value FROM mrr(run, qrels, unjudged := 'skip')").fetchall()
        assert found == [(1,)]
        for query, problem in {
            "SELECT query_id, item_id, rank - 3 AS rank FROM run": "not a whole number of 1 or more",
            "SELECT query_id, item_id, 2 AS rank FROM run UNION ALL SELECT 'u1', 'b', 2": "several items of",
        }.items():
            with pytest.raises(duckdb.Error, match=problem):
                connection.execute(f"FROM mrr('{query.replace(chr(39), chr(39) * 2)}', qrels)")
        scored = "SELECT query_id, item_id, -rank AS score FROM run"
        assert connection.execute(f"SELECT value FROM mrr('{scored}', qrels)").fetchall() == [(1,)]
