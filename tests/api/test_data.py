"""Data that are read once: every question has the answer of its function, and none reads the tables again."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.engines.duckdb import DuckDBEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Ties, a missing query, an unjudged one, an item without relevance, and two systems.
PREDICTIONS = [
    (system, user, item, score, country)
    for system, shift in (("A", 0.0), ("B", 0.5))
    for user, country in (("u1", "JP"), ("u2", "DE"), ("u3", "DE"), ("u5", "JP"))
    for item, score in (("a", 1.0 - shift), ("b", 0.5), ("c", 0.5), ("d", 0.25 + shift))
]
TRUTH = [("u1", "a", 1), ("u1", "d", 2), ("u2", "b", 1), ("u3", "c", 0), ("u4", "a", 1)]
CLICKS = {
    "label": [1, 0, 1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7, 0.2, 0.2],
    "other": [0.5, 0.5, 0.9, 0.1, 0.8, 0.3],
    "user_id": ["u", "u", "v", "v", "w", "w"], "country": ["JP", "JP", "DE", "DE", "DE", "JP"],
}  # fmt: skip
LONG = {"system": "system"}
METRICS = ["ndcg@2", "mrr", "recall@3"]


def frame(rows: list[tuple[Any, ...]], *names: str) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def tables() -> tuple[pa.Table, pa.Table]:
    predictions = frame(PREDICTIONS, "system", "query_id", "item_id", "score", "country")
    return predictions, frame(TRUTH, "query_id", "item_id", "relevance")


OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("csv", "arrow", "parquet", "query")]


@pytest.fixture(params=["connection", *OTHERS])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[tuple[Any, Any], dict[str, Any]]]:
    """Return predictions and truth of a kind, and the options that they need."""
    predictions, truth = tables()
    if request.param == "arrow":
        yield (predictions, truth), LONG
        return
    if request.param == "connection":
        with duckdb.connect() as connection:
            for name, table in (("run", predictions), ("truth", truth)):
                connection.register("given", table)
                connection.execute(f"CREATE TABLE {name} AS FROM given")
                connection.unregister("given")
            yield ("run", "truth"), {**LONG, "connection": connection}
        return
    suffix = "csv" if request.param == "csv" else "parquet"
    paths = [str(tmp_path / f"{name}.{suffix}") for name in ("run", "truth")]
    for path, table in zip(paths, (predictions, truth), strict=True):
        duckdb.from_arrow(table).write_csv(path) if suffix == "csv" else pq.write_table(table, path)
    if request.param == "query":
        paths[0] = f"SELECT * FROM '{paths[0]}' ORDER BY item_id"
    yield (paths[0], paths[1]), LONG


def in_order(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


# Each question, as a method of the data and as a function, with rows that say all.
QUESTIONS: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "evaluate": ({"metrics": METRICS}, lambda found: (found.rows, found.checks, in_order(found.per_query))),
    "check": ({"metrics": "ndcg@2"}, lambda found: (found.rows, found.looked_at)),
    "compare": ({"metrics": METRICS, "baseline": "A"}, lambda found: (found.rows, found.checks)),
    "leaderboard": ({"metrics": "mrr"}, lambda found: found.rows),
    "plan": ({"metrics": "mrr", "baseline": "A", "difference": 0.1}, lambda found: found.rows),
    "explain": ({"metrics": "ndcg@2", "query": "u1", "baseline": "A"}, lambda found: in_order(found.summary)),
    "ties": ({"metrics": ["ndcg@2", "mrr"]}, lambda found: found.rows),
    "conventions": ({"metrics": "ndcg@2", "like": "trec_eval"}, lambda found: found.rows),
}  # fmt: skip


def shown(rows: Any) -> str:
    """Write rows with ten digits: the order in which threads add decides the last ones of an interval."""
    return re.sub(r"\d+\.\d+(e[+-]?\d+)?", lambda number: f"{float(number[0]):.10g}", repr(rows))


def asked(data: duckmetrics.Data, question: str, **more: Any) -> str:
    options, rows = QUESTIONS[question]
    return shown(rows(getattr(data, question)(**{**options, **more})))


def alone(given: tuple[tuple[Any, Any], dict[str, Any]], question: str, **more: Any) -> str:
    positions, options = given
    own, rows = QUESTIONS[question]
    return shown(rows(getattr(duckmetrics, question)(*positions, **{**options, **own, **more})))


def test_every_question_has_the_answer_of_its_function(given: tuple[tuple[Any, Any], dict[str, Any]]) -> None:
    """Asked one after the other, and again: nothing that a question leaves changes another one."""
    data = duckmetrics.data(*given[0], **given[1])
    expected = {question: alone(given, question) for question in QUESTIONS}
    for question in [*QUESTIONS, "check", "compare", "evaluate"]:
        assert asked(data, question) == expected[question], question


@pytest.mark.some(3)
@pytest.mark.parametrize("more", [
    {"by": "country"}, {"like": "trec_eval", "missing": "skip"}, {"ties": "pessimistic"}, {"chunks": 2},
    {"interval": 0.9, "interval_method": "bootstrap", "resamples": 50}, {"population": "truth"},
    {"interval": 0.95, "cluster": "country", "population": "both"}, {"verify": 3}, {"missing": "skip"},
    {"population": {"query_id": ["u1", "u2"]}},
])  # fmt: skip
def test_what_a_question_asks_is_its_own(more: dict[str, Any]) -> None:
    """Slices, conventions, intervals and a population of one question do not stay for the next one."""
    data = duckmetrics.data(*tables(), **LONG)
    usual = asked(data, "evaluate")
    assert asked(data, "evaluate", **more) == alone((tables(), LONG), "evaluate", **more)
    assert asked(data, "evaluate") == usual == alone((tables(), LONG), "evaluate")


@pytest.mark.some(2)
@pytest.mark.parametrize("options", [
    {"by": "country"}, {"where": {"predictions": "country = 'JP'"}}, {"by": "lower(country) AS c"},
    {"columns": {"truth.relevance": "relevance"}}, {"history": "SELECT 'u1' AS query_id, 'a' AS item_id"},
    {"by": "country", "queries": "SELECT DISTINCT 'u' || i AS query_id, i AS country FROM range(1, 6) t(i)"},
    {"snapshot": "auto"}, {"snapshot": "never"},
])  # fmt: skip
def test_options_of_the_data(options: dict[str, Any]) -> None:
    data = duckmetrics.data(*tables(), **LONG, **options)
    expected = {q: alone((tables(), {**LONG, **options}), q) for q in ("evaluate", "check", "compare")}
    for question in ("evaluate", "check", "evaluate", "compare"):
        assert asked(data, question) == expected[question], question


def test_rows_of_a_classifier() -> None:
    scores = {"one": "score", "two": "other"}
    data = duckmetrics.data(CLICKS, score=scores, by="country")
    for options in ({}, {"interval": 0.9, "cluster": "user_id"}):
        found = data.evaluate(["auc", "log_loss"], **options)
        same = duckmetrics.evaluate(
            CLICKS, metrics=["auc", "log_loss"], score=scores, by="country", **options
        )
        assert shown(found.rows) == shown(same.rows)
    assert data.curve("roc_curve") == duckmetrics.curve(CLICKS, "roc_curve", score=scores, by="country")
    assert data.check().rows == duckmetrics.check(CLICKS, score=scores, by="country").rows
    groups = data.explain("log_loss", by="country", of="one").summary
    assert (
        groups
        == duckmetrics.explain(CLICKS, metrics="log_loss", score=scores, by="country", of="one").summary
    )
    tools = data.conventions("auc", like="sklearn")
    assert tools.rows == duckmetrics.conventions(CLICKS, metrics="auc", score=scores, like="sklearn").rows


def test_sampled_candidates() -> None:
    run = {f"q{i}": {"a": 0.9, "b": 0.5 + i / 10, "c": 0.1} for i in range(6)}
    truth = {f"q{i}": {"b": 1} for i in range(6)}
    data = duckmetrics.data(run, truth)
    assert (
        data.sampled("recall@1", n_items=50).rows
        == duckmetrics.sampled(run, truth, "recall@1", n_items=50).rows
    )


# --- once --------------------------------------------------------------------------------------------


def test_no_question_reads_the_files_again(tmp_path: Path) -> None:
    """They are gone."""
    predictions, truth = tables()
    run, judged = tmp_path / "run.parquet", tmp_path / "truth.parquet"
    pq.write_table(predictions, run)
    pq.write_table(truth, judged)
    asked_of = [question for question in QUESTIONS if question != "conventions"]
    expected = {question: alone(((run, judged), LONG), question) for question in asked_of}
    data = duckmetrics.data(run, judged, **LONG)
    run.unlink()
    judged.unlink()
    for question, rows in expected.items():
        assert asked(data, question) == rows, question


def test_a_question_asked_twice_counts_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    data = duckmetrics.data(*tables(), **LONG)
    first = asked(data, "check")
    texts: list[str] = []
    rows = DuckDBEngine.rows

    def counted(self: DuckDBEngine, query: Any) -> list[tuple[Any, ...]]:
        texts.append(str(query))
        return rows(self, query)

    monkeypatch.setattr(DuckDBEngine, "rows", counted)
    assert asked(data, "check") == first
    n_again = len(texts)
    asked(duckmetrics.data(*tables(), **LONG), "check")
    assert n_again < (len(texts) - n_again) / 2


def test_answers_are_about_the_rows_that_were_read() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE run AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        connection.execute("CREATE TABLE truth AS SELECT 'q' AS query_id, 'b' AS item_id, 1 AS relevance")
        data = duckmetrics.data("run", "truth", connection=connection)
        connection.execute("INSERT INTO run VALUES ('q', 'b', 2.0)")
        assert data.evaluate("mrr")["mrr"] == 0
        assert duckmetrics.data("run", "truth", connection=connection).evaluate("mrr")["mrr"] == 1
        changing = duckmetrics.data("run", "truth", connection=connection, snapshot="never")
        assert changing.evaluate("mrr")["mrr"] == 1
        connection.execute("DELETE FROM run WHERE item_id = 'b'")
        assert changing.evaluate("mrr")["mrr"] == 0
        assert [finding.check for finding in changing.check("mrr").rows] == [
            finding.check for finding in duckmetrics.check("run", "truth", "mrr", connection=connection).rows
        ]


def test_a_file_that_changes_is_refused_if_it_must_be_read_again(tmp_path: Path) -> None:
    predictions, truth = tables()
    run = tmp_path / "run.parquet"
    pq.write_table(predictions, run)
    kept = duckmetrics.data(run, truth, **LONG)
    read_in_place = duckmetrics.data(run, truth, snapshot="auto", **LONG)
    before = asked(kept, "evaluate")
    pq.write_table(predictions.slice(4), run)
    assert asked(kept, "evaluate") == before
    with pytest.raises(InputError, match=r"run.parquet: changed after it was evaluated"):
        read_in_place.evaluate("mrr")
    with pytest.raises(InputError, match=r"run.parquet: changed after it was evaluated"):
        kept.evaluate("mrr", by="country")  # a column that was not read


def test_a_column_that_was_not_read_is_read_then() -> None:
    data = duckmetrics.data(*tables(), **LONG)
    assert "country" not in repr(data)
    for by in ("country", None, "country || '!' AS loud"):
        assert asked(data, "evaluate", by=by) == alone((tables(), LONG), "evaluate", by=by)


@pytest.mark.parametrize("on", ["our own", "the caller's"])
def test_a_question_that_fails_spoils_no_other(on: str) -> None:
    connection = duckdb.connect() if on == "the caller's" else None
    data = duckmetrics.data(*tables(), connection=connection, **LONG)
    usual = alone((tables(), LONG), "evaluate")
    with pytest.raises(MetricError):
        data.evaluate("ndgc@10")
    with pytest.raises(InputError, match="no table has a column 'nowhere'"):
        data.evaluate("mrr", by="nowhere")
    assert asked(data, "evaluate") == usual
    with pytest.raises(InputError, match="by 'x'"):
        data.evaluate("mrr", by="country + 1 AS x")
    with pytest.raises(MetricError, match="no such system"):
        data.compare("mrr", baseline="C")
    assert asked(data, "evaluate") == usual
    assert asked(data, "check") == alone((tables(), LONG), "check")


def test_what_cannot_be_read_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        duckmetrics.data(str(tmp_path / "nowhere.parquet"), tables()[1])
    with pytest.raises(MetricError, match="colums=: data has no such argument; did you mean 'columns'"):
        duckmetrics.data(*tables(), colums={})  # type: ignore[call-arg]
    with pytest.raises(MetricError, match="basline=: compare has no such argument; did you mean 'baseline'"):
        duckmetrics.data(*tables(), **LONG).compare("mrr", basline="A")  # type: ignore[call-arg]


def test_the_statements_of_each_question_run_alone(tmp_path: Path) -> None:
    """Those that made the tables of an earlier question are among them, and no others."""
    predictions, truth = tables()
    pq.write_table(predictions, tmp_path / "run.parquet")
    pq.write_table(truth, tmp_path / "truth.parquet")
    data = duckmetrics.data(str(tmp_path / "run.parquet"), str(tmp_path / "truth.parquet"), **LONG)
    first, second = data.evaluate("ndcg@2"), data.evaluate(["ndcg@2", "mrr"])
    for found in (first, second, data.evaluate("recall@3")):
        with duckdb.connect() as connection:
            connection.execute(found.sql)
    assert "recall" not in second.sql


def test_threads_ask_the_same_data() -> None:
    data = duckmetrics.data(*tables(), **LONG)
    expected = {metric: duckmetrics.evaluate(*tables(), metric, **LONG).rows for metric in METRICS}
    found: dict[str, Any] = {}

    def ask(metric: str) -> None:
        found[metric] = data.evaluate(metric).rows

    threads = [threading.Thread(target=ask, args=(metric,)) for metric in METRICS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_results_of_evaluate_are_data_too() -> None:
    one, two = ({"q": {"a": 0.9, "b": score}} for score in (0.5, 1.0))
    truth = {"q": {"b": 1}}
    results = {name: duckmetrics.evaluate(run, truth, "mrr") for name, run in (("A", one), ("B", two))}
    compared = duckmetrics.compare(results).rows
    assert duckmetrics.data(results).compare().rows == compared
    assert duckmetrics.compare(results, snapshot="always").rows == compared
    with pytest.raises(
        MetricError, match="results of evaluate are compared as they are; leave out truth, by"
    ):
        duckmetrics.compare(results, truth, by="country")


def test_the_data_say_what_they_are() -> None:
    assert repr(duckmetrics.data(*tables(), **LONG)).splitlines() == [
        "Data",
        "  predictions  predictions (Table): system, query_id, item_id, score",
        "  truth        truth (Table): query_id, item_id, relevance",
    ]


def test_a_report_is_of_a_comparison_if_there_are_several_systems(tmp_path: Path) -> None:
    several = duckmetrics.data(*tables(), **LONG)
    made = several.report(tmp_path / "two.html", "mrr", baseline="A")
    assert made.verdict == several.compare("mrr", baseline="A").report().verdict
    assert "<!doctype html>" in (tmp_path / "two.html").read_text("utf-8")
    one = duckmetrics.data(*tables(), where={"predictions": "system = 'A'"})
    assert one.report(metrics="mrr").verdict == one.evaluate("mrr", interval=0.95).report().verdict
    with pytest.raises(MetricError, match="otherwise: is for several systems; leave it out"):
        one.report(metrics="mrr", otherwise=[{"ties": "pessimistic"}])


def test_a_population_that_changes_counts_anew() -> None:
    pandas = pytest.importorskip("pandas")
    data = duckmetrics.data(*tables(), **LONG)
    population = pandas.DataFrame({"query_id": ["u1", "u2"]})
    before = data.evaluate("mrr", population=population)
    population.loc[1, "query_id"] = "u4"
    after = data.evaluate("mrr", population=population)
    assert after.rows != before.rows
    assert shown(after.rows) == shown(
        duckmetrics.evaluate(*tables(), "mrr", population=population, **LONG).rows
    )


def test_a_condition_on_attributes_counts_for_questions_with_slices() -> None:
    """Without slices it restricts nothing, and is refused, as the function does."""
    queries = "SELECT DISTINCT 'u' || i AS query_id, i AS age FROM range(1, 6) t(i)"
    options: dict[str, Any] = {**LONG, "queries": queries, "where": {"queries": "age > 1"}}
    data = duckmetrics.data(*tables(), **options)
    assert asked(data, "evaluate", by="age") == alone((tables(), options), "evaluate", by="age")
    assert asked(data, "ties") == alone((tables(), LONG), "ties")
    with pytest.raises(InputError, match="where queries: only slices, clusters and weights read this table"):
        data.evaluate("mrr")
