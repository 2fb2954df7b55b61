"""Comparisons against scipy on the values of every query; populations, verdicts, movers, refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest
import scipy.stats

import duckmetrics
from duckmetrics import Comparison, InputError, MetricError, compare
from support.command_line import Command
from support.intervals import drawing

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engine

SPECS = ["ndcg@10", "mrr"]
QUERIES = 80


@pytest.fixture(scope="module")
def connection() -> Any:
    """Create a baseline, a better system, a nearly equal one, and a worse one."""
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")  # random() depends on the order of the rows
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            "CREATE TABLE truth AS SELECT q AS query_id, i AS item_id, (random() < 0.2)::INT AS relevance, "
            f"CASE WHEN q % 3 = 0 THEN 'DE' ELSE 'FR' END AS country, q // 4 AS user_id "
            f"FROM range({QUERIES}) AS t(q), range(12) AS u(i)"
        )
        connection.execute("CREATE TABLE old AS SELECT query_id, item_id, random() AS score FROM truth")
        for name, score in (
            ("better", "score + 0.4 * relevance"),
            ("alike", "CASE WHEN query_id < 6 THEN random() ELSE score END"),
            ("worse", "score - 0.5 * relevance"),
        ):
            connection.execute(
                f"CREATE TABLE {name} AS SELECT query_id, item_id, {score} AS score "
                "FROM old JOIN truth USING (query_id, item_id)"
            )
        connection.execute(
            "CREATE TABLE runs AS SELECT 'old' AS model, * FROM old UNION ALL SELECT 'better', * FROM better"
        )
        connection.execute(
            "CREATE TABLE log_a AS SELECT q % 30 AS user_id, (random() < p)::INT AS label, p AS score "
            "FROM (SELECT q, 0.1 + 0.8 * random() AS p FROM range(600) AS t(q))"
        )
        connection.execute(
            "CREATE TABLE log_b AS SELECT user_id, label, "
            "0.02 + 0.96 * (0.3 * random() + 0.7 * score) AS score FROM log_a"
        )
        connection.execute("RESET threads")
        yield connection


SYSTEMS = {name: name for name in ("old", "better", "alike", "worse")}


@pytest.fixture(scope="module")
def comparison(connection: duckdb.DuckDBPyConnection) -> Comparison:
    return compare(SYSTEMS, "truth", SPECS, connection=connection, by=["country"])


def values_of(result: Comparison, system: str, metric: str, country: str | None = None) -> list[float]:
    rows = sorted(result.evaluation.per_query.to_pylist(), key=lambda row: row["query_id"])
    return [
        row["value"] for row in rows
        if row["system"] == system and row["metric"] == metric and country in (None, row["country"])
    ]  # fmt: skip


def row_of(result: Comparison, system: str, metric: str, country: str | None = None) -> dict[str, Any]:
    (row,) = (
        row for row in result.rows
        if (row["system"], row["metric"]) == (system, metric)
        and (row["country"] if row["slice"] else None) == country
    )  # fmt: skip
    return row


@pytest.mark.some(1)
@pytest.mark.parametrize("country", [None, "DE", "FR"])
@pytest.mark.parametrize("metric", SPECS)
@pytest.mark.parametrize("system", ["better", "alike", "worse"])
def test_every_number_is_that_of_scipy(
    comparison: Comparison, system: str, metric: str, country: str | None
) -> None:
    a, b = (values_of(comparison, name, metric, country) for name in ("old", system))
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    test = scipy.stats.ttest_rel([y for _, y in pairs], [x for x, _ in pairs])
    interval = test.confidence_interval(0.95)
    differences = [y - x for x, y in pairs]
    n, sd = len(pairs), scipy.stats.tstd(differences)
    row = row_of(comparison, system, metric, country)
    delta = math.fsum(differences) / n
    expected = {
        "value": sum(y for _, y in pairs) / n,
        "delta": delta,
        "delta_lower": interval.low,
        "delta_upper": interval.high,
        "relative_change": delta / (sum(x for x, _ in pairs) / n),
        "effect_size": delta / sd,
        "statistic": test.statistic,
        "df": n - 1,
        "p": test.pvalue,
        "n_units": n,
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-12)
    # The first step of Holm: of 6 comparisons overall, of 12 by country.
    far, effect = scipy.stats.t.isf(0.025 / (12 if country else 6), n - 1), row["mde"] * math.sqrt(n) / sd
    power = scipy.stats.nct.sf(far, n - 1, effect) + scipy.stats.nct.cdf(-far, n - 1, effect)
    assert power == pytest.approx(0.8, abs=0.002)
    assert (row["wins"], row["ties"], row["losses"]) == (
        sum(d > 1e-12 for d in differences),
        sum(abs(d) <= 1e-12 for d in differences),
        sum(d < -1e-12 for d in differences),
    )


def holm(p_values: list[float]) -> list[float]:
    """Return Holm's p by definition: the k-th smallest times the number of those left, never decreasing."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for k, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - k) * p_values[i]))
        adjusted[i] = largest
    return adjusted


