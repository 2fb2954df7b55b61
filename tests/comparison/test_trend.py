"""Trends over the runs of a log, and gates on earlier runs."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import DuckmetricsError, InputError, MetricError
from duckmetrics.engines import run_log
from duckmetrics.results.gates import read_gates
from duckmetrics.results.per_query import LogPlace
from support.command_line import exports, run

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

SIGNATURE = "auc|weighted:true|v:0.1.0"


def logged(path: Path, values: list[float | None], *, start: int = 0, **more: Any) -> None:
    """Log a run of each value, a day after the other."""
    for i, value in enumerate(values, start=start):
        columns = {
            "metric": "auc", "slice": "", "segment": [], "system": None, "value": value, "n": 10,
            **dict.fromkeys(("lower", "upper", "level", "target")), "better": "higher",
            "signature": SIGNATURE, "release": "0.1.0", "tags": [], **more,
        }  # fmt: skip
        pairs = pa.map_(pa.string(), pa.string())
        number = dict.fromkeys(("value", "lower", "upper", "level", "target"), pa.float64())
        types = {**number, "segment": pairs, "tags": pairs, "n": pa.int64()}
        rows = pa.table({k: pa.array([v], types.get(k, pa.string())) for k, v in columns.items()})
        day = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=i)
        run_log.append(LogPlace(path, f"run {i}", day), rows)


CLICKS = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}


# --- trends ------------------------------------------------------------------------------------------


def test_the_usual_range_is_of_the_runs_before(tmp_path: Path) -> None:
    values: list[float | None] = [0.70, 0.72, 0.71, None, 0.69, 0.73, 0.60, 0.71]
    logged(tmp_path / "runs", values)
    rows = duckmetrics.trend(tmp_path / "runs").rows
    for i, found in enumerate(rows):
        before = [value for value in values[:i] if value is not None]
        if len(before) < 5:
            assert (found["usual"], found["usual_lower"]) == (None, None)
            continue
        center, sd = statistics.fmean(before), statistics.stdev(before)
        assert found["usual_lower"] == pytest.approx(center - 3 * sd)
        assert found["usual_upper"] == pytest.approx(center + 3 * sd)
    assert [found["usual"] for found in rows[-2:]] == ["below", "within"]
    assert rows[5]["change"] == pytest.approx(0.04)
    assert rows[4]["change"] is None  # the run before has no value


def test_equal_values_are_usual(tmp_path: Path) -> None:
    logged(tmp_path / "runs", [0.1 + 0.2] * 12)
    found = duckmetrics.trend(tmp_path / "runs")
    assert {one["usual"] for one in found.rows[5:]} == {"within"}
    assert found.verdict == "the last values of the series are within the usual range"


def test_other_conventions_are_another_series_of_runs(tmp_path: Path) -> None:
    """Another release is the same series."""
    logged(tmp_path / "runs", [0.7] * 5)
    logged(tmp_path / "runs", [0.7], start=5, signature="auc|weighted:true|v:0.2.0")
    logged(tmp_path / "runs", [0.2], start=6, signature="auc|weighted:false|v:0.2.0")
    rows = duckmetrics.trend(tmp_path / "runs").rows
    assert [one["usual"] for one in rows[-2:]] == ["within", None]
    assert rows[-1]["previous_value"] is None


def test_last_runs_and_days(tmp_path: Path) -> None:
    logged(tmp_path / "runs", [0.7] * 10)
    log = tmp_path / "runs"
    assert len(duckmetrics.trend(log, last=3).rows) == len(duckmetrics.trend(log, last="3").rows) == 3
    assert len(duckmetrics.trend(log, last="2d").rows) == 3
    assert len(duckmetrics.trend(log, last="1w").rows) == 8
    assert len(duckmetrics.trend(log, last="24h").rows) == 2


def test_what_left_its_range_is_named(tmp_path: Path) -> None:
    logged(tmp_path / "runs", [0.70, 0.72, 0.71, 0.69, 0.73, 0.50])
    found = duckmetrics.trend(tmp_path / "runs")
    assert found.verdict == "auc left its usual range: 0.5000, usually 0.6626 to 0.7574"
    assert "▼ worse" in str(found)
    assert "▇" in str(found) or "█" in str(found)
    assert found.to_dict()["verdict"] == found.verdict
    assert found.summary.num_rows == 6
    assert found.chart().title == (
        "auc went from 0.700 on 1 Nov to 0.500 on 6 Nov, outside its usual range of 0.663 to 0.757"
    )
    assert "<svg" in found.chart().svg()


def test_of_several_systems_the_one_that_left_its_range_is_named(tmp_path: Path) -> None:
    logged(tmp_path / "runs", [0.70, 0.72, 0.71, 0.69, 0.73, 0.50], system="new")
    logged(tmp_path / "runs", [0.70, 0.71], start=6, system="old")
    found = duckmetrics.trend(tmp_path / "runs")
    assert found.verdict.startswith("auc of new left its usual range: 0.5000")
    assert found.chart().title == (
        "auc of new went from 0.700 on 1 Nov to 0.500 on 6 Nov, outside its usual range of 0.663 to 0.757; "
        "of old went from 0.700 on 7 Nov to 0.710 on 8 Nov"
    )


def test_slices_and_systems(tmp_path: Path) -> None:
    clicks = {"label": [1, 0, 1, 0] * 5, "score": [0.9, 0.4, 0.6, 0.7] * 5, "country": ["JP", None] * 10}
    for day in range(3):
        both = duckmetrics.evaluate({"A": clicks, "B": clicks}, metrics=["auc", "brier"], by="country")
        both.log(tmp_path / "runs", run_id=str(day), tags={"commit": str(day // 2)})
    found = duckmetrics.trend(tmp_path / "runs", "auc", by="country", system="B")
    assert {tuple(one["segment"].items()) for one in found.rows} == {
        (("country", "JP"),),
        (("country", None),),
    }
    assert "commit 1" in found.chart().svg()
    assert len(duckmetrics.trend(tmp_path / "runs").series) == 4


def test_a_long_log_is_read_in_a_second(tmp_path: Path) -> None:
    """A thousand runs of fifty series; the limit is five times that of a quiet machine."""
    runs, series = 1000, 50
    n = runs * series
    pairs = pa.map_(pa.string(), pa.string())
    day = np.repeat(np.datetime64("2024-01-01", "us") + np.arange(runs) * np.timedelta64(1, "D"), series)
    rows = pa.table({
        "run_time": pa.array(day, pa.timestamp("us", "UTC")), "run_id": [f"r{i // series}" for i in range(n)],
        "metric": ["auc"] * n, "slice": ["country"] * n, "system": pa.array([None] * n, pa.string()),
        "segment": pa.array([[("country", str(i % series))] for i in range(n)], pairs),
        "value": np.random.default_rng(0).random(n), "lower": pa.array([None] * n, pa.float64()),
        "upper": pa.array([None] * n, pa.float64()), "level": pa.array([None] * n, pa.float64()),
        "n": [1] * n, "better": ["higher"] * n, "target": pa.array([None] * n, pa.float64()),
        "signature": [SIGNATURE] * n, "release": ["0.1.0"] * n, "tags": pa.array([[]] * n, pairs),
    })  # fmt: skip
    (tmp_path / "runs").mkdir()
    pq.write_table(rows, tmp_path / "runs" / "run-all-00000000.parquet")
    duckmetrics.trend(tmp_path / "runs", "auc", by="country", last=30)
    start = time.process_time()
    found = duckmetrics.trend(tmp_path / "runs", "auc", by="country", last=30)
    assert len(found.rows) == 30 * series
    assert time.process_time() - start < 5


# --- gates -------------------------------------------------------------------------------------------


@cache
def evaluated() -> duckmetrics.Evaluation:
    return duckmetrics.evaluate({"label": [1, 0], "score": [0.9, 0.1]}, metrics="auc")


def failures(path: Path, gate: str, value: float, **more: Any) -> list[str]:
    found = evaluated()
    (one,) = found.rows
    changed = {**one, "value": value, "signature": SIGNATURE, **more}
    return replace(found, rows=(changed,)).failures(gate, log=path)


@pytest.mark.parametrize(
    ("gate", "value", "fails"),
    [
        ("auc < last - 0.005", 0.6949, True), ("auc < last - 0.005", 0.696, False),
        ("auc < last - 1%", 0.692, True), ("auc < last - 1%", 0.694, False),
        ("auc < -1%", 0.692, True), ("auc < -1%", 0.694, False),
        ("auc drops more than 1%", 0.692, True), ("auc falls by more than 0.01", 0.6899, True),
        ("auc falls more than 0.01 below run:run 0", 0.89, False),
        ("auc rises more than 1%", 0.708, True), ("auc rises more than 1%", 0.706, False),
        ("auc < mean(3 runs)", 0.709, True), ("auc < mean(3 runs)", 0.711, False),
        ("auc < mean(5 runs) - 3 sd", 0.69, False), ("auc < mean(5) - 3 sd", 0.60, True),
        ("auc < +1%", 0.706, True), ("auc < last − 1e-3", 0.6985, True),
        ("auc < mean(100 runs)", 0.70, True),
        ("auc < tag:prod", 0.709, True), ("auc < tag:stage=prod", 0.711, False),
        ("auc < run:run_5", 0.7, False),
    ],
)  # fmt: skip
def test_gates_on_earlier_runs(tmp_path: Path, gate: str, value: float, fails: bool) -> None:
    log = tmp_path / "runs"
    logged(log, [0.75, 0.73, 0.71])
    logged(log, [0.71], start=3, tags=[("stage", "prod")])
    logged(log, [0.72, 0.70], start=4)
    if "run:" in gate:
        gate = gate.replace("run:run 0", "run:first").replace("run:run_5", "run:first")
        run_log.append(LogPlace(log, "first", datetime(2026, 10, 1, tzinfo=UTC)), of_run(0.65))
    assert bool(failures(log, gate, value)) == fails


def of_run(value: float) -> pa.Table:
    pairs = pa.map_(pa.string(), pa.string())
    columns: dict[str, Any] = {"metric": "auc", "slice": "", "signature": SIGNATURE}
    rows = pa.table({name: [text] for name, text in columns.items()})
    empty = {name: pa.array([None], pa.float64()) for name in ("lower", "upper", "level")}
    for name, column in {
        "system": pa.array([None], pa.string()), "value": pa.array([value]), "segment": pa.array([[]], pairs),
        "tags": pa.array([[]], pairs), **empty,
    }.items():  # fmt: skip
        rows = rows.append_column(name, column)
    return rows


def test_the_first_run_passes(tmp_path: Path) -> None:
    assert failures(tmp_path / "none.duckdb", "auc < last", 0.1) == []
    logged(tmp_path / "runs", [0.7])
    assert failures(tmp_path / "runs", "auc < mean(7 runs) - 3 sd", 0.1) == []


def test_another_release_is_compared(tmp_path: Path) -> None:
    logged(tmp_path / "runs", [0.7])
    (said,) = failures(tmp_path / "runs", "auc < last", 0.6, signature="auc|weighted:true|v:9.9.9")
    assert said == "gate failed: auc < last: value is 0.6; run run 0 of 2026-11-01 has 0.7"


def test_a_paired_test_needs_values_per_query(tmp_path: Path) -> None:
    """The same answer as scipy's on the values of both runs; without them, the intervals decide."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    before = {f"q{i:02}": {"judge": float(x)} for i, x in enumerate(rng.random(40))}
    now = {
        query: {"judge": one["judge"] - 0.1 + 0.05 * float(rng.standard_normal())}
        for query, one in before.items()
    }
    log = tmp_path / "runs.duckdb"
    duckmetrics.evaluate(values=before, interval=0.95).log(log, run_id="prod", values=True)
    found = duckmetrics.evaluate(values=now, interval=0.95)
    (said,) = found.failures("judge worse than last", log=log)
    a, b = ([one["judge"] for one in values.values()] for values in (before, now))
    assert f"p = {stats.ttest_rel(b, a).pvalue:.4g}, paired t over 40 queries" in said
    assert found.failures("judge worse than run:prod", log=log)
    duckmetrics.evaluate(values=before, interval=0.95).log(tmp_path / "bare", run_id="prod")
    assert found.failures("judge worse than last", log=tmp_path / "bare") == []  # these intervals overlap
    better = duckmetrics.evaluate(values=before, interval=0.95)
    assert better.failures("judge worse than last", log=log) == []


