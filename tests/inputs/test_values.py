"""Values per query that were computed elsewhere: each form of them, and the same answers as for ours."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from support.command_line import exports, run
from support.other_engines import spark_session

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

QUERIES = [f"q{i:02}" for i in range(30)]
RNG = np.random.default_rng(5)
JUDGE = {"A": RNG.random(30), "B": RNG.random(30) + 0.4}
PASSED = {"A": RNG.random(30) < 0.5, "B": RNG.random(30) < 0.7}
COUNTRY = ["JP" if i % 3 else "DE" for i in range(30)]
WIDE = pa.table({
    "system": ["A"] * 30 + ["B"] * 30, "query_id": QUERIES * 2, "country": COUNTRY * 2,
    "judge": np.concatenate([JUDGE["A"], JUDGE["B"]]), "passed": np.concatenate([PASSED["A"], PASSED["B"]]),
})  # fmt: skip
RUNS = {
    name: {q: {f"i{j}": float(RNG.random()) for j in range(8)} for q in QUERIES[:12]} for name in ("A", "B")
}
TRUTH = {q: {f"i{j}": int(RNG.integers(0, 3)) for j in range(6)} for q in QUERIES[:12]}
KEYS = ("value", "baseline", "delta", "delta_lower", "delta_upper", "p", "p_adjusted", "verdict")


def same(row: dict[str, Any], other: dict[str, Any]) -> None:
    for key in KEYS:
        expected = other[key]
        found = row[key]
        assert found == (pytest.approx(expected, rel=1e-12) if isinstance(expected, float) else expected), key


# --- the numbers -------------------------------------------------------------------------------------


def test_means_intervals_and_tests_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    found = duckmetrics.evaluate(values=WIDE, interval=0.95, by="country")
    assert found.value("judge", system="B") == pytest.approx(JUDGE["B"].mean())
    in_japan = [value for value, country in zip(JUDGE["A"], COUNTRY, strict=True) if country == "JP"]
    assert found.value("judge", system="A", country="JP") == pytest.approx(np.mean(in_japan))
    row = next(r for r in found.rows if r["system"] == "A" and r["metric"] == "judge" and not r["slice"])
    half = stats.t.ppf(0.975, 29) * JUDGE["A"].std(ddof=1) / math.sqrt(30)
    assert row["upper"] - row["value"] == pytest.approx(half)
    compared = duckmetrics.compare(values=WIDE, baseline="A", adjust="none")
    for metric, of in (("judge", JUDGE), ("passed", PASSED)):
        expected = stats.ttest_rel(of["B"].astype(float), of["A"].astype(float))
        assert compared.row(metric)["p"] == pytest.approx(expected.pvalue)


def test_values_of_ours_give_the_answers_of_the_rows(tmp_path: Path) -> None:
    computed = duckmetrics.compare(RUNS, TRUTH, ["ndcg@5", "mrr"], baseline="A")
    ours = computed.evaluation.per_query
    text = "".join(
        f"{row['metric']:<22}\t{row['query_id']}\t{row['value']!r}\n"
        for row in [*ours.to_pylist(), {"metric": "map", "query_id": "all", "value": 0.5}]
        if row.get("system") != "B"
    )
    (tmp_path / "A.eval").write_text("runid                 \tall\tbm25\n" + text, "utf-8")
    pq.write_table(ours.filter(pa.compute.equal(ours["system"], "B")), tmp_path / "B.parquet")
    nested: dict[str, Any] = {}
    for row in ours.to_pylist():
        nested.setdefault(row["system"], {}).setdefault(row["query_id"], {})[row["metric"]] = row["value"]
    forms = {
        "long": ours,
        "pytrec_eval": nested,
        "trec_eval -q": {"A": tmp_path / "A.eval", "B": tmp_path / "B.parquet"},
        "ranx": {name: {metric: {q: of[q][metric] for q in of} for metric in ("ndcg@5", "mrr")}
                 for name, of in nested.items()},
    }  # fmt: skip
    for form, values in forms.items():
        found = duckmetrics.compare(values=values, baseline="A", metrics=["ndcg@5", "mrr"])
        for metric in ("ndcg@5", "mrr"):
            same(found.row(metric, system="B"), computed.row(metric, system="B"))
        assert found.evaluation.metrics == ("ndcg@5", "mrr"), form


def test_given_values_stand_next_to_computed_ones(tmp_path: Path) -> None:
    judged = {name: {q: {"judge": of[i]} for i, q in enumerate(QUERIES[:12])} for name, of in JUDGE.items()}
    compared = duckmetrics.compare(RUNS, TRUTH, ["ndcg@5", "judge"], values=judged)
    same(compared.row("ndcg@5"), duckmetrics.compare(RUNS, TRUTH, ["ndcg@5"], adjust="none").row("ndcg@5")
         | {key: compared.row("ndcg@5")[key] for key in ("p_adjusted", "verdict")})  # fmt: skip
    assert compared.row("judge")["delta"] == pytest.approx(JUDGE["B"][:12].mean() - JUDGE["A"][:12].mean())
    assert set(compared.evaluation.per_query["metric"].to_pylist()) == {"ndcg@5", "judge"}
    page = duckmetrics.data(RUNS, TRUTH, values=judged).report(tmp_path / "r.html", ["ndcg@5", "judge"])
    assert "judge" in page.html
    assert duckmetrics.evaluate(RUNS, TRUTH, values=judged).metrics == ("ndcg@10", "judge")


def test_values_of_other_queries_are_told() -> None:
    def told(values: Any, metrics: Any = ("mrr", "judge")) -> list[str]:
        found = duckmetrics.evaluate(RUNS["A"], TRUTH, list(metrics), values=values)
        return [f"{one.severity}: {one.message}" for one in found.checks if one.table == "values (dict)"]

    n = len(duckmetrics.evaluate(RUNS["A"], TRUTH, "mrr").per_query)
    same = {query: {"judge": 0.5} for query in TRUTH}
    assert told(same) == []
    first = next(iter(same))
    fewer = {query: value for query, value in same.items() if query != first}
    (warning,) = told({**fewer, "other": {"judge": 0.5}})
    assert warning == (
        f"warning: values (dict): 1 of {n} queries of mrr has no given value and 1 of {n} queries with given "
        "values has no mrr, so the metrics are of different queries; give values for the same queries, or "
        "read each n"
    )
    (warning,) = told({f"of {query}": value for query, value in same.items()})
    assert warning.endswith(f"{n} of {n} queries with given values have no mrr, so the metrics are of "
                            "different queries; compare the ids")  # fmt: skip
    assert told(fewer, ["judge"]) == []
    # Queries without a value in either mean are no difference.
    bare = {**TRUTH, first: dict.fromkeys(TRUTH[first], 0)}
    found = duckmetrics.evaluate(RUNS["A"], bare, ["mrr", "judge"], values=fewer)
    assert {row["metric"]: row["n"] for row in found.rows} == {"mrr": n - 1, "judge": n - 1}
    assert not [one for one in found.checks if one.check == "other_queries"]
    assert told(same, ["mrr"]) == [
        "note: values (dict): not used, because none of its metrics is asked for; name those that you want "
        "with metrics= (-m), such as judge"
    ]


def test_every_question_of_values(tmp_path: Path) -> None:
    data = duckmetrics.from_values(WIDE, by="country", lower_is_better="judge")
    assert data.compare(baseline="A").row("judge")["verdict"] == "worse"
    assert data.leaderboard("judge").rows[0]["system"] == "A"
    assert data.plan("judge", baseline="A", difference=0.1).rows[0]["units"] > 2
    assert "judge" in data.report(tmp_path / "r.html", baseline="A").html
    assert data.evaluate("judge(agg=median)").value("judge(agg=median)", system="A") == pytest.approx(
        np.median(JUDGE["A"])
    )
    results = {
        name: duckmetrics.evaluate(
            values=WIDE.filter(pa.compute.equal(WIDE["system"], name)).drop(["system"])
        )
        for name in ("A", "B")
    }
    assert duckmetrics.compare(results).row("judge")["delta"] == pytest.approx(
        JUDGE["B"].mean() - JUDGE["A"].mean()
    )


def test_proportions_have_their_interval() -> None:
    """Values that are all 0 or 1 have Wilson's interval, which stays inside."""
    found = duckmetrics.evaluate(values={f"q{i}": {"passed": int(i > 0)} for i in range(20)}, interval=0.95)
    (row,) = found.rows
    z = 1.959963984540054
    center, n = (0.95 + z * z / 40) / (1 + z * z / 20), 20
    half = z * math.sqrt(0.95 * 0.05 / n + z * z / (4 * n * n)) / (1 + z * z / n)
    assert (row["lower"], row["upper"]) == (pytest.approx(center - half), pytest.approx(center + half))