@pytest.mark.parametrize("slicing", ["", "country"])
def test_every_slicing_is_a_family_of_its_own(comparison: Comparison, slicing: str) -> None:
    rows = [row for row in comparison.rows if row["slice"] == slicing and row["p"] is not None]
    assert len(rows) == (6 if slicing == "" else 12)
    assert [row["p_adjusted"] for row in rows] == pytest.approx(holm([row["p"] for row in rows]), rel=1e-12)


def test_verdicts(comparison: Comparison) -> None:
    for metric in SPECS:
        found = {name: row_of(comparison, name, metric)["verdict"] for name in SYSTEMS}
        assert found == {
            "old": "baseline", "better": "better", "alike": "unclear", "worse": "worse"
        }  # fmt: skip


def test_the_result_reads_as_a_table(comparison: Comparison) -> None:
    brief, whole = comparison.lines(width=300), comparison.lines(whole=True)
    assert (
        brief[0] == "better is better than old by ndcg@10; worse is worse than old; "
        "alike does not clearly differ from old"
    )
    assert brief[2].split() == [
        "metric", "system", "from", "to", "change", "95", "%", "interval", "p", "adj.",
        "worse", "0", "better"
    ]  # fmt: skip
    assert whole[0].split() == [
        "metric", "country", "system", "verdict", "n", "value", "interval", "delta", "delta_interval",
        "relative_change", "effect_size", "wins/ties/losses", "p", "p_adjusted", "mde",
    ]  # fmt: skip
    assert brief[-1].startswith(
        "75 queries, paired t; ▲ ▼ need p < 0.05 after Holm correction for 6 comparisons overall, "
        "12 by country; the chance of any false verdict is up to 10 %; "
    )
    assert "▼ worse: also worse in country DE: mrr" in brief
    assert (
        "against old: paired_t; 18 comparisons in 2 families (6 overall, 12 by country), p adjusted by holm; "
        "the chance of any false verdict is up to 10 %; a verdict needs p_adjusted < 0.05; "
        "95 % intervals, not adjusted"
    ) in whole
    families = [{"slice": "", "comparisons": 6}, {"slice": "country", "comparisons": 12}]
    assert comparison.to_dict()["families"] == families
    assert "better: better in 2 of 2 overall; better in 4 of 4 slices by country" in whole
    assert any(line.startswith("worse: worse in 2 of 2 overall; worse in 4 of 4 slices") for line in whole)
    text = repr(comparison)
    assert "\nnote: 95 % intervals of the values: Student's t over 75 queries\n" in text
    assert "\n! intervals: only 27 queries for mrr where country=DE" in text
    assert comparison._repr_html_().count("<tr>") == 1 + len(comparison.rows)
    table = comparison.summary
    assert table.num_rows == len(comparison.rows) == 4 * 2 * 3
    assert table.column("delta").null_count == 2 * 3
    assert set(table.column("baseline").to_pylist()) == {"old"}


@pytest.mark.slow
def test_one_table_with_a_column_of_systems(
    connection: duckdb.DuckDBPyConnection, comparison: Comparison
) -> None:
    found = compare("runs", "truth", SPECS, system="model", baseline="old", connection=connection)
    for metric in SPECS:
        row, other = row_of(found, "better", metric), row_of(comparison, "better", metric)
        names = ("value", "delta", "delta_lower", "p")
        assert [row[name] for name in names] == pytest.approx([other[name] for name in names], rel=1e-12)
    turned = compare("runs", "truth", SPECS, system="model", baseline="better", connection=connection)
    assert row_of(turned, "old", "mrr")["delta"] == pytest.approx(-row_of(found, "better", "mrr")["delta"])
    assert row_of(turned, "old", "mrr")["verdict"] == "worse"


@pytest.mark.slow
def test_lower_may_be_better(connection: duckdb.DuckDBPyConnection) -> None:
    found = compare(
        {"old": "old", "better": "better"}, "truth", ["first_rank"], connection=connection,
        allow_different=True,
    )  # fmt: skip
    row = found.rows[1]
    assert row["delta"] < 0 < row["wins"] - row["losses"]
    assert row["verdict"] == "better"


@pytest.mark.slow
def test_equal_systems_are_unclear(connection: duckdb.DuckDBPyConnection) -> None:
    found = compare({"old": "old", "same": "FROM old"}, "truth", SPECS, connection=connection)
    for metric in SPECS:
        row = row_of_any(found, "same", metric)
        assert (row["delta"], row["p"], row["p_adjusted"], row["verdict"]) == (0, 1, 1, "unclear")
        assert row["ties"] == row["n_units"]


def row_of_any(result: Comparison, system: str, metric: str) -> dict[str, Any]:
    return next(row for row in result.rows if (row["system"], row["metric"]) == (system, metric))