WRONG_GATES = {
    "auc < last -": "is no value of earlier runs",
    "auc < lst": "'lst' is not a number",
    "auc < mean(1 runs)": "1 runs have no mean",
    "auc < mean(7 runs) - 3 sds": "is no value of earlier runs",
    "auc < last - 3 sd": "one run has no standard deviation",
    "auc < mean(x runs)": "is no value of earlier runs",
    "auc < last - 1.2.3": "is no value of earlier runs",
    "auc < last * 2": "is no value of earlier runs",
    "auc worse than mean(7 runs)": "a test needs one run",
    "auc worse than last - 0.1": "a test needs one run",
    "auc worse than yesterday": "'yesterday' is no value of earlier runs",
    "auc lower < last": "the log has values, and no column 'lower'",
    "auc by country < last": "no slices by 'country'",
    "mrr < last": "'mrr' is not evaluated",
    "drops more than 1%": "no comparison",
    "auc drops more than much": "no comparison",
    "auc drops more than 1% below lst": "is no value of earlier runs",
}


@pytest.mark.parametrize("gate", WRONG_GATES)
def test_wrong_gates_are_answered(tmp_path: Path, gate: str) -> None:
    logged(tmp_path / "runs", [0.7, 0.7], tags=[("stage", "prod")])
    with pytest.raises(MetricError, match=WRONG_GATES[gate]):
        failures(tmp_path / "runs", gate, 0.6)


INCOMPARABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "no earlier run has the tag 'nope'; known: stage=prod": ("auc < tag:nope", {}),
    "did you mean 'stage=prod'": ("auc < tag:stage=prd", {}),
    "no earlier run is called 'run'": ("auc < run:run", {}),
    "a test needs values per query, or intervals; log the values": ("auc worse than last", {}),
    "weighted is true there and false here": ("auc < last", {"signature": "auc|weighted:false|v:0.1.0"}),
    "no earlier run has the system 'B'": ("auc < last", {"system": "B"}),
}  # fmt: skip


@pytest.mark.parametrize("said", INCOMPARABLE)
def test_a_gate_fails_if_earlier_runs_cannot_be_compared(tmp_path: Path, said: str) -> None:
    """Nothing shows that it passes; the run is logged nevertheless, so that the next one is compared."""
    gate, more = INCOMPARABLE[said]
    logged(tmp_path / "runs", [0.7, 0.7], tags=[("stage", "prod")])
    (line,) = failures(tmp_path / "runs", gate, 0.8, **more)
    assert said in line


def test_a_metric_is_known_by_its_conventions(tmp_path: Path) -> None:
    """NDCG@10 and ndcg@10 are one metric; one that no earlier run has is not passed silently."""
    run, truth = {"q": {"a": 0.5, "b": 0.9}}, {"q": {"a": 1}}
    duckmetrics.evaluate({"q": {"a": 1.0}}, truth, "NDCG@10").log(tmp_path / "runs")
    found = duckmetrics.evaluate(run, truth, ["ndcg@10", "mrr"])
    assert len(found.failures("ndcg@10 < last", log=tmp_path / "runs")) == 1
    (line,) = found.failures("mrr < last", log=tmp_path / "runs")
    assert "no earlier run has the metric 'mrr'" in line