def test_a_missing_value_is_not_zero() -> None:
    values = {"A": {"q1": {"j": 1.0}, "q2": {"j": 0.5}}, "B": {"q1": {"j": None}, "q3": {"j": 0.25}}}
    found = duckmetrics.evaluate(values=values)
    rows = {row["system"]: row for row in found.rows}
    assert (rows["A"]["value"], rows["A"]["n"], rows["A"]["n_missing"]) == (0.75, 2, 1)
    assert (rows["B"]["value"], rows["B"]["n"], rows["B"]["n_undefined"]) == (0.25, 1, 1)
    with pytest.raises(InputError, match="values of different queries"):
        duckmetrics.compare(values=values)


# --- forms -------------------------------------------------------------------------------------------


class Metric(NamedTuple):
    query_id: str
    measure: str
    value: float


class Run:
    """As a run of ranx."""

    def __init__(self) -> None:
        self.scores = {"ndcg@10": {"q1": 0.5, "q2": 1.0}}


@pytest.mark.parametrize(
    ("values", "metric", "mean"),
    [
        ({"q1": {"P_10": 0.5}, "q2": {"P_10": 1}}, "P_10", 0.75),
        ({"ndcg@10": {"q1": 0.5, "q2": 1.0}}, "ndcg@10", 0.75),
        (Run(), "ndcg@10", 0.75),
        ([Metric("q1", "nDCG@10", 0.5), Metric("q2", "nDCG@10", 1.0)], "nDCG@10", 0.75),
        ((Metric(q, "AP", 0.75) for q in "ab"), "AP", 0.75),
        ({"query_id": [1, 2], "latency": [3, 5]}, "latency", 4),
        ({"query_id": [1, 2], "metric": ["x", "x"], "value": [3, 5]}, "x", 4),
        ({"query_id": [1, 2], "a metric, of mine": [True, False]}, "a metric, of mine", 0.5),
    ],
)
def test_forms(values: Any, metric: str, mean: float) -> None:
    assert duckmetrics.evaluate(values=values).value(metric) == mean