@pytest.mark.slow
@pytest.mark.parametrize("word", ["randomization", "bootstrap", "sign", "wilcoxon", "tukey"])
def test_other_tests_on_request(
    connection: duckdb.DuckDBPyConnection, comparison: Comparison, word: str
) -> None:
    found = compare(SYSTEMS, "truth", SPECS, connection=connection, test=word, **drawing(word, 2000))
    for metric in SPECS:
        verdicts = [row_of_any(found, name, metric)["verdict"] for name in ("better", "alike", "worse")]
        assert verdicts == ["better", "unclear", "worse"]
        row, usual = row_of_any(found, "alike", metric), row_of(comparison, "alike", metric)
        assert row["delta"] == pytest.approx(usual["delta"], rel=1e-12)
        assert row["p"] != usual["p"]
        assert 0 < row["p"] <= row["p_adjusted"] <= 1
    assert word in found.test
    assert found.adjust == ("none" if word == "tukey" else "holm")
    warned = any("does not compare means" in finding.message for finding in found.checks)
    assert warned == (word in ("sign", "wilcoxon"))


@pytest.mark.slow
def test_p_is_never_0(connection: duckdb.DuckDBPyConnection) -> None:
    far = "SELECT i AS query_id, j AS item_id, {} AS score FROM range(3000) AS t(i), range(2) AS u(j)"
    found = compare(
        {"A": far.format("j + i % 2"), "B": far.format("CASE WHEN i % 500 = 0 THEN j ELSE -j END")},
        "SELECT i AS query_id, 0 AS item_id FROM range(3000) AS t(i)", "mrr", connection=connection,
    )  # fmt: skip
    assert found.rows[1]["p"] == found.rows[1]["p_adjusted"] == 1e-300
    assert "<0.0001" in repr(found)
    assert "<1e-300" in "\n".join(found.lines(whole=True))


# --- classifiers ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_classifiers_are_compared_by_clusters(connection: duckdb.DuckDBPyConnection) -> None:
    specs = ["auc", "log_loss", "calibration_ratio", "ks"]
    found = compare({"A": "log_a", "B": "log_b"}, None, specs, connection=connection, cluster="user_id")
    rows = {row["metric"]: row for row in found.rows if row["system"] == "B"}
    # The difference of mean losses, clustered: sums over users, and the spread of their residuals.
    sums = connection.execute(
        "SELECT count(*), sum(d) FROM (SELECT a.user_id, "
        "ln(CASE a.label WHEN 1 THEN a.score ELSE 1 - a.score END) "
        "- ln(CASE a.label WHEN 1 THEN b.score ELSE 1 - b.score END) AS d FROM "
        "(SELECT *, row_number() OVER () AS i FROM log_a) AS a JOIN "
        "(SELECT *, row_number() OVER () AS i FROM log_b) AS b USING (i)) GROUP BY user_id"
    ).fetchall()
    n, m = sum(size for size, _ in sums), len(sums)
    delta = math.fsum(d for _, d in sums) / n
    error = math.sqrt(m / (m - 1) * math.fsum((d - delta * size) ** 2 for size, d in sums)) / n
    loss = rows["log_loss"]
    assert loss["delta"] == pytest.approx(delta, rel=1e-9)
    expected = scipy.stats.t.interval(0.95, m - 1, delta, error)
    assert (loss["delta_lower"], loss["delta_upper"]) == pytest.approx(expected, rel=1e-9)
    assert loss["n_units"] == m
    assert loss["wins"] is None
    assert rows["auc"]["verdict"] in ("worse", "unclear")
    assert rows["ks"]["verdict"] == "not tested"
    assert rows["ks"]["value"] is not None
    values = [row["value"] for row in found.rows if row["metric"] == "auc"]
    assert rows["auc"]["delta"] == pytest.approx(values[1] - values[0], rel=1e-9)


@pytest.mark.slow
def test_a_bootstrap_compares_metrics_that_have_no_derivative(connection: duckdb.DuckDBPyConnection) -> None:
    systems = {
        "A": "log_a", "same": "FROM log_a",
        "noise": "SELECT user_id, label, (hash(user_id, score) % 1000) / 1000 AS score FROM log_a",
    }  # fmt: skip
    found = compare(
        systems, None, ["ks", "auc"], connection=connection, cluster="user_id", interval_method="bootstrap",
        resamples=400, adjust="none",
    )  # fmt: skip
    rows = {row["system"]: row for row in found.rows if row["metric"] == "ks"}
    assert (rows["same"]["delta"], rows["same"]["delta_lower"], rows["same"]["p"]) == (0, 0, 1)
    noise = rows["noise"]
    assert noise["delta"] == noise["value"] - rows["A"]["value"]
    assert noise["delta_lower"] < noise["delta"] < noise["delta_upper"] < 0
    assert noise["p"] == pytest.approx(2 / 401)
    assert noise["verdict"] == "worse"
    assert any("ks: compared on 400 bootstrap samples" in finding.message for finding in found.checks)
    with pytest.raises(InputError, match="have values of different rows"):
        compare(
            {"A": "log_a", "B": "SELECT * FROM log_b LIMIT 500"}, None, "ks", connection=connection,
            cluster="user_id", interval_method="bootstrap", resamples=10,
        )  # fmt: skip