def test_a_run_is_not_compared_with_itself_or_later_ones(tmp_path: Path) -> None:
    good, bad = ({"label": [1, 0] * 4, "score": s} for s in ([0.9, 0.1] * 4, [0.1, 0.9] * 4))
    log = tmp_path / "runs"
    duckmetrics.evaluate(good, metrics="auc").log(log, time="2026-11-01")
    found = duckmetrics.evaluate(bad, metrics="auc")
    found.log(log, time="2026-11-02")
    assert len(found.failures("auc < last", log=log)) == 1
    duckmetrics.evaluate(bad, metrics="auc").log(log, run_id="later", time="2026-11-09")
    worse = duckmetrics.evaluate(bad, metrics="auc")
    assert worse.failures("auc < last", log=log) == []
    assert len(worse.failures("auc < last", log=log, time="2026-11-02")) == 1


def test_equal_values_pass_bounds_of_their_mean(tmp_path: Path) -> None:
    value = 0.49543508709194095  # the mean of three of it is larger by a rounding error
    logged(tmp_path / "runs", [value] * 6)
    for gate in ("auc < mean(3 runs)", "auc < mean(6 runs) - 3 sd", "auc < last"):
        assert failures(tmp_path / "runs", gate, value) == []


def test_clusters_and_percentiles_are_not_paired(tmp_path: Path) -> None:
    """Queries of a user are correlated, and a percentile is no mean: the intervals decide."""
    values = {f"q{i}": {"m": float(i % 7)} for i in range(40)}
    log = tmp_path / "runs"
    for agg in ("mean", "median"):
        found = duckmetrics.evaluate(values=values, metrics=f"m(agg={agg})", interval=0.95)
        found.log(log, run_id=agg, values=True)
        (line,) = (duckmetrics.evaluate(values=values, metrics=f"m(agg={agg})", interval=0.95)
                   .earlier(log).judged(read_gates("m worse than last")[0], found.rows[0])[1:])  # fmt: skip
        assert ("paired t" in line) == (agg == "mean")