def test_columns_are_mapped() -> None:
    table = {"user": [1, 2], "m": ["x", "x"], "v": [3, 5]}
    columns = {"query_id": "user", "values.metric": "m", "values.value": "v"}
    assert duckmetrics.evaluate(values=table, columns=columns)["x"] == 4


def test_a_direction_is_known_by_name() -> None:
    found = duckmetrics.evaluate(values={"query_id": [1], "ndcg@10": [0.5], "brier": [0.1], "cost": [1.0]})
    assert [row["better"] for row in found.rows] == ["lower", "higher", "higher"]
    found = duckmetrics.evaluate(values={"query_id": [1], "cost": [1.0]}, lower_is_better="cost")
    assert found.rows[0]["better"] == "lower"


# --- refusals ----------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"values": {"q1": {"j": float("nan")}, "q2": {"j": 1}}}, "j: 1 value is NaN or infinite.*query q1"),
    ({"values": {"query_id": ["a", "a"], "j": [1, 2]}}, "1 query has several values, such as a"),
    ({"values": {"query_id": ["a", None], "j": [1, 2]}}, "query_id is NULL for 1 value"),
    ({"values": {"query_id": ["a"], "j": ["good"]}}, "no values; found query_id, j"),
    ({"values": {"qid": ["a"], "j": [1]}}, "no column 'query_id'"),
    ({"values": {"query_id": ["a"], "metric": ["j"], "score": [1]}}, "no column 'value'.*values.value"),
    ({"values": {"query_id": ["a"], "metric": [None], "value": [1]}}, "metric is NULL"),
    ({"values": {"q": {"a|b": 1}}}, "is not a name"),
    ({"values": {"q": {"j": 1}}, "metrics": "jj"}, "not among the values; did you mean 'j'"),
    ({"values": {"q": {"j": 1}}, "metrics": "j(k=3)"}, "unknown parameter 'k'"),
    ({"values": {"q": {"j": 1}}, "metrics": "j(agg=modus)"}, "unknown agg 'modus'"),
    ({"values": {"q": {"j": 1}}, "lower_is_better": "jj"}, "unknown metric 'jj'"),
    ({"values": {"q": {"j": 1}}, "ties": "item_desc"}, "ties: is for metrics that are computed"),
    ({"values": {"q": {"j": 1}}, "like": "ranx"}, "like: is for metrics that are computed"),
    ({"values": {"q": {"j": 1}}, "verify": 3}, "verify: is for metrics that are computed"),
    ({"values": {"q": {"j": 1}}, "truth": {"q": {"a": 1}}}, "truth: given without predictions"),
    ({"values": {"q": {"j": 1}}, "by": "country"}, "no table has a column 'country'"),
    ({"values": {"q": {"mrr": 1}}, "predictions": RUNS["A"], "truth": TRUTH, "metrics": "mrr"}, "other name"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_wrong_calls_are_answered(call: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, MetricError), match=said):
        duckmetrics.evaluate(**call)