@pytest.mark.slow
def test_the_same_rows_in_another_order_are_no_other_system(connection: duckdb.DuckDBPyConnection) -> None:
    """Sums in another order differ in the last digit, equally for every unit."""
    systems = {
        "A": "log_a", "sorted": "FROM log_a ORDER BY score", "shuffled": "FROM log_a ORDER BY hash(score)",
        "scaled": "SELECT * REPLACE (0.9 * score AS score) FROM log_a",
    }  # fmt: skip
    specs = ["auc", "log_loss", "normalized_entropy", "calibration_ratio"]
    for options in ({}, {"test": "randomization", "resamples": 500}, {"test": "bootstrap", "resamples": 200}):
        found = compare(systems, None, specs, connection=connection, cluster="user_id", **options)
        for row in found.rows:
            if row["system"] in ("sorted", "shuffled") or (row["system"], row["metric"]) == ("scaled", "auc"):
                told = row["delta"], row["p"], row["verdict"]
                assert told == (0, 1, "unclear"), row
        assert found.failures("auc p_adjusted < 0.05") == []


@pytest.mark.slow
def test_more_wins_and_a_lower_mean_are_no_verdict(connection: duckdb.DuckDBPyConnection) -> None:
    """Three of four queries improve from rank 5 to 4, the others drop to 30: the tests disagree."""
    ranked = (
        "SELECT q AS query_id, i AS item_id, CASE i WHEN 0 THEN 0.5 - {} ELSE -i END AS score "
        "FROM range(400) AS t(q), range(31) AS u(i)"
    )
    systems = {"A": ranked.format("5"), "B": ranked.format("CASE WHEN q % 4 = 0 THEN 30 ELSE 4 END")}
    truth = "SELECT q AS query_id, 0 AS item_id FROM range(400) AS t(q)"
    found = {
        test: compare(systems, truth, "mrr", connection=connection, test=test).rows[1]
        for test in ("sign", "wilcoxon", "t")
    }
    for row in found.values():
        assert row["delta"] == pytest.approx(0.75 * (1 / 4 - 1 / 5) + 0.25 * (1 / 30 - 1 / 5))
        assert (row["wins"], row["losses"]) == (300, 100)
    assert found["sign"]["p"] < 1e-6
    assert {test: row["verdict"] for test, row in found.items()} == {
        "sign": "different", "wilcoxon": "different", "t": "unclear"
    }  # fmt: skip


def test_a_row_by_name(comparison: Comparison) -> None:
    assert comparison.row("mrr", "better") == row_of(comparison, "better", "mrr")
    assert comparison.row("mrr", "worse", country="DE") == row_of(comparison, "worse", "mrr", "DE")
    assert comparison.per_query.num_rows == 4 * 2 * QUERIES
    with pytest.raises(MetricError, match="several systems; name one of"):
        comparison.row("mrr")
    with pytest.raises(MetricError, match="map: not evaluated; "):
        comparison.row("map", "better")


def test_gates_look_at_verdicts_and_slices(comparison: Comparison) -> None:
    assert comparison.failures("mrr verdict = worse") == [
        "gate failed: mrr verdict = worse: verdict of worse is worse"
    ]
    assert comparison.failures(["mrr verdict = 'not tested'", "ndcg@10 delta by country > 0.9"]) == []
    lines = comparison.failures("ndcg@10 delta_upper by country < 0")
    assert [line.partition(": delta_upper of ")[2].partition(" is ")[0] for line in lines] == [
        "worse, country=DE", "worse, country=FR"
    ]  # fmt: skip
    with pytest.raises(MetricError, match="no slices by 'device'; known: country"):
        comparison.failures("mrr by device < 0")


@pytest.mark.slow
def test_the_difference_of_correlated_aucs_is_delongs(connection: duckdb.DuckDBPyConnection) -> None:
    """With one row per cluster the jackknife is DeLong's covariance, except for factors n / (n - 1).

    Its degrees of freedom are the number of rows of the smaller class, minus one.
    """
    table = "SELECT row_number() OVER () AS row_id, label, {} AS score FROM log_a"
    found = compare(
        {"A": table.format("score"), "B": table.format("abs(score - 0.3)")}, None, "auc",
        connection=connection, cluster="row_id",
    )  # fmt: skip
    row = found.rows[1]
    data = connection.execute("SELECT label, score, abs(score - 0.3) FROM log_a").fetchall()
    placed = {1: [], 0: []}  # type: ignore[var-annotated]
    for label, *scores in data:
        shares = []
        for i, score in enumerate(scores, start=1):
            others = [other[i] for other in data if other[0] != label]
            below = sum((o < score) if label else (o > score) for o in others)
            shares.append((below + 0.5 * sum(o == score for o in others)) / len(others))
        placed[label].append(shares[1] - shares[0])
    delta = math.fsum(placed[1]) / len(placed[1])
    squares = (math.fsum((d - delta) ** 2 for d in side) / (len(side) - 1) ** 2 for side in placed.values())
    n, effective = len(data), min(map(len, placed.values()))
    error = math.sqrt(math.fsum(squares) * (n - 1) / n)
    assert row["delta"] == pytest.approx(delta, rel=1e-9)
    assert (row["n_effective"], row["df"]) == pytest.approx((effective, effective - 1))
    expected = scipy.stats.t.interval(0.95, effective - 1, delta, error)
    assert (row["delta_lower"], row["delta_upper"]) == pytest.approx(expected, rel=1e-9)