def test_values_of_a_replaced_run_go_with_it(tmp_path: Path) -> None:
    found = duckmetrics.evaluate(values={"q1": {"m": 1.0}, "q2": {"m": 2.0}})
    for log in (tmp_path / "runs", tmp_path / "runs.duckdb"):
        found.log(log, run_id="a", values=True)
        found.log(log, run_id="a", replace=True)
        assert duckmetrics.runs(log)["has_values"].to_pylist() == [False]


def test_null_and_the_text_null_are_two_slices(tmp_path: Path) -> None:
    values = {"query_id": [1, 2], "m": [0.1, 0.9], "c": ["NULL", None]}
    found = duckmetrics.evaluate(values=values, metrics="m", by="c")
    found.log(tmp_path / "runs")
    rows = duckmetrics.trend(tmp_path / "runs", by="c").rows
    assert {row["segment"]["c"]: row["value"] for row in rows} == {"NULL": 0.1, None: 0.9}


def test_gates_that_need_what_is_not_there(tmp_path: Path) -> None:
    found = duckmetrics.evaluate({"label": [1, 0], "score": [0.9, 0.1]}, metrics="auc")
    with pytest.raises(MetricError, match="looks at earlier runs, and no log is given; name it with --log"):
        found.failures("auc < last")
    sliced = duckmetrics.evaluate({"label": [1, 0], "score": [0.9, 0.1], "c": [1, 1]}, metrics="auc", by="c")
    found.log(tmp_path / "other")
    (line,) = sliced.failures("auc by c < last", log=tmp_path / "other")
    assert "has no slices by c; evaluate that run with the same --by" in line


WRONG_TRENDS: dict[str, dict[str, Any]] = {
    "no run of .* has this metric; did you mean 'auc'": {"metrics": "aucc"},
    "no run of .* has this system": {"system": "B"},
    "no run of .* has slices by country; evaluate with --by and --log": {"by": "country"},
    "'3x' is neither a time nor a number": {"last": "3x"},
    "'0' is neither": {"last": 0},
    "'-3d' is neither": {"last": "-3d"},
}


@pytest.mark.parametrize("said", WRONG_TRENDS)
def test_wrong_trends_are_answered(tmp_path: Path, said: str) -> None:
    logged(tmp_path / "runs", [0.7])
    with pytest.raises(DuckmetricsError, match=said):
        duckmetrics.trend(tmp_path / "runs", **WRONG_TRENDS[said])
    with pytest.raises(MetricError, match="not in this trend"):
        duckmetrics.trend(tmp_path / "runs").chart("mrr")
    with pytest.raises(InputError, match="no such log; write one with --log"):
        duckmetrics.trend(tmp_path / "none")


# --- the command line --------------------------------------------------------------------------------