@pytest.mark.parametrize("question", ["check", "ties", "conventions"])
def test_questions_about_rows_need_rows(question: str) -> None:
    with pytest.raises(MetricError, match="only values per query are given"):
        getattr(duckmetrics.from_values(WIDE), question)()


def test_weights_of_queries_are_not_taken_silently() -> None:
    found = duckmetrics.evaluate(values={"query_id": [1, 2], "j": [0, 1], "weight": [9, 1]})
    assert found["j"] == 0.5
    told = " ".join(finding.message for finding in found.checks)
    assert "'weight': is not used by rankings; every query counts as 1" in told


# --- the command line --------------------------------------------------------------------------------


def test_the_command_line(run: Command) -> None:
    pq.write_table(WIDE, "judged.parquet")
    Path("judged.json").write_text(json.dumps({"q1": {"j": 0.5}, "q2": {"j": 1.0}}), "utf-8")
    assert "0.7500" in run("evaluate", "--values", "judged.json").out
    said = run(
        "compare",
        "--values",
        "judged.parquet",
        "--baseline",
        "A",
        "--lower-is-better",
        "judge",
        "-m",
        "judge",
    ).out
    assert said.startswith("B is worse than A")
    failed = run("compare", "--values", "judged.parquet", "--baseline", "A", "--fail-if", "judge delta > 0")
    assert failed.code == 1
    assert "baseline: not given" in run("compare", "--values", "judged.parquet").err
    assert run("leaderboard", "--values", "judged.parquet").code == 0
    assert run("report", "--values", "judged.parquet", "--baseline", "A").code == 0
    Path("bad.eval").write_text("map q1\n", "utf-8")
    assert "bad.eval: line 1: 'map q1' is not" in run("evaluate", "--values", "bad.eval").err


@pytest.mark.spark
def test_values_on_spark() -> None:
    session = spark_session()
    frame = session.createDataFrame(
        [(r["system"], r["query_id"], r["country"], r["judge"]) for r in WIDE.to_pylist()],
        "system string, query_id string, country string, judge double",
    )
    found = duckmetrics.compare(values=frame, baseline="A", by="country", engine=session)
    expected = duckmetrics.compare(values=WIDE.drop(["passed"]), baseline="A", by="country")
    for row, other in zip(found.rows, expected.rows, strict=True):
        same(row, other)


