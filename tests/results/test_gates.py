"""Gates: missing evidence fails, and an unreadable gate is refused; no gate passes by accident."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import Comparison, MetricError, compare
from duckmetrics.results.gates import failures, read_gates
from support.command_line import Command
from support.intervals import drawing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RANKINGS = ["mrr", "hit_rate@1", "ndcg@10", "precision@3", "first_rank"]
CLASSIFIERS = ["auc", "log_loss", "accuracy", "gini", "brier", "mae", "rmse", "classification.precision"]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE truth AS SELECT q AS query_id, 0 AS item_id FROM range(20) AS t(q)")
        for name, score in (("hits", "-i"), ("fails", "i")):
            connection.execute(
                f"CREATE TABLE {name} AS SELECT q AS query_id, i AS item_id, {score} AS score "
                "FROM range(20) AS t(q), range(3) AS u(i)"
            )
        connection.execute(
            "CREATE TABLE log AS SELECT i % 20 AS user_id, (i // 20 % 2)::INT AS label, "
            "0.1 + 0.8 * (i // 20 % 2) AS score, CASE i % 2 WHEN 0 THEN 'DE' ELSE 'FR' END AS country "
            "FROM range(80) AS t(i)"
        )
        yield connection


def compared(connection: duckdb.DuckDBPyConnection, where: str = "TRUE", **options: Any) -> Comparison:
    """Compare a system that fails where the baseline hits."""
    systems = {"A": f"FROM hits WHERE {where}", "B": f"FROM fails WHERE {where}"}
    truth = f"FROM truth WHERE {where}"
    return compare(systems, truth, "hit_rate@1", connection=connection, **options)


# ---- all differences are equal ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "bootstrap", "randomization", "sign", "wilcoxon", "mcnemar"])
def test_equal_differences_have_a_verdict(connection: duckdb.DuckDBPyConnection, test: str) -> None:
    found = compared(connection, test=test, **drawing(test, 2000))
    row = found.row("hit_rate@1")
    assert (row["delta"], row["verdict"]) == (-1, "worse")
    assert found.failures("hit_rate@1 verdict = worse")
    if test in ("t", "bootstrap"):
        assert row["p"] == pytest.approx(2.0**-19, rel=1e-12)
        assert row["reason"] == "all differences are equal; p is that of the sign test"
    turned = compare({"A": "fails", "B": "hits"}, "truth", "hit_rate@1", connection=connection, test=test)
    assert turned.row("hit_rate@1")["verdict"] == "better"


@pytest.mark.some(0)
@pytest.mark.parametrize(("n", "verdict"), [(1, "not tested"), (2, "unclear"), (6, "worse")])
def test_a_verdict_needs_enough_equal_differences(
    connection: duckdb.DuckDBPyConnection, n: int, verdict: str
) -> None:
    row = compared(connection, f"query_id < {n}").row("hit_rate@1")
    assert row["verdict"] == verdict
    assert row["p"] == (None if n == 1 else 2.0 ** (1 - n))
    assert row["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_equal_differences_of_classifiers(connection: duckdb.DuckDBPyConnection, method: str) -> None:
    found = compare(
        {"A": "log", "B": "SELECT * REPLACE (1 - score AS score) FROM log"}, None, CLASSIFIERS,
        connection=connection, cluster="user_id", interval_method=method, test=method,
        by=["country"], **drawing(method, 500),
    )  # fmt: skip
    for row in found.rows:
        if row["system"] == "B" and row["metric"] != "classification.precision":
            assert row["verdict"] == "worse", row
    assert len(found.failures([f"{m} verdict by country = worse" for m in CLASSIFIERS])) == 2 * len(
        CLASSIFIERS
    )


@pytest.mark.slow
def test_units_that_say_nothing_are_no_evidence(connection: duckdb.DuckDBPyConnection) -> None:
    """One user of forty has positives, so recall is undefined for all others, and no user differs."""
    log = "SELECT i % 40 AS user_id, (i % 40 = 0)::INT AS label, {} AS score FROM range(120) AS t(i)"
    found = compare(
        {"A": log.format("0.9 * (i % 40 = 0)::INT"), "B": log.format("0.1")}, None, "classification.recall",
        connection=connection, cluster="user_id",
    )  # fmt: skip
    row = found.row("classification.recall")
    assert (row["delta"], row["verdict"]) == (-1, "not tested")
    # Without that user recall has no value, so no user has one for the jackknife.
    assert "no clusters of user_id have a value" in row["reason"]
    assert found.failures("classification.recall verdict = worse")


# ---- missing evidence ---------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_not_tested_fails_and_says_why(connection: duckdb.DuckDBPyConnection) -> None:
    single = compared(connection, "query_id = 0")
    for gate in ("hit_rate@1 verdict = worse", "hit_rate@1 verdict != better", "hit_rate@1 p < 0.05",
                 "hit_rate@1 p_adjusted < 0.05", "hit_rate@1 mde > 1"):  # fmt: skip
        (line,) = single.failures(gate)
        assert "one query" in line, line
    nothing = compare(
        {"A": "FROM hits WHERE query_id < 9", "B": "FROM fails WHERE query_id >= 9"}, "truth", "hit_rate@1",
        connection=connection, allow_different=True, missing="skip",
    )  # fmt: skip
    (line,) = nothing.failures("hit_rate@1 verdict = worse")
    assert "no queries have a value in both" in line


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("hit_rate@1 verdict = wrose", "unknown verdict 'wrose'; did you mean 'worse'?"),
        ("hit_rate@1 verdict = Better", "unknown verdict 'Better'; did you mean 'better'?"),
        ("hit_rate@1 verdict = baseline", "unknown verdict 'baseline'; known: better,"),
        ("hit_rate@1 by < 2", "no slice behind 'by'"),
        ("hit_rate@1 verdict by = worse", "no slice behind 'by'"),
        ("hit_rate@1 p_ajusted < 2", "unknown column 'p_ajusted'; did you mean 'p_adjusted'?"),
        ("hit_rate@1 chnge < -1%", "unknown column 'chnge'; did you mean 'change'?"),
        ("hit_rate@1 reason = none", "'none' is not a number"),
        ("hit_rate@1 change < -0.01", "'-0.01' is not; write change < -1%, or delta for a difference"),
        ("hit_rate@1 delta < -1%", "'-1%' is a share; write change < -1%, which is relative to the baseline"),
        ("hit_rate@1 delta_lower > x%", "is in the units of the metric"),
        ("hit_rate@1 value < x%", "'x%' is not a number"),
        ("hit_rate@1 signature < 3", "unknown column 'signature'"),
        ("hitrate@1 < 2", "did you mean 'hit_rate@1'?"),
    ],
)
def test_what_cannot_be_read_is_refused(
    connection: duckdb.DuckDBPyConnection, gate: str, message: str
) -> None:
    with pytest.raises(MetricError) as caught:
        compared(connection).failures(gate)
    assert message in str(caught.value)


@pytest.mark.slow
def test_a_column_without_any_value_is_known(connection: duckdb.DuckDBPyConnection) -> None:
    for column in ("p", "p_adjusted", "mde", "statistic", "effect_size", "wins", "delta_upper"):
        lines = compared(connection, "query_id = 0").failures(f"hit_rate@1 {column} < -9")
        assert len(lines) == (column != "wins"), column


def test_a_row_that_is_not_there_fails() -> None:
    """B has no rows in FR."""
    both = (
        "SELECT i % 2 AS label, 0.2 + i % 2 AS score, c AS country FROM range(2) AS t(i), (VALUES {}) AS u(c)"
    )
    systems = {"A": both.format("('DE'), ('FR')"), "B": both.format("('DE')")}
    found = duckmetrics.evaluate(systems, metrics="auc", by=["country"])
    assert found.failures("auc by country < 0.9") == [
        "gate failed: auc by country < 0.9: B, country=FR has no row"
    ]
    assert failures(read_gates("auc < 0.5"), [], {}) == ["gate failed: auc < 0.5: there are no results"]


@pytest.mark.slow
def test_nan_is_no_value(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [{**compared(connection).rows[1], "value": math.nan}]
    assert "has no value" in failures(read_gates("hit_rate@1 < 0"), rows, {})[0]


FACTS = {
    "empty": "FROM fails WHERE query_id = 3",
    "single": "FROM fails WHERE query_id = 3",
    "constant": "FROM fails",
    "same": "FROM hits",
}


@pytest.mark.some(1)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("fact", FACTS)
def test_no_gate_passes_without_evidence(
    connection: duckdb.DuckDBPyConnection, fact: str, turned: bool
) -> None:
    """A gate fails where its column has no value; elsewhere, its condition decides."""
    systems = {"A": "FROM hits WHERE query_id < 10", "B": FACTS[fact]}
    truth, missing = "FROM truth WHERE query_id < 10", "zero"
    if fact == "empty":  # the only query of B has no relevant item
        truth, missing = f"SELECT *, (query_id <> 3)::INT AS relevance {truth}", "skip"
    found = compare(
        dict(reversed(systems.items())) if turned else systems, truth, RANKINGS, connection=connection,
        allow_different=True, missing=missing,
    )  # fmt: skip
    everything = found.rows
    numbers = [n for n in everything[0] if n in found.summary.column_names and n not in
               ("system", "metric", "slice")]  # fmt: skip
    for row, column in itertools.product(everything, numbers):
        if row["system"] == found.baseline or (isinstance(row[column], str) and column != "verdict"):
            continue
        if column in ("baseline", "test", "adjust", "interval_method", "cluster", "reason", "signature"):
            continue
        value = row[column]
        if column == "verdict":
            told = found.failures(f"{row['metric']} verdict = worse")
            assert bool(told) == (value in ("worse", "not tested"))
            assert row["reason"] or value != "not tested"
            continue
        below = found.failures(f"{row['metric']} {column} < -1e300")
        above = found.failures(f"{row['metric']} {column} > 1e300")
        assert bool(below) == bool(above) == (value is None), (row["metric"], column)


# ---- the command line ---------------------------------------------------------------------------


@pytest.mark.slow
def test_exit_codes(
    connection: duckdb.DuckDBPyConnection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("truth", "hits", "fails"):
        connection.execute(f"COPY {name} TO '{tmp_path}/{name}.parquet'")
    run = Command(capsys)
    given = ("compare", "hits.parquet", "fails.parquet", "--truth", "truth.parquet", "-m", "hit_rate@1")
    assert run(*given, "--fail-if", "hit_rate@1 verdict = worse").code == 1
    for gate in ("hit_rate@1 verdict = wrose", "hit_rate@1 by < 2", "hit_rate@1 verdict = Better"):
        done = run(*given, "--fail-if", gate)
        assert done.code == 2, gate
        assert done.err.startswith("duckmetrics: gate ")


# ---- the words of the screens -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "bound"),
    [("m change < -1%", "relative_change", -0.01), ("m change < −1%", "relative_change", -0.01),
     ("m relative_lower < -2.5%", "relative_lower", -0.025), ("m < 35%", "value", 0.35),
     ("m p_adjusted < 5%", "p_adjusted", 0.05)],
)  # fmt: skip
def test_a_bound_in_per_cent_is_a_share(text: str, column: str, bound: float) -> None:
    (gate,) = read_gates(text)
    assert (gate.column, gate.bound) == (column, pytest.approx(bound, rel=1e-15))


@pytest.mark.parametrize("word", ["unclear", "not distinguishable", "no clear difference", "'unclear'"])
def test_the_former_words_of_a_verdict_are_still_read(word: str) -> None:
    (gate,) = read_gates(f"m verdict = {word}")
    assert gate.bound == "unclear"


def test_a_relative_change_stops_a_gate() -> None:
    """By hand: of 4 reciprocal ranks of 1, one becomes 1/2, so that the mean falls by 12.5 %."""
    truth = {f"q{i}": {"a": 1} for i in range(4)}
    best = {query: {"a": 2.0, "b": 1.0} for query in truth}
    result = compare({"A": best, "B": {**best, "q0": {"a": 1.0, "b": 2.0}}}, truth, "mrr")
    assert result.failures("mrr change < -13%") == []
    assert result.failures("mrr change < -12%") == [
        "gate failed: mrr change < -12%: relative_change of B is -0.125"
    ]
    with pytest.raises(MetricError, match="a column of differences, which 'duckmetrics compare' has"):
        duckmetrics.evaluate(best, truth, "mrr").failures("mrr change < -12%")
