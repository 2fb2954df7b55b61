"""Results in MLflow: names, numbers, tags and files, in its own store where the package is installed."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.cli.main import main
from duckmetrics.errors import EngineError
from duckmetrics.results.mlflow_runs import LoggedFacts, allowed
from support.made import Change, comparison, evaluation, value

if TYPE_CHECKING:
    from pathlib import Path

# The rule of mlflow/utils/validation.py on Windows, which is the strictest.
ALLOWED = re.compile(r"[/\w.\- ]+")
RUN = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
# Three systems; B has the relevant item b of q1 first.
ROWS = "(1, 'a', {}), (1, 'b', 5), (2, 'a', 2), (2, 'b', 8)"
SYSTEMS = {
    name: f"FROM (VALUES {ROWS.format(first)}) AS t(query_id, item_id, score)"
    for name, first in (("A", 9), ("B", 1), ("C", 9))
}
JUDGED = "FROM (VALUES (1, 'b', 1, 'x'), (2, 'b', 1, 'y')) AS t(query_id, item_id, relevance, place)"
QRELS = {"q1": {"b": 1}, "q2": {"b": 1}}
QUERIES = {"query_id": ["q1", "q2"], "place": ["São/Paulo", "São Paulo"]}


@pytest.mark.parametrize(("text", "name"), [
    ("ndcg@10", "ndcg_at_10"), ("map(norm=min_k)@10", "map_norm_min_k_at_10"), ("recall(threshold=0.65)",
    "recall_threshold_0.65"), ("a/b", "a_b"), ("..", "_.."), ("", "_"), ("''", "_"), ("München", "München"),
    (" x ", "x"), ("a\nb", "a_b"),
])  # fmt: skip
def test_a_name_is_allowed(text: str, name: str) -> None:
    assert allowed(text) == name
    assert ALLOWED.fullmatch(name)


def test_one_system_against_a_baseline_is_one_run() -> None:
    facts = LoggedFacts(comparison([Change("ndcg@10", 0.2, 0.25, 0.01, "better")]))
    assert len(facts.systems) == 1
    (system,) = facts.systems
    found = facts.numbers(system)
    assert found["ndcg_at_10"] == 0.25
    assert found["ndcg_at_10/baseline"] == 0.2
    assert found["ndcg_at_10/delta"] == pytest.approx(0.05)
    tags = {"system": "candidate", "metric.ndcg_at_10": "ndcg@10", "verdict.ndcg_at_10": "better"}
    assert facts.tags_of(system) == {f"duckmetrics.{name}": text for name, text in tags.items()}
    assert "duckmetrics.gates" not in facts.tags(None)
    assert facts.tags([])["duckmetrics.gates"] == "passed"


def test_two_numbers_never_share_a_name() -> None:
    rows = [value("A", f"x({mark}=1)", float(i)) for i, mark in enumerate(["a", "a!", "a?"])]
    found = LoggedFacts(evaluation(rows)).numbers("A")
    assert found == {"x_a_1": 0.0, "x_a_1_2": 1.0, "x_a_1_3": 2.0}


# ---- the package itself -----------------------------------------------------------------------------


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    package = pytest.importorskip("mlflow")
    package.set_tracking_uri(None)
    yield package
    while package.active_run() is not None:
        package.end_run()


def logged(mlflow: Any) -> dict[str, Any]:
    """Return the runs in the store by their names."""
    return {run.info.run_name: run for run in mlflow.MlflowClient().search_runs(["0"])}


@pytest.mark.warehouse
def test_an_evaluation_is_logged_to_the_active_run(mlflow: Any, tmp_path: Path) -> None:
    ev = duckmetrics.evaluate(RUN, QRELS, ["rr", "ndcg@10"], by="place", queries=QUERIES, interval=0.9)
    with mlflow.start_run(run_name="mine") as run:
        assert ev.log_mlflow(run_name="another", step=3, per_query=True, gates="rr < 0.9") == run.info.run_id
        assert mlflow.active_run().info.run_id == run.info.run_id
    (found,) = logged(mlflow).values()
    # rr of q1 is 1/2, because b is second, and of q2 1.
    places = ("/place/São_Paulo", "/place/São Paulo")
    numbers = found.data.metrics
    assert (numbers["rr"], *(numbers[f"rr{place}"] for place in places)) == (0.75, 0.5, 1.0)
    row = next(row for row in ev.rows if row["metric"] == "ndcg@10" and not row["slice"])
    kept = (numbers["ndcg_at_10"], numbers["ndcg_at_10/lower"], numbers["ndcg_at_10/upper"])
    assert kept == (row["value"], row["lower"], row["upper"])
    assert len(numbers) == 2 * (3 + 2)
    assert mlflow.MlflowClient().get_metric_history(run.info.run_id, "rr")[0].step == 3
    tags = found.data.tags
    assert tags["duckmetrics.version"] == duckmetrics.__version__
    assert tags["duckmetrics.metric.ndcg_at_10"] == "ndcg@10"
    assert tags["duckmetrics.signature.ndcg_at_10"] == row["signature"]
    assert tags["duckmetrics.gates"] == "gate failed: rr < 0.9: value is 0.75"
    folder = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=str(tmp_path / "got"))
    files = {path.name: path for path in (tmp_path / "got").rglob("*.*")}
    assert set(files) == {"results.csv", "results.parquet", "report.html", "per_query.parquet"}, folder
    assert pq.read_table(files["results.parquet"]).to_pylist() == ev.summary.to_pylist()
    with files["results.csv"].open(encoding="utf-8", newline="") as file:
        assert [float(row["value"]) for row in csv.DictReader(file)] == [row["value"] for row in ev.rows]
    values = pq.read_table(files["per_query.parquet"]).to_pylist()
    assert {row["query_id"]: row["value"] for row in values if row["metric"] == "rr"} == {"q1": 0.5, "q2": 1}
    assert "<!doctype html>" in files["report.html"].read_text("utf-8")


@pytest.mark.warehouse
def test_several_systems_are_nested_runs(mlflow: Any) -> None:
    found = duckmetrics.compare(SYSTEMS, JUDGED, "rr", by="place", baseline="A")
    identity = found.log_mlflow(report=False)
    runs = logged(mlflow)
    assert set(runs) == {"compare against A", "A", "B", "C"}
    parent = runs["compare against A"]
    assert (parent.info.run_id, parent.info.status, parent.data.metrics) == (identity, "FINISHED", {})
    assert parent.data.tags["duckmetrics.verdict"] == found.verdict
    assert {runs[name].data.tags["mlflow.parentRunId"] for name in "ABC"} == {identity}
    assert {name: runs[name].data.metrics["rr"] for name in "ABC"} == {"A": 0.75, "B": 1.0, "C": 0.75}
    assert runs["B"].data.metrics["rr/delta/place/x"] == 0.5
    assert runs["B"].data.metrics["rr/baseline"] == 0.75
    assert not {"rr/delta", "rr/baseline"} & set(runs["A"].data.metrics)
    assert runs["B"].data.tags["duckmetrics.verdict.rr"] == found.row("rr", "B")["verdict"]
    assert mlflow.active_run() is None


@pytest.mark.warehouse
def test_the_command_line_names_the_run(mlflow: Any, tmp_path: Path) -> None:
    for name, rows in (("p", "q,a,0.9\nq,b,0.5"), ("t", "q,b,1")):
        last = "score" if name == "p" else "relevance"
        (tmp_path / f"{name}.csv").write_text(f"query_id,item_id,{last}\n{rows}\n")
    asked = ["evaluate", "p.csv", "t.csv", "-m", "rr", "--fail-if", "rr < 0.1", "--mlflow"]
    # A database gets the rows in another connection, after the first is closed.
    main([*asked, "--run-id", "nightly", "-o", "runs.duckdb", "--table", "runs"])
    run = logged(mlflow)["nightly"]
    assert (run.data.metrics["rr"], run.data.tags["duckmetrics.gates"]) == (0.5, "passed")
    files = mlflow.MlflowClient().list_artifacts(run.info.run_id, "duckmetrics")
    assert {file.path for file in files} == {
        f"duckmetrics/{name}" for name in ("report.html", "results.csv", "results.parquet")
    }


@pytest.mark.warehouse
def test_many_slices_are_logged_in_several_requests(mlflow: Any) -> None:
    rows = [value("A", f"m{i}", 1.0) for i in range(1200)]
    numbers = LoggedFacts(evaluation(rows)).numbers("A")
    with mlflow.start_run(run_name="many"):
        mlflow.log_metrics(numbers)
    assert len(logged(mlflow)["many"].data.metrics) == 1200


@pytest.mark.warehouse
def test_a_server_that_is_not_there_is_an_error(mlflow: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    ev = duckmetrics.evaluate(RUN, QRELS, "rr")
    with pytest.raises(EngineError, match=r"MLflow: .*; see MLFLOW_TRACKING_URI"):
        ev.log_mlflow()