# --- populations ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_missing_queries_count_as_zero_for_both(connection: duckdb.DuckDBPyConnection) -> None:
    found = compare(
        {"old": "old", "fewer": "SELECT * FROM old WHERE query_id >= 10"},
        "truth",
        "mrr",
        connection=connection,
    )
    row = found.rows[1]
    assert row["n_units"] == found.rows[0]["n"]
    assert row["losses"] == 9
    assert row["delta"] < 0


@pytest.mark.slow
def test_different_populations_are_refused_unless_told(connection: duckdb.DuckDBPyConnection) -> None:
    systems = {"old": "old", "fewer": "SELECT * FROM old WHERE query_id >= 10"}
    with pytest.raises(InputError) as caught:
        compare(systems, "truth", "mrr", connection=connection, missing="skip")
    assert (
        "mrr: fewer and old have values of different queries: 9 queries have a value on one side only"
        in str(caught.value)
    )
    assert "set missing='zero' or population='both'" in str(caught.value)
    told = compare(systems, "truth", "mrr", connection=connection, missing="skip", allow_different=True)
    assert told.rows[1]["n_units"] == 66
    assert told.rows[1]["delta"] == 0
    assert any("the differences are of the 66 that are common" in finding.message for finding in told.checks)
    both = compare(systems, "truth", "mrr", connection=connection, population="both")
    assert both.rows[1]["n_units"] == both.rows[0]["n"] == 66
    with pytest.raises(InputError, match="have values of different rows"):
        compare(
            {"A": "log_a", "B": "SELECT * FROM log_b LIMIT 500"}, None, "auc", connection=connection,
            cluster="user_id",
        )  # fmt: skip


@pytest.mark.slow
def test_clusters_do_not_hide_other_queries(connection: duckdb.DuckDBPyConnection) -> None:
    """Each side misses another query of every user, so both have the same number of values."""
    systems = {
        name: f"SELECT * FROM old WHERE query_id % 4 <> {left_out}"
        for name, left_out in (("first", 0), ("last", 3))
    }
    for options in ({"cluster": "user_id"}, {"cluster": "user_id", "allow_different": True}, {}):
        with pytest.raises(InputError, match="have values of different queries"):
            compare(systems, "truth", "mrr", connection=connection, missing="skip", **options)
    same = compare(systems, "truth", "mrr", connection=connection, population="both", cluster="user_id")
    assert same.rows[1]["delta"] == 0


@pytest.mark.slow
def test_rows_are_compared_cluster_by_cluster(connection: duckdb.DuckDBPyConnection) -> None:
    """Systems have equal numbers of rows and positives of other users, or fill a slice differently."""
    turned = "SELECT (user_id + 1) % 30 AS user_id, label, score FROM log_a"
    for systems, by in (
        ({"A": "log_a", "B": turned}, None),
        ({name: f"SELECT *, score > 0.5 AS high FROM log_{name}" for name in "ab"}, "high"),
    ):  # fmt: skip
        for allow in (False, True):
            with pytest.raises(
                InputError,
                match="have other rows, labels, weights or groups; evaluate the same",
            ):
                compare(
                    systems,
                    None,
                    "auc",
                    connection=connection,
                    cluster="user_id",
                    by=by,
                    allow_different=allow,
                )


@pytest.mark.slow
def test_a_metric_without_values_does_not_stop_the_others(connection: duckdb.DuckDBPyConnection) -> None:
    low = "SELECT user_id, label, 0.4 * score AS score FROM log_a"
    found = compare(
        {"A": "log_a", "B": low}, None, ["classification.precision", "log_loss"], connection=connection,
        cluster="user_id",
    )  # fmt: skip
    precision, loss = (row for row in found.rows if row["system"] == "B")
    assert (precision["value"], precision["verdict"]) == (None, "not tested")
    assert precision["reason"]
    assert loss["verdict"] != "not tested"