def test_a_report_shows_the_trends_of_its_metrics(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    logged(path, [0.70, 0.72, 0.71])
    logged(path, [0.73, 0.74], start=3, tags=[("commit", "b")])
    logged(path, [0.5], start=5, metric="other")
    ev = duckmetrics.evaluate(CLICKS, metrics=["auc", "log_loss"])
    page = ev.report(trend=duckmetrics.trend(path)).html
    section = page[page.index("How it developed") :].split("</section>")[0]
    assert section.count("<figure") == 1  # the log has no log_loss, and the page no other metric
    assert "auc went from 0.700 on 1 Nov to 0.740 on 5 Nov" in section
    assert "A dotted line marks another release or tag." in section
    assert "How it developed" not in ev.report().html
    systems = {"A": CLICKS, "B": {**CLICKS, "score": [0.9, 0.4, 0.6, 0.5]}}
    both = duckmetrics.compare(systems, metrics="auc", baseline="A", unpaired=True)
    assert "How it developed" in both.report(trend=duckmetrics.trend(path)).html
    data = duckmetrics.data(CLICKS)
    assert "How it developed" in data.report(metrics="auc", trend=duckmetrics.trend(path)).html
    with pytest.raises(MetricError, match="none of the metrics log_loss; it has auc and other; log the metr"):
        duckmetrics.evaluate(CLICKS, metrics="log_loss").report(trend=duckmetrics.trend(path))


def test_a_report_with_trends_on_the_command_line(run: Command, tmp_path: Path) -> None:
    logged(tmp_path / "runs", [0.70, 0.72])
    rows = "SELECT 1 AS label, 0.9 AS score UNION ALL SELECT 0, 0.4"
    page = tmp_path / "night.html"
    found = run("report", rows, "-m", "auc", "--trend", str(tmp_path / "runs"), "-o", str(page))
    assert found.code == 0, found.err
    assert "How it developed" in page.read_text("utf-8")
    found = run(
        "report", rows, "-m", "auc", "--trend", str(tmp_path / "nowhere"), "-o", str(tmp_path / "b.html")
    )
    assert found.code == 2
    assert "no such log; write one with --log" in found.err
    assert not (tmp_path / "b.html").exists()


def test_a_night_on_the_command_line(run: Command) -> None:
    evaluate = ["evaluate", "p.parquet", "t.parquet", "-m", "mrr", "--log", "runs.duckdb"]
    for night in range(2):
        assert run(*evaluate, "--run-id", f"night {night}", "--tag", "stage=prod", "--log-values").code == 0
    said = run(*evaluate, "--fail-if", "mrr < last - 0.01", "--fail-if", "mrr worse than tag:prod")
    assert said.code == 0
    assert "note: gate passed: mrr < last - 0.01: value is" in said.err
    assert "run night 1 of" in said.err
    failed = run(*evaluate, "--set", "missing=skip", "--fail-if", "mrr < last")
    assert failed.code == 1
    assert "missing is zero there and skip here" in failed.err
    listed = json.loads(run("runs", "runs.duckdb", "--format", "json").out)
    assert [one["tags"] for one in listed["rows"]] == [None, None, "stage=prod", "stage=prod"]
    assert "4 runs from" in run("trend", "runs.duckdb", "--chart", "mrr.svg").out
    assert Path("mrr.svg").read_text("utf-8").startswith("<svg")
    assert run(*evaluate, "--run-id", "night 1").code == 2
    assert run(*evaluate, "--run-id", "night 1", "--replace-run").code == 0
    for option in (["--tag", "a=b"], ["--log-values"], ["--replace-run"], ["--run-time", "2026-11-20"]):
        assert "is for a log; add --log" in run("evaluate", "p.parquet", "t.parquet", *option).err
    assert "write --tag NAME=VALUE" in run(*evaluate, "--tag", "a").err
    assert "'soon' is not a time" in run(*evaluate, "--run-time", "soon").err


def test_a_failed_gate_is_logged_too(run: Command) -> None:
    evaluate = ["evaluate", "p.parquet", "t.parquet", "-m", "mrr", "--log", "runs"]
    assert run(*evaluate, "--fail-if", "mrr < 2").code == 1
    assert duckmetrics.runs("runs").num_rows == 1


def test_a_page_of_a_trend_or_of_runs_is_whole_and_scrolls(run: Command) -> None:
    """The same table on standard output is a part of a page of the user."""
    duckmetrics.evaluate(CLICKS, metrics="auc").log("runs")
    for command, title in (("trend", "no series has five earlier runs yet"), ("runs", "duckmetrics")):
        for _ in range(2):  # a second one replaces the first
            assert run(command, "runs", "-o", "x.html").code == 0
        page = Path("x.html").read_text("utf-8")
        assert page.startswith("<!-- written by duckmetrics --><!doctype html>")
        assert 'name="viewport"' in page
        assert f"<title>{title}</title>" in page
        assert "prefers-color-scheme:dark" in page
        assert '<div class="scroll" tabindex="0">' in page
        assert ".scroll{overflow-x:auto}" in page
        part = run(command, "runs", "--format", "html").out
        assert "doctype" not in part
        assert part.partition("\n")[2].strip() in page