# --- what a reader may not expect --------------------------------------------------------------------


def test_values_that_we_wrote_keep_their_meaning(tmp_path: Path) -> None:
    """Direction and conventions are in the file, so that files of other conventions are refused."""
    values = {"A": {"q1": {"lat": 1.0}, "q2": {"lat": 2.0}}, "B": {"q1": {"lat": 3.0}, "q2": {"lat": 5.0}}}
    given = duckmetrics.evaluate(values=values, lower_is_better="lat")
    given.write_per_query(tmp_path / "given.parquet")
    assert duckmetrics.evaluate(values=tmp_path / "given.parquet").rows[0]["better"] == "lower"
    for name, ties in (("a", "item_asc"), ("b", "pessimistic")):
        found = duckmetrics.evaluate(RUNS["A"], TRUTH, "mrr", ties=ties)
        found.write_per_query(tmp_path / f"{name}.parquet")
    read = duckmetrics.evaluate(values=tmp_path / "a.parquet")
    assert read.rows[0]["signature"] == duckmetrics.evaluate(RUNS["A"], TRUTH, "mrr").rows[0]["signature"]
    with pytest.raises(InputError, match=r"other conventions.*ties: item_asc and pessimistic"):
        duckmetrics.evaluate(values={name: tmp_path / f"{name}.parquet" for name in "ab"})


def test_columns_that_nobody_named_are_listed() -> None:
    """A number that is the same for all systems, a number of a row, and text are no metrics."""
    table = WIDE.append_column("year", [[2020 + i % 3 for i in range(30)] * 2]).append_column(
        "id", [range(60)]
    )
    found = duckmetrics.evaluate(values=table.append_column("said", [["0.1"] * 60]))
    assert found.metrics == ("judge", "passed")
    (note,) = [finding.message for finding in found.checks if finding.check == "metrics"]
    assert "metrics are judge (higher is better), passed (higher is better); left out: year" in note
    assert "id" in note and "said" in note  # noqa: PT018
    assert duckmetrics.evaluate(values=table, metrics=["judge", "year"]).metrics == ("judge", "year")
    assert duckmetrics.evaluate(values=table, by="year > 2020 AS late").metrics == ("judge", "passed")


def test_which_key_is_the_query() -> None:
    with pytest.raises(InputError, match="'judge' may be a query or a metric; give columns"):
        duckmetrics.evaluate(values={"judge": {"q1": 0.4, "q2": 0.5}})
    found = duckmetrics.evaluate(values={"ndcg@10": {"q1": 0.4, "q2": 0.6}, "judge": {"q1": 0.1, "q2": 0.3}})
    assert (found["ndcg@10"], found["judge"]) == (0.5, 0.2)
    both = {name: [Metric("q1", "AP", value)] for name, value in (("x", 0.25), ("y", 0.5))}
    assert duckmetrics.evaluate(values=both).value("AP", system="y") == 0.5


def test_other_systems_than_those_of_the_predictions_are_refused() -> None:
    for values in ({"a": {"q00": {"j": 1.0}}}, {"q00": {"j": 1.0}}):
        with pytest.raises(
            InputError, match=r"values: are of the systems .*, and the predictions of A and B"
        ):
            duckmetrics.evaluate(RUNS, TRUTH, values=values)


def test_unknown_options_are_refused() -> None:
    for call in (duckmetrics.from_values, duckmetrics.data):
        with pytest.raises(MetricError, match=r"agg=: .* has no such argument"):
            call(WIDE, agg="median")
    with pytest.raises(MetricError, match="no metric; name at least one, such as 'judge'"):
        duckmetrics.from_values(WIDE).evaluate([])


def test_a_name_with_a_comma_can_be_chosen() -> None:
    assert duckmetrics.evaluate(values={"query_id": [1], "a,b": [2.0]}, metrics=["a,b"])["a,b"] == 2