@pytest.mark.slow
def test_differences_beside_what_units_differ_by_are_rounding(connection: duckdb.DuckDBPyConnection) -> None:
    """A value near 0 is not a scale; the values of the units are."""
    flat = (
        "SELECT i % 300 AS user_id, (i * 7919 % 10 < 3)::INT AS label, "
        "0.3 + 1e-4 * (i * 31 % 7 - 3) AS score FROM range(6000) AS t(i)"
    )
    systems = {f"B{i}": f"FROM ({flat}) ORDER BY hash(user_id, score, {i})" for i in range(4)}
    specs = ["rig", "brier_skill", "classification.mcc(threshold=0.3)"]
    found = compare({"A": flat, **systems}, None, specs, connection=connection, cluster="user_id")
    assert {row["verdict"] for row in found.rows} == {"baseline", "unclear"}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("baseline", "other", "verdict"),
    [
        (0.7, 1.5, "worse"),  # twice 0.1 off in the middle: both intervals together are narrower
        (1.5, 0.7, "better"),
        (0.7, 1.31, "different"),  # nothing shows which one is farther from 1
        (1.0, 0.6, "worse"),  # the baseline may be on either side
        (0.6, 1.0, "better"),
        (0.7, 0.9, "better"),
    ],
)
def test_the_value_nearer_to_1_is_better(
    connection: duckdb.DuckDBPyConnection, baseline: float, other: float, verdict: str
) -> None:
    """The values are these multiples of the truth, so that the middle of both is known."""
    scaled = "SELECT user_id, label, {} * avg(label) OVER () AS score FROM log_a"
    systems = {"A": scaled.format(baseline), "B": scaled.format(other)}
    found = compare(systems, None, "calibration_ratio", connection=connection, cluster="user_id")
    assert [row["verdict"] for row in found.rows] == ["baseline", verdict]


@pytest.mark.slow
def test_tests_of_single_units_are_refused_for_classifiers(connection: duckdb.DuckDBPyConnection) -> None:
    for test in ("sign", "wilcoxon"):
        with pytest.raises(MetricError, match="a unit of a classifier has no value of its own; use t,"):
            compare(
                {"A": "log_a", "B": "log_b"}, None, "auc", connection=connection, cluster="user_id", test=test
            )
    systems = {"old": "old", "better": "better"}
    with pytest.raises(MetricError, match=r"mcnemar needs value IN \(0, 1\) of every query"):
        compare(systems, "truth", "mrr", connection=connection, test="mcnemar")
    assert compare(systems, "truth", "hit_rate@1", connection=connection, test="mcnemar").rows[1]["p"] < 1


def test_evaluations_of_other_ids_are_not_compared() -> None:
    rows = "SELECT {} AS query_id, 0 AS item_id, 1 AS score FROM range(3) AS t(i)"
    numbers, texts = (
        duckmetrics.evaluate(rows.format(key), rows.format(key), "mrr") for key in ("i", "i::TEXT")
    )
    with pytest.raises(InputError, match="query_id: int64 in A and string in B; CAST one of them"):
        compare({"A": numbers, "B": texts})


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": "old"}, "compare: one system only; map two or more"),
        ({"predictions": {"old": "old"}}, "compare: old is the only system; give a second one"),
        ({"baseline": "odl"}, "baseline 'odl': no such system; did you mean 'old'?"),
        ({"predictions": "runs", "system": "model"}, "baseline: not given; set baseline="),
        ({"metrics": "mrr(agg=median)"}, "is the median of the queries, and the tests compare means"),
        ({"test": "anova"}, "test: unknown test 'anova'"),
        ({"test": "wilcoxn"}, "did you mean 'wilcoxon'?"),
        ({"adjust": "hom"}, "did you mean 'holm'?"),
        ({"power": 80}, "power=80: no probability"),
        ({"interval": 95}, "interval=95"),
        ({"alpha": 5}, "alpha=5: no probability between 0 and 1; write 0.05"),
    ],
)
def test_what_is_refused(
    connection: duckdb.DuckDBPyConnection, arguments: dict[str, Any], message: str
) -> None:
    asked = {"predictions": SYSTEMS, "truth": "truth", "metrics": "mrr", **arguments}
    with pytest.raises(MetricError) as caught:
        compare(**asked, connection=connection)
    assert message in str(caught.value)


