"""Merged states of days equal the evaluation of all rows at once; those that do not fit are refused."""

from __future__ import annotations

import json
import math
import random
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

import duckmetrics
from duckmetrics.errors import DuckmetricsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

RANKINGS = ["ndcg@5", "map", "mrr(missing=skip)", "ndcg@5(agg=median)"]
SUMS = ["log_loss", "accuracy", "calibration_ratio"]
ROWS = ["auc", "gauc", "brier"]
MORE = ["normalized_entropy", "rmse", "ctr", "f1", "ece", "ks", "average_precision"]
# Sums of doubles: their last digits depend on the order of the rows, also of two evaluations at once.
SUMMED = {"log_loss", "normalized_entropy", "brier", "rmse", "calibration_ratio", "f1", "gauc", "ece"}
SUM, BOUND = 1e-13, 1e-9


def rankings(seed: int, days: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return predictions of two systems with ties, the truth, and attributes of the queries; each has a day.

    Some queries have no predictions of a system, and some no relevant item.
    """
    draw = random.Random(seed)
    run: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []
    queries = []
    for q in range(15 * days):
        key = {"query_id": q, "day": draw.randrange(days)}
        queries.append({**key, "country": draw.choice(["DE", "FR", None]), "user": draw.randrange(6)})
        for item in range(4):
            truth.append({**key, "item_id": item, "relevance": draw.choice([0, 0, 1, 3]) if q % 7 else 0})
        for system in ("a", "b"):
            for item in range(8 if draw.random() < 0.9 else 0):
                run.append({**key, "system": system, "item_id": item, "score": draw.randrange(5) / 4})
    return run, truth, queries


def clicks(seed: int, days: int, n: int = 40) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    rows = []
    for i in range(n * days):
        user, score = draw.randrange(12), draw.randrange(1, 50) / 50
        rows.append({
            "label": int(draw.random() < score), "score": score, "user": user, "day": draw.randrange(days),
            "country": draw.choice(["DE", "FR", None]), "row": i, "weight": draw.choice([1.0, 2.5]),
        })  # fmt: skip
    return rows


def table(rows: Sequence[Mapping[str, Any]], *without: str) -> pa.Table:
    return pa.Table.from_pylist([{k: v for k, v in row.items() if k not in without} for row in rows])


def of_day(rows: Sequence[Mapping[str, Any]], day: int) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["day"] == day]


def write_days(folder: Path, days: int, evaluate: Callable[[int], Evaluation], **options: Any) -> str:
    for day in range(days):
        evaluate(day).state(folder / f"{day}.state.parquet", **options)
    return str(folder / "*.state.parquet")


def assert_same(merged: Evaluation, whole: Evaluation, summed: set[str] = SUMMED) -> None:
    """Counts, reasons and values are equal to the last bit, sums to 1e-13, intervals to 1e-9."""
    assert len(merged.rows) == len(whole.rows)
    for one, other in zip(merged.rows, whole.rows, strict=True):
        assert one.keys() == other.keys()
        for name, value in other.items():
            found = one[name]
            if name in ("lower", "upper", "n_effective") or (name == "value" and other["metric"] in summed):
                allowed = SUM if name == "value" else BOUND
                assert (found is None) == (value is None), (other, name, found)
                assert value is None or math.isclose(found, value, rel_tol=allowed), (other, name, found)
            else:
                assert found == value, (other, name, found)


# --- merged is at once -------------------------------------------------------------------------------


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("cluster", "days"),
    [("user", 2), pytest.param("user", 30, marks=SLOW), pytest.param(None, 30, marks=SLOW)],
)
def test_rankings(tmp_path: Path, cluster: str | None, days: int) -> None:
    run, truth, queries = rankings(len(cluster or ""), days)

    def evaluate(of: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, Any]]]) -> Evaluation:
        return duckmetrics.evaluate(
            table(of(run), "day"), table(of(truth), "day"), RANKINGS, queries=table(of(queries), "day"),
            system="system", by=[["country"], ["country", "user"]], interval=0.9, cluster=cluster,
        )  # fmt: skip

    states = write_days(tmp_path, days, lambda day: evaluate(lambda rows: of_day(rows, day)))
    whole = evaluate(lambda rows: rows)
    by = [["country"], ["country", "user"]]
    assert_same(duckmetrics.merge(states, by=by, interval=0.9), whole, set())
    assert {row["n_missing"] > 0 for row in whole.rows if row["slice"] == ""} == {True}
    assert any(row["n_no_relevant"] for row in whole.rows)
    fewer = duckmetrics.merge(states, "map", by="country")
    assert {row["slice"] for row in fewer.rows} == {"", "country"}
    assert fewer.metrics == ("map",)


@pytest.mark.parametrize("days", [3, pytest.param(30, marks=SLOW)])
def test_queries_with_their_day(tmp_path: Path, days: int) -> None:
    """Each query has its day as a part of its id; the values were computed by hand."""
    parts = [[{"query_id": "q", "day": f"2026-11-{day + 1:02}", "item_id": i, "score": -i} for i in range(3)]
             for day in range(days)]  # fmt: skip
    truth = [[{"query_id": "q", "day": f"2026-11-{day + 1:02}", "item_id": day % 3}] for day in range(days)]

    def evaluate(day: int) -> Evaluation:
        columns = {"query_id": "query_id+day"}
        return duckmetrics.evaluate(table(parts[day]), table(truth[day]), "mrr", columns=columns)

    merged = duckmetrics.merge(write_days(tmp_path, days, evaluate), interval=0.95)
    assert merged["mrr"] == (1 + 1 / 2 + 1 / 3) / 3
    assert merged.rows[0]["n"] == days
    by_day = duckmetrics.merge(tmp_path, by="day")
    assert by_day.value("mrr", day="2026-11-03") == 1 / 3
    assert merged.per_query.num_rows == days


@pytest.mark.parametrize(
    ("metrics", "cluster", "days"),
    [
        (SUMS, None, 2),
        (ROWS, "user", 2),
        pytest.param(SUMS, "user", 30, marks=SLOW),
        pytest.param(SUMS + ROWS + MORE, None, 5, marks=SLOW),
        pytest.param(SUMS + ROWS + MORE, "user", 30, marks=SLOW),
    ],
)
def test_clicks(tmp_path: Path, metrics: list[str], cluster: str | None, days: int) -> None:
    rows = clicks(len(metrics), days)
    if cluster is None:
        metrics = [metric for metric in metrics if metric != "gauc"]
    columns = {"group_id": "user"} if "gauc" in metrics else {}

    def evaluate(some: Sequence[Mapping[str, Any]]) -> Evaluation:
        return duckmetrics.evaluate(
            table(some, "weight", "day", "row"), metrics=metrics, by="country", interval=0.95,
            cluster=cluster, columns=columns,
        )  # fmt: skip

    states = write_days(tmp_path, days, lambda day: evaluate(of_day(rows, day)))
    whole = evaluate(rows)
    assert_same(duckmetrics.merge(states, by="country", interval=0.95), whole)
    without = duckmetrics.merge(states, metrics[:2])
    assert [row["n"] for row in without.rows] == [len(rows)] * 2
    has_rows = "row" in {part for (part,) in duckdb.sql(f"SELECT part[:3] FROM '{states}'").fetchall()}
    assert has_rows == (metrics != SUMS)


def test_intervals_of_sums_of_rows_are_those_of_numpy(tmp_path: Path) -> None:
    rows = clicks(3, 2)
    for day in range(2):
        some = table(of_day(rows, day), "weight", "user", "day", "row", "country")
        duckmetrics.evaluate(some, metrics=["log_loss", "calibration_ratio"]).state(
            tmp_path / f"{day}.parquet"
        )
    merged = duckmetrics.merge(tmp_path, interval=0.9)
    y, p = (np.array([row[name] for row in rows], float) for name in ("label", "score"))
    loss = -(y * np.log(np.clip(p, 1e-15, 1)) + (1 - y) * np.log(np.clip(1 - p, 1e-15, 1)))
    ratio = p.sum() / y.sum()
    for row in merged.rows:
        is_loss = row["metric"] == "log_loss"
        inverse = row["value"] < 1 / 2 or math.isclose(row["value"], 1 / ratio, rel_tol=1e-9)
        own = y.sum() / p.sum() if inverse else ratio
        residual = (y - own * p) / p.mean() if inverse else (p - own * y) / y.mean()
        mean, values = (loss.mean(), loss) if is_loss else (own, residual)
        half = stats.t.ppf(0.95, len(y) - 1) * values.std(ddof=1) / math.sqrt(len(y))
        assert row["value"] == pytest.approx(mean, rel=1e-12)
        assert row["lower"] == pytest.approx(mean - half, rel=1e-9)
        assert row["upper"] == pytest.approx(mean + half, rel=1e-9)


def test_equal_rows_have_no_interval(tmp_path: Path) -> None:
    for day in range(2):
        rows = {"label": [1] * (3 + day), "score": [0.7] * (3 + day)}
        duckmetrics.evaluate(rows, metrics="log_loss").state(tmp_path / f"{day}.parquet")
    (row,) = duckmetrics.merge(tmp_path, interval=0.95).rows
    assert row["lower"] is None
    assert "no unit differs" in row["reason"]


def test_weights_and_systems(tmp_path: Path) -> None:
    days = 3
    rows = clicks(8, days)
    metrics = ["auc", "log_loss"]

    def evaluate(some: Sequence[Mapping[str, Any]]) -> Evaluation:
        return duckmetrics.evaluate(
            {name: table([{**row, "score": row["score"] ** power} for row in some], "row", "day", "user")
             for name, power in (("a", 1), ("b", 2))}, metrics=metrics, by="country", interval=0.95,
        )  # fmt: skip

    states = write_days(tmp_path, days, lambda day: evaluate(of_day(rows, day)))
    assert_same(duckmetrics.merge(states, by="country", interval=0.95), evaluate(rows), {"auc", "log_loss"})


def test_conventions_stay(tmp_path: Path) -> None:
    run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
    for name, scores in run.items():
        ev = duckmetrics.evaluate({name: scores}, {name: {"b": 2}}, ["ndcg@2"], gain="exp2", missing="skip")
        ev.state(tmp_path / f"{name}.parquet")
    merged = duckmetrics.merge(tmp_path)
    assert merged.rows[0]["signature"] == ev.rows[0]["signature"]
    merged.state(tmp_path.parent / "both.parquet")  # a merged evaluation has a state, too
    assert duckmetrics.merge(tmp_path.parent / "both.parquet")["ndcg@2"] == merged["ndcg@2"]


def test_grid(tmp_path: Path) -> None:
    days, grid = 3, 10
    rows = clicks(5, days)

    def evaluate(some: Sequence[Mapping[str, Any]]) -> Evaluation:
        return duckmetrics.evaluate(
            table(some, "weight", "user", "day", "row", "country"), metrics=["auc", "brier"]
        )

    states = write_days(tmp_path, days, lambda day: evaluate(of_day(rows, day)), grid=grid)
    merged = duckmetrics.merge(states)
    rounded = duckdb.sql(
        f"SELECT round(x * {grid}) / {grid} FROM unnest([{[r['score'] for r in rows]}][1]) u(x)"
    )
    scores = [score for (score,) in rounded.fetchall()]
    whole = evaluate([{**row, "score": score} for row, score in zip(rows, scores, strict=True)])
    assert_same(merged, whole)
    assert any("multiples of 1/10" in finding.message for finding in merged.checks)
    assert pq.read_metadata(tmp_path / "0.state.parquet").num_rows <= 2 * (grid + 1) + 1


def test_a_bootstrap_of_rows_reads_the_rows(tmp_path: Path) -> None:
    rows = clicks(6, 2)
    for day in range(2):
        some = table(of_day(rows, day), "weight", "user", "day", "row", "country")
        duckmetrics.evaluate(some, metrics=["auc", "brier"]).state(tmp_path / f"{day}.parquet")
    merged = duckmetrics.merge(tmp_path, "brier", interval=0.9, interval_method="bootstrap", resamples=200)
    assert merged.rows[0]["lower"] < merged.rows[0]["value"] < merged.rows[0]["upper"]


def test_results_of_merging_are_like_any_other(tmp_path: Path) -> None:
    rows = clicks(7, 2)
    for day in range(2):
        some = table(of_day(rows, day), "weight", "day", "row", "country")
        for metrics, folder in ((["auc", "brier"], "rows"), (["brier"], "sums")):
            (tmp_path / folder).mkdir(exist_ok=True)
            ev = duckmetrics.evaluate(some, metrics=metrics)
            ev.state(tmp_path / folder / f"{day}.parquet")
    merged = duckmetrics.merge(tmp_path / "rows")
    whole = duckmetrics.evaluate(table(rows, "weight", "day", "row", "country"), metrics="auc")
    assert merged.table("roc_curve") == whole.table("roc_curve")
    assert [len(merged.failures(gate)) for gate in ("auc < 0.99", "auc < 0.01")] == [1, 0]
    sums = duckmetrics.merge(tmp_path / "sums", interval=0.95)
    assert all((json.dumps(sums.to_dict()), sums.report().html, merged.report().html))
    assert sums.log(tmp_path / "runs.duckdb", run_id="month") == "month"
    with pytest.raises(
        duckmetrics.InputError, match=r"0.parquet: has sums, and no rows; write it with a metric"
    ):
        sums.table("roc_curve")
    with pytest.raises(duckmetrics.InputError, match="has sums, and no rows"):
        duckmetrics.merge(tmp_path / "sums", interval=0.95, interval_method="bootstrap")


def test_values_with_signatures_are_read_by_their_names() -> None:
    """A table of values that says which metric of ours they are."""
    run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
    ev = duckmetrics.evaluate(run, {"q1": {"b": 1}, "q2": {"b": 1}}, "ndcg@2")
    signature = pa.array([ev.rows[0]["signature"]] * 2)
    values = ev.per_query.drop_columns(["system"]).append_column("signature", signature)
    again = duckmetrics.evaluate(values=values)
    assert [again.rows[0][name] for name in ("value", "signature")] == [
        ev.rows[0][name] for name in ("value", "signature")
    ]


# --- what does not fit -------------------------------------------------------------------------------


def _lists(path: Path, query: str = "q1", metrics: Any = "mrr", **options: Any) -> None:
    run = {query: {"a": 0.9, "b": 0.5}}
    duckmetrics.evaluate(run, {query: {"b": 1}}, metrics, **options).state(path)


def _clicks(
    path: Path, metrics: Any = "auc", more: float = 0.0, grid: int | None = None, **columns: Any
) -> None:
    rows = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7 + more], **columns}
    duckmetrics.evaluate(rows, metrics=metrics).state(path, grid=grid)


def _other_version(path: Path) -> None:
    _lists(path)
    found = pq.read_table(path)
    text = found["state"][0].as_py().replace('"format": 1', '"format": 2')
    place = found.column_names.index("state")
    pq.write_table(found.set_column(place, "state", pa.array([text] * found.num_rows)), path)


def _plain(path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), path)


def _two(one: Callable[[Path], Any], other: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def write(folder: Path) -> Any:
        one(folder / "1.parquet")
        other(folder / "2.parquet")

    return write


WRONG: dict[str, tuple[Callable[[Path], Any], dict[str, Any], str]] = {
    "no states": (lambda folder: None, {}, r"no such file; write it with 'duckmetrics state'"),
    "a text": (lambda folder: (folder / "1.parquet").write_text("a,b"), {}, "is not a Parquet file"),
    "cut off": (lambda folder: (folder / "1.parquet").write_bytes(b"PAR1"), {}, "cannot be read"),
    "another table": (lambda folder: _plain(folder / "1.parquet"), {}, "is a Parquet file, and no state"),
    "version": (lambda folder: _other_version(folder / "1.parquet"), {}, "is a state of version 2, and this"),
    "twice": (_two(_clicks, _clicks), {}, r"2.parquet: has the same rows as 1.parquet"),
    "a query twice": (
        _two(_lists, lambda path: _lists(path, metrics=["mrr", "map"])), {"metrics": "mrr"},
        "1 query is in several states, such as q1 in 1.parquet and 2.parquet.* query_id=query_id[+]day",
    ),
    "families": (_two(_lists, _clicks), {}, "2.parquet: is of classifiers, and 1.parquet is of rankings"),
    "conventions": (
        _two(_lists, lambda path: _lists(path, "q2", missing="skip")), {},
        r"mrr: 2.parquet follows other conventions \(missing: zero and skip\)",
    ),
    "metric": (_two(_lists, lambda path: _lists(path, "q2")), {"metrics": "map"}, "map: is not in 1.parquet"),
    "metric of one": (
        _two(lambda path: _lists(path, metrics=["mrr", "map"]), lambda path: _lists(path, "q2")), {},
        "map: is not in 2.parquet; ask for those that all states have: -m mrr",
    ),
    "slice": (
        _two(_lists, lambda path: _lists(path, "q2")), {"by": "country"},
        "by: 1.parquet has no column 'country'; found query_id",
    ),
    "cluster": (
        lambda folder: _clicks(folder / "1.parquet"), {"interval": 0.9, "cluster": "user"},
        "cluster: 1.parquet has no column 'user'; found none; write the states again with --cluster user",
    ),
    "grid": (
        _two(_clicks, lambda path: _clicks(path, more=0.1, grid=20)), {},
        "has scores rounded to 1/20, and 1.parquet has scores as they are",
    ),
    "weights": (
        _two(_clicks, lambda path: _clicks(path, weight=[1.0, 2.0, 1.0, 1.0])), {},
        "has weights: true, and 1.parquet has weights: false",
    ),
    "systems": (
        _two(_lists, lambda path: duckmetrics.evaluate(
            {"b": {"q2": {"a": 1.0}}}, {"q2": {"a": 1}}, "mrr").state(path)), {},
        "has the systems b, and 1.parquet has the systems one without a name",
    ),
    "ids": (
        _two(_lists, lambda path: duckmetrics.evaluate(
            {"user": ["u"], "item_id": ["a"], "score": [1.0]}, {"user": ["u"], "item_id": ["a"]}, "mrr",
            columns={"query_id": "user"}).state(path)), {},
        "identifies queries or groups by user, and 1.parquet identifies queries or groups by query_id",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_states_that_do_not_fit_are_refused(tmp_path: Path, case: str) -> None:
    write, options, message = WRONG[case]
    write(tmp_path)
    with pytest.raises(DuckmetricsError, match=message):
        duckmetrics.merge(tmp_path, **options)


def test_states_that_cannot_be_written(tmp_path: Path) -> None:
    run, truth = {"q1": {"a": 0.9, "b": 0.5}}, {"q1": {"b": 1}}
    with pytest.raises(duckmetrics.MetricError, match="has one value for all lists together"):
        duckmetrics.evaluate(run, truth, ["mrr", "personalization@2"]).state(tmp_path / "s.parquet")
    with pytest.raises(duckmetrics.InputError, match=r"a state is a Parquet file; call it .*s.csv.parquet"):
        duckmetrics.evaluate(run, truth, "mrr").state(tmp_path / "s.csv")
    with pytest.raises(duckmetrics.MetricError, match="judge: was computed elsewhere"):
        duckmetrics.from_values({"q1": {"judge": 1}}).evaluate().state(tmp_path / "s.parquet")
    with pytest.raises(duckmetrics.MetricError, match="grid: is for scores of classifiers"):
        duckmetrics.evaluate(run, truth, "mrr").state(tmp_path / "s.parquet", grid=10)
    clicked = {"label": [1, 0], "score": [0.5, 0.4], "part": ["x", "y"]}
    with pytest.raises(
        duckmetrics.InputError, match="'part' is also a column of the state; give it another name"
    ):
        duckmetrics.evaluate(clicked, metrics="auc", by="part").state(tmp_path / "s.parquet")
    _plain(tmp_path / "mine.parquet")
    with pytest.raises(duckmetrics.InputError, match="exists and is not a parquet file of duckmetrics"):
        duckmetrics.evaluate(run, truth, "mrr").state(tmp_path / "mine.parquet")
    _lists(tmp_path / "again.parquet")
    _lists(tmp_path / "again.parquet", "q2")  # an output of ours is replaced
    assert duckmetrics.merge(tmp_path / "again.parquet").per_query["query_id"].to_pylist() == ["q2"]
