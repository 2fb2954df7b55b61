"""Verdicts of comparisons: their level, families, evidence, and smallest detectable difference."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from duckmetrics import Comparison, InputError, compare, leaderboard, run_test
from duckmetrics.comparison import rows
from duckmetrics.engines.duckdb import DuckDBEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLED = ["ks", "average_precision", "max_f1"]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    source = np.random.default_rng(3)
    users = np.arange(1200) % 60
    label = (source.random(1200) < 0.3).astype(np.int32)
    score = np.clip(0.3 * label + 0.5 * source.random(1200), 0, 1)
    log = pa.table({"user_id": users, "label": label, "score": score, "noise": source.random(1200)})
    with duckdb.connect() as connection:
        connection.register("arrow_log", log)
        connection.execute("CREATE TABLE log AS FROM arrow_log")
        connection.execute("CREATE TABLE truth AS SELECT q AS query_id, 0 AS item_id FROM range(60) AS t(q)")
        connection.execute(
            "CREATE TABLE old AS SELECT q AS query_id, i AS item_id, (q * 7 + i * 3) % 5 + i / 10 AS score "
            "FROM range(60) AS t(q), range(5) AS u(i)"
        )
        connection.execute(
            "CREATE TABLE new AS SELECT * REPLACE "
            "(score + (item_id = 0)::INT * (query_id % 3) AS score) FROM old"
        )
        yield connection


def pair(connection: duckdb.DuckDBPyConnection, **options: Any) -> Comparison:
    return compare({"old": "old", "new": "new"}, "truth", ["mrr"], connection=connection, **options)


# ---- the level of a verdict ---------------------------------------------------------------------


@pytest.mark.slow
def test_the_width_of_intervals_decides_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    usual, narrow, strict = (
        pair(connection, **options) for options in ({}, {"interval": 0.5}, {"alpha": 1e-9})
    )
    for other in (narrow, strict):
        assert other.row("mrr")["p"] == pytest.approx(usual.row("mrr")["p"], rel=1e-12)
    assert narrow.row("mrr")["mde"] == pytest.approx(usual.row("mrr")["mde"], rel=1e-12)
    assert usual.row("mrr")["mde"] < strict.row("mrr")["mde"]
    assert narrow.row("mrr")["delta_lower"] > usual.row("mrr")["delta_lower"]
    verdicts = [one.row("mrr")["verdict"] for one in (usual, narrow, strict)]
    assert verdicts == ["better", "better", "unclear"]
    assert "a verdict needs p_adjusted < 0.05; 50 % intervals" in narrow.method_line
    assert "a verdict needs p_adjusted < 1e-09; 95 % intervals" in strict.method_line


@pytest.mark.slow
def test_the_results_say_what_they_rest_on(connection: duckdb.DuckDBPyConnection) -> None:
    found = pair(connection, test="bootstrap", resamples=200, seed=7, alpha=0.1, interval=0.9)
    (row,) = (row for row in found.summary.to_pylist() if row["system"] == "new")
    expected = {
        "test": "paired_bootstrap", "adjust": "holm", "n_tests": 1, "alpha": 0.1, "interval_level": 0.9,
        "interval_method": "t", "cluster": None, "resamples": 200, "seed": 7, "mde": None,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected
    clustered = compare(
        {"A": "log", "B": "SELECT * REPLACE (noise AS score) FROM log"}, None, ["auc", "ks"],
        connection=connection, cluster="user_id", interval_method="bootstrap", resamples=100,
    )  # fmt: skip
    rows = {row["metric"]: row for row in clustered.rows if row["system"] == "B"}
    assert (rows["auc"]["cluster"], rows["auc"]["test"], rows["auc"]["resamples"]) == (
        "user_id",
        "paired_t",
        None,
    )
    assert (rows["ks"]["test"], rows["ks"]["resamples"], rows["ks"]["seed"]) == ("bootstrap_samples", 100, 42)
    assert (rows["auc"]["n"], rows["auc"]["n_units"], rows["ks"]["n_units"]) == (1200, 60, 60)
    assert "n_units" in clustered.cells()[0]
    assert "n_units" not in found.cells()[0]
    assert "paired_t (auc), bootstrap_samples with 100 resamples (ks); 2 comparisons" in clustered.method_line
    with pytest.raises(InputError, match="'cluster' is also a column of the comparison"):
        compare(
            dict.fromkeys("AB", "SELECT *, 1 AS cluster FROM log"), None, "auc", connection=connection,
            cluster="user_id", by=["cluster"],
        )  # fmt: skip


# ---- resamples and families ---------------------------------------------------------------------


@pytest.mark.slow
def test_a_family_draws_as_many_samples_as_it_needs(connection: duckdb.DuckDBPyConnection) -> None:
    """In 30 comparisons with 1000 samples, no p could be below 30 * 2 / 1001."""
    systems = {"A": "log", **{
        f"B{i}": f"SELECT * REPLACE ({i} + noise + 0.3 * label AS score) FROM log" for i in range(10)
    }}  # fmt: skip
    options: dict[str, Any] = {
        "connection": connection, "cluster": "user_id", "interval_method": "bootstrap",
    }  # fmt: skip
    few = compare(systems, None, ["ks"], **options, resamples=100)
    assert {row["verdict"] for row in few.rows} == {"baseline", "unclear"}
    assert any("p cannot be below 0.02 with 100 resamples, and a verdict in a family of 10 comparisons needs "
               "p < 0.005" in warning for warning in few.warnings)  # fmt: skip
    enough = compare(systems, None, ["ks"], **options, alpha=0.01)
    drawn = {row["resamples"] for row in enough.rows if row["system"] != "A"}
    assert drawn == {2000}
    assert "worse" in {row["verdict"] for row in enough.rows}
    assert not any("cannot be below" in warning for warning in enough.warnings)


@pytest.mark.slow
def test_tests_that_resample_do_so_often_enough(connection: duckdb.DuckDBPyConnection) -> None:
    found = pair(connection, test="randomization", alpha=0.0001)
    assert found.row("mrr")["resamples"] == 20_000
    assert pair(connection, test="randomization", alpha=0.0001, resamples=500).row("mrr")["resamples"] == 500


@pytest.mark.slow
def test_one_unit_is_no_evidence_of_samples() -> None:
    """If one user has all rows, every sample has the same difference, or none."""
    log = "SELECT 1 AS user_id, i % 2 AS label, {} AS score FROM range(40) AS t(i)"
    found = compare(
        {"A": log.format("i % 2 + i / 100"), "B": log.format("(i * 7919 % 41) / 41")}, None, ["ks", "auc"],
        cluster="user_id", interval_method="bootstrap", resamples=200,
    )  # fmt: skip
    for row in found.rows[1::2]:
        assert row["verdict"] == "not tested"
        assert row["reason"]


# ---- the smallest detectable difference ----------------------------------------------------------


@pytest.mark.slow
def test_the_mde_is_found_four_times_out_of_five() -> None:
    """The differences are normal, in families of 1 and of 45, with the p-values of the package."""
    source = np.random.default_rng(11)
    for n, tests in ((8, 1), (12, 45), (40, 45)):
        far = scipy.stats.t.isf(0.025 / tests, n - 1)
        values = ", ".join(f"({v})" for v in source.normal(size=n))
        rows = (
            "SELECT s AS system, 'm' AS metric, u AS query_id, CASE s WHEN 'A' THEN 0 ELSE v END AS value "
            f"FROM (SELECT v, row_number() OVER () AS u FROM (VALUES {values}) AS t(v)), "
            "(VALUES ('A'), ('B')) AS w(s)"
        )
        (row,) = run_test("paired_t", rows, baseline="A", alpha=0.05 / tests).rows
        effect = row["mde"] / row["se"] / np.sqrt(n)
        samples = source.normal(effect, 1, (20_000, n))
        t = np.abs(samples.mean(axis=1) / samples.std(axis=1, ddof=1) * np.sqrt(n))
        assert np.mean(t >= far) == pytest.approx(0.8, abs=0.015), (n, tests)


@pytest.mark.slow
def test_equal_differences_have_no_mde(connection: duckdb.DuckDBPyConnection) -> None:
    hits = "SELECT query_id, item_id, {} * item_id AS score FROM old"
    found = compare(
        {"A": hits.format("1"), "B": hits.format("-1"), "same": hits.format("2")}, "truth", "hit_rate@1",
        connection=connection,
    )  # fmt: skip
    assert [row["mde"] for row in found.rows] == [None, None, None]
    assert [row["verdict"] for row in found.rows] == ["baseline", "better", "unclear"]


@pytest.mark.slow
def test_a_relative_change_has_the_sign_of_the_difference(connection: duckdb.DuckDBPyConnection) -> None:
    """rig is negative for a baseline that is worse than the mean."""
    found = compare(
        {"A": "SELECT * REPLACE (noise AS score) FROM log", "B": "log"}, None, ["rig"], connection=connection,
        cluster="user_id",
    )  # fmt: skip
    base, row = found.rows
    assert base["value"] < 0 < row["delta"]
    assert row["verdict"] == "better"
    assert row["relative_change"] == pytest.approx(row["delta"] / abs(base["value"]), rel=1e-9)
    assert row["relative_change"] > 0
    arms = "FROM (VALUES ('a', -4.0), ('a', -2.0), ('b', -1.0), ('b', -0.5)) AS t(arm, value)"
    assert run_test("welch_t", arms, control="a").rows[0]["relative_change"] == pytest.approx(0.75)
    ratios = f"SELECT arm, value AS numerator, 1 AS denominator {arms}"
    assert run_test("ratio_delta", ratios, control="a").rows[0]["relative_change"] == pytest.approx(0.75)


# ---- levels, by simulation ----------------------------------------------------------------------


def many(engine: DuckDBEngine, name: str, table: pa.Table, **given: Any) -> list[dict[str, Any]]:
    return run_test(name, table, connection=engine, **given).rows


@pytest.mark.slow
def test_the_bootstrap_keeps_its_level() -> None:
    """Differences of nDCG are skewed: each metric is a repetition. The percentiles reject twice as often."""
    source = np.random.default_rng(5)
    repetitions, n = 1000, 20
    hard = source.choice([0.0, 0.3, 0.8], (repetitions, n, 1), p=[0.5, 0.3, 0.2])
    values = 1 / np.log2(1 + source.geometric(1 - 0.9 * hard * np.ones((1, 1, 2))))
    table = pa.table({
        "system": np.tile(["A", "B"], repetitions * n),
        "metric": np.repeat(np.arange(repetitions), 2 * n).astype(str),
        "query_id": np.repeat(np.tile(np.arange(n), repetitions), 2), "value": values.reshape(-1),
    })  # fmt: skip
    engine = DuckDBEngine()
    try:
        found = {
            method: [row["p"] for row in many(engine, "paired_bootstrap", table, baseline="A", method=method,
                                              resamples=400)]
            for method in ("studentized", "percentile")
        }  # fmt: skip
    finally:
        engine.release()
    share = {method: np.mean(np.array(p) < 0.05) for method, p in found.items()}
    assert share["studentized"] <= 0.06, share
    assert share["percentile"] > 0.06, share


@pytest.mark.slow
def test_ratios_of_unequal_users_keep_their_level() -> None:
    """Users have a Pareto number of views, and the true difference is 0."""
    source = np.random.default_rng(6)
    engine = DuckDBEngine()
    p: dict[str, list[float]] = {"jackknife": [], "delta": []}
    try:
        for _ in range(10):
            arms, n = 101, 100
            x = np.minimum(np.ceil(2 * (1 + source.pareto(1.5, (arms, n)))), 400)
            y = source.binomial(x.astype(int), 1 / (1 + np.exp(2 - 1.2 * source.normal(size=(arms, n)))))
            table = pa.table({
                "arm": np.repeat(np.arange(arms), n).astype(str), "numerator": y.reshape(-1).astype(float),
                "denominator": x.reshape(-1),
            })  # fmt: skip
            for variance, known in p.items():
                known += [r["p"] for r in many(engine, "ratio_delta", table, control="0", variance=variance)]
    finally:
        engine.release()
    assert len(p["jackknife"]) == 1000
    # One control serves a hundred arms: the shares of ten runs vary more than those of a thousand tests.
    assert np.mean(np.array(p["jackknife"]) < 0.05) < np.mean(np.array(p["delta"]) < 0.05)


def test_bounds_that_are_rounding_errors_of_large_values_are_zero() -> None:
    part: Any = SimpleNamespace(
        per_query="values", units=SimpleNamespace(linearized=False, kind="clusters of country"), measures=[]
    )
    tiny = {"delta": 1.4e-14, "delta_lower": 1.4e-14, "delta_upper": 1.4e-14, "p": 0.06, "se": 0.0}
    row = {"value": 111.36, "metric": "average_popularity"}
    test: Any = SimpleNamespace(name="paired_t")
    found = rows.result_of_row(row, part, test, tiny, {})
    assert found["is_constant"] is False
    part.per_query = None
    fields = rows._fields(row, part, found)
    assert [fields[name] for name in ("delta", "delta_lower", "delta_upper", "p")] == [0.0, 0.0, 0.0, 1.0]


def test_a_sampled_metric_without_units_names_their_number() -> None:
    place = np.arange(30)
    logs = pa.table({"user": place // 3, "label": place % 3 % 2, "a": place / 30, "b": (place / 30) ** 2,
                     "part": np.where(place < 3, "one", "rest")})  # fmt: skip
    found = compare(
        logs, metrics="ece", score={"A": "a", "B": "b"}, cluster="user", by="part", baseline="A",
        interval_method="bootstrap", resamples=20,
    )  # fmt: skip
    assert found.row("ece", part="one")["reason"].startswith("no more than one unit")


# ---- the heading of p ---------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("metrics", "screen", "page"), [("mrr", "p", "p"), ("mrr,hit_rate@1", "p adj.", "adjusted p")]
)
def test_adjusted_p_values_have_a_heading_of_their_own(metrics: str, screen: str, page: str) -> None:
    """One test is not adjusted; Holm's method doubles the smaller one of two p-values, and `p` stays."""
    truth = {f"q{i}": {"a": 1} for i in range(12)}
    best = {query: {"a": 2.0, "b": 1.0} for query in truth}
    other = {query: {"a": 1.0 + 2 * (i > 2), "b": 2.0} for i, query in enumerate(truth)}
    result = compare({"A": best, "B": other}, truth, metrics)
    row, tests = result.row("mrr"), len(metrics.split(","))
    assert row["p"] == pytest.approx(scipy.stats.ttest_1samp([-0.5] * 3 + [0.0] * 9, 0).pvalue)
    assert row["p_adjusted"] == pytest.approx(tests * row["p"])
    assert f" {screen}  " in result.lines(120)[2]
    assert f">{page}</th>" in result._repr_html_()
    assert result.failures(f"mrr p > {row['p'] * 1.01}") == []
    board = leaderboard({"A": best, "B": other, "C": best}, truth, metrics)
    assert "& adjusted p &" in board.to_latex()
    assert "p adj." in "\n".join(board.lines(120))
    assert f"({page} = " in result.report().html