def test_rows_without_clusters_cannot_be_paired(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(InputError, match="no column shows which rows of the systems belong together"):
        compare(
            {"A": "SELECT label, score FROM log_a", "B": "SELECT label, score FROM log_b"}, None, "auc",
            connection=connection,
        )  # fmt: skip


# --- movers --------------------------------------------------------------------------------------


def test_movers_are_the_largest_differences(
    connection: duckdb.DuckDBPyConnection, comparison: Comparison
) -> None:
    movers = comparison.movers(3).to_pylist()
    for metric in SPECS:
        a, b = (values_of(comparison, name, metric) for name in ("old", "better"))
        differences = sorted(
            ((y - x, q) for q, (x, y) in enumerate(zip(a, b, strict=True))
             if x is not None and abs(y - x) > 1e-12),
            key=lambda pair: (-pair[0], pair[1]),
        )  # fmt: skip
        gains = [
            row
            for row in movers
            if (row["system"], row["metric"], row["direction"]) == ("better", metric, "gain")
        ]
        assert [row["query_id"] for row in gains] == [q for d, q in differences[:3]]
        assert [row["difference"] for row in gains] == pytest.approx([d for d, _ in differences[:3]])
        assert [row["place"] for row in gains] == [1, 2, 3]
        losses = [
            row
            for row in movers
            if (row["system"], row["metric"], row["direction"]) == ("worse", metric, "loss")
        ]
        assert all(row["difference"] < 0 and row["value"] < row["baseline_value"] for row in losses)
    result = duckmetrics.evaluate(SYSTEMS, "truth", SPECS, connection=connection)
    assert result.movers(3, baseline="old").to_pylist() == movers
    assert result.movers(3).equals(result.movers(3, baseline="old"))


@pytest.mark.slow
def test_less_may_be_a_gain(connection: duckdb.DuckDBPyConnection) -> None:
    found = compare({"old": "old", "better": "better"}, "truth", "mean_rank", connection=connection,
                    allow_different=True)  # fmt: skip
    for row in found.movers(5).to_pylist():
        assert (row["direction"] == "gain") == (row["value"] < row["baseline_value"])
        assert row["difference"] == row["value"] - row["baseline_value"]


def test_movers_need_two_systems_and_queries(connection: duckdb.DuckDBPyConnection) -> None:
    alone = duckmetrics.evaluate("old", "truth", "mrr", connection=connection)
    with pytest.raises(MetricError, match="movers: one system only"):
        alone.movers()
    two = duckmetrics.evaluate({"old": "old", "better": "better"}, "truth", "mrr", connection=connection)
    with pytest.raises(MetricError, match="did you mean 'old'"):
        two.movers(baseline="odl")
    with pytest.raises(MetricError, match="n=0 is not a number of queries"):
        two.movers(0)
    logs = duckmetrics.evaluate({"A": "log_a", "B": "log_b"}, metrics="auc", connection=connection)
    with pytest.raises(MetricError, match="classifiers have no values of queries"):
        logs.movers()


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(folder)
    return Command(capsys)


# --- the command line ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(connection: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    for name in ("truth", "old", "better", "worse", "runs", "log_a", "log_b"):
        connection.execute(f"COPY {name} TO '{folder}/{name}.parquet'")
    return folder


@pytest.mark.slow
def test_compare_on_the_command_line(folder: Path, run: Command, comparison: Comparison) -> None:
    done = run(
        "compare", "old.parquet", "better.parquet", "worse.parquet", "--truth", "truth.parquet", "-m",
        ",".join(SPECS), "--movers", "movers.csv", "--per-query", "values.parquet",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.startswith("better is the best of 3 systems by ndcg@10\n")
    # The verdict, a table with its header, and the method, separated by empty lines.
    assert len(done.out.splitlines()) == 1 + 1 + 2 + 2 * 2 + 1 + 2
    assert (folder / "movers.csv").read_text().startswith("system,metric,direction,place,query_id")
    assert pq.read_table(folder / "values.parquet").num_rows == 3 * 2 * QUERIES
    named = run(
        "compare", "runs.parquet", "truth.parquet", "--system", "model", "--baseline", "old", "-m", "mrr",
        "--format", "csv",
    )  # fmt: skip
    header, *rows = (line.split(",") for line in named.out.splitlines())
    found = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert float(found["better"]["delta"]) == pytest.approx(row_of(comparison, "better", "mrr")["delta"])
    logs = run(
        "compare", "--system", "A=log_a.parquet", "--system", "B=log_b.parquet", "-m", "auc,log_loss",
        "--cluster", "user_id", "--adjust", "none",
    )  # fmt: skip
    assert logs.code == 0, logs.err
    assert "not corrected further" in logs.out


@pytest.mark.slow
def test_gates_decide_the_exit_code(run: Command) -> None:
    arguments = ("compare", "old.parquet", "worse.parquet", "--truth", "truth.parquet", "-m", "mrr,ndcg@10")
    passed = run(*arguments, "--fail-if", "mrr delta_upper > 0", "--fail-if", "ndcg@10<0.01")
    assert passed.code == 0, passed.err
    failed = run(*arguments, "--fail-if", "mrr delta_lower < -0.005", "--fail-if", "ndcg@10 < 0.99")
    assert failed.code == 1
    assert failed.out.startswith("worse is worse than old\n")
    lines = [line for line in failed.err.splitlines() if "gate failed" in line]
    assert lines[0].startswith(
        "duckmetrics: gate failed: mrr delta_lower < -0.005: delta_lower of worse is -0."
    )
    assert [line.partition(" is ")[0] for line in lines[1:]] == [
        "duckmetrics: gate failed: ndcg@10 < 0.99: value of worse",
    ]
    alone = run("evaluate", "old.parquet", "truth.parquet", "-m", "mrr", "--fail-if", "mrr < 0.99")
    assert alone.code == 1
    assert "duckmetrics: gate failed: mrr < 0.99: value is 0." in alone.err
    interval = run(
        "evaluate", "old.parquet", "truth.parquet", "-m", "mrr", "--interval", "0.9",
        "--fail-if", "mrr lower > 0",
    )  # fmt: skip
    assert interval.code == 1
    for gate in (
        "mrr",
        "mrr <",
        "mrr < high",
        "mrr < nan",
        "mrr delta < 0",
        "map < 0",
        "< 3",
        "mrr by x < 3",
    ):
        wrong = run("evaluate", "old.parquet", "truth.parquet", "-m", "mrr", "--fail-if", gate)
        assert wrong.code == 2, gate
        assert wrong.err.startswith("duckmetrics: gate ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PREDICTIONS'"),
        (("old.parquet",), "is read as one system"),
        (("old.parquet", "./old.parquet"), "two systems have the same name"),
        (("old.parquet", "b", "--system", "A=a.parquet"), "give only the truth with it"),
        (("old.parquet", "better.parquet", "--per-query", "x.csv"), "call it x.parquet"),
        (("old.parquet", "better.parquet", "--movers", "x.xlsx"), "end it in one of"),
        (("a", "b", "c", "--system", "model"), "names the systems of one table"),
        (("old.parquet", "a.parquet", "--truth", "truth.parquet", "--set", "baseline=old"), "not a switch"),
    ],
)
def test_usage(run: Command, arguments: tuple[str, ...], message: str) -> None:
    done = run("compare", *arguments, "-m", "mrr")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


# --- results of evaluate -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluations(connection: duckdb.DuckDBPyConnection) -> dict[str, duckmetrics.Evaluation]:
    """Evaluate each on its own connection, as results of different days; one spells a metric differently."""
    found = {}
    for name, specs in (("old", ["ndcg@10", "mrr"]), ("better", ["mrr", "ndcg(gain=linear)@10"])):
        tables = [connection.table(table).to_arrow_table() for table in (name, "truth")]
        found[name] = duckmetrics.evaluate(*tables, specs)
    return found


@pytest.mark.slow
def test_results_of_evaluate_are_compared_as_they_are(
    evaluations: dict[str, duckmetrics.Evaluation], comparison: Comparison
) -> None:
    found = compare(evaluations)
    assert [(row["metric"], row["system"]) for row in found.rows] == [
        ("ndcg@10", "old"), ("ndcg@10", "better"), ("mrr", "old"), ("mrr", "better")
    ]  # fmt: skip
    names = ("value", "lower", "upper", "delta", "delta_lower", "delta_upper", "p", "n", "n_units")
    for metric in SPECS:
        row, other = row_of_any(found, "better", metric), row_of(comparison, "better", metric)
        assert [row[name] for name in names] == pytest.approx([other[name] for name in names], rel=1e-11)
        assert row["verdict"] == "better"
    assert (
        compare(evaluations, metrics="mrr").rows[1]["p_adjusted"] == row_of_any(found, "better", "mrr")["p"]
    )
    assert found.movers(1).num_rows == 2  # a gain of each metric, and no loss
    assert found.summary.num_rows == 4


@pytest.mark.slow
def test_other_conventions_are_refused_unless_told(
    connection: duckdb.DuckDBPyConnection, evaluations: dict[str, duckmetrics.Evaluation]
) -> None:
    other = duckmetrics.evaluate("better", "truth", ["mrr"], connection=connection, missing="skip")
    with pytest.raises(MetricError) as caught:
        compare({"old": evaluations["old"], "other": other})
    assert "mrr: old and other follow other conventions: missing is zero in old and skip in other" in str(
        caught.value
    )
    told = compare({"old": evaluations["old"], "other": other}, allow_different=True)
    assert told.rows[1]["verdict"] == "better"


def test_results_that_cannot_be_compared(
    connection: duckdb.DuckDBPyConnection, evaluations: dict[str, duckmetrics.Evaluation]
) -> None:
    two = duckmetrics.evaluate({"old": "old", "better": "better"}, "truth", "mrr", connection=connection)
    logs = duckmetrics.evaluate("log_a", metrics="auc", connection=connection)
    for predictions, options, message in (
        ({"old": evaluations["old"], "table": "better"}, {}, "results of evaluate together with tables"),
        (evaluations, {"truth": "truth"}, "compared as they are; leave out truth"),
        (evaluations, {"missing": "skip"}, "leave out missing"),
        (evaluations, {"metrics": "mr"}, "mr: not in all of the evaluations; did you mean 'mrr'"),
        ({"two": two, "old": evaluations["old"]}, {}, "two: an evaluation of the systems better, old"),
        ({"logs": logs, "old": evaluations["old"]}, {}, "no mean of queries in common"),
    ):
        with pytest.raises(MetricError, match=message):
            compare(predictions, **options)
    with pytest.raises(InputError, match="values per query have no clusters"):
        compare(evaluations, cluster="user_id")
