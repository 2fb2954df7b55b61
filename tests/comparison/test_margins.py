"""Margins: not worse, equivalent, inconclusive; their p-values, families, gates, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from duckmetrics import Comparison, InputError, MetricError, compare, run_test
from duckmetrics.words.verdicts import OF_MARGINS
from support.command_line import document, exports, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command_line import Command

__all__ = ["exports", "run"]

N = 400
# The queries that gain and lose half a reciprocal rank, the margin, and the verdict of mrr with it.
CHANGES = [
    (40, 5, 0.1, "better"),
    (10, 10, 0.05, "equivalent"),
    (5, 20, 0.05, "equivalent"),  # clearly lower, but by less than the margin
    (20, 12, 0.02, "not worse"),
    (5, 20, 0.005, "worse"),
    (20, 22, 0.01, "inconclusive"),
]


def system(up: int, down: int) -> str:
    """Return predictions: the relevant item of every other query is first, of the others second."""
    half = N // 2
    rank = f"CASE WHEN q < {up} OR (q >= {half} AND q < {N - down}) THEN 1 ELSE 2 END"
    return (
        "SELECT q AS query_id, i AS item_id, CASE WHEN i = 1 THEN 1.5 - rank ELSE 0.0 END AS score "
        f"FROM (SELECT q, {rank} AS rank FROM range({N}) AS t(q)), range(2) AS u(i)"
    )


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    source = np.random.default_rng(3)
    n, users = 3000, np.arange(3000) ** 2 % 61
    label = (source.random(n) < 0.3).astype(np.int32)
    score = np.clip(0.3 * label + 0.5 * source.random(n), 0.01, 0.99)
    near = np.clip(score + 0.05 * source.standard_normal(n), 0.01, 0.99)
    log = pa.table({"user_id": users, "label": label, "score": score, "near": near})
    with duckdb.connect() as connection:
        connection.register("arrow_log", log)
        connection.execute("CREATE TABLE log AS FROM arrow_log")
        connection.execute(
            f"CREATE TABLE truth AS SELECT q AS query_id, 1 AS item_id FROM range({N}) AS t(q)"
        )
        yield connection


def changed(connection: duckdb.DuckDBPyConnection, up: int, down: int, **options: Any) -> Comparison:
    metrics = options.pop("metrics", "mrr")
    systems = {"A": system(0, 0), "B": system(up, down), **options.pop("others", {})}
    return compare(systems, "truth", metrics, connection=connection, **options)


def clicks(connection: duckdb.DuckDBPyConnection, metrics: list[str], margin: Any) -> Comparison:
    systems = {"A": "log", "B": "SELECT * REPLACE (near AS score) FROM log"}
    return compare(systems, None, metrics, connection=connection, cluster="user_id", margin=margin)


# ---- verdicts -----------------------------------------------------------------------------------


@pytest.mark.some(0)
@pytest.mark.parametrize(("up", "down", "margin", "verdict"), CHANGES)
def test_verdicts(
    connection: duckdb.DuckDBPyConnection, up: int, down: int, margin: float, verdict: str
) -> None:
    found = changed(connection, up, down, margin=margin)
    row = found.row("mrr")
    assert (row["verdict"], row["margin"], row["relative_margin"]) == (verdict, margin, None)
    values = found.per_query
    (tested,) = run_test("paired_tost", values, baseline="A", margin=margin, connection=connection).rows
    assert row["p_not_worse"] == row["p_not_worse_adjusted"] == pytest.approx(tested["p_higher"], rel=1e-12)
    assert row["p_equivalent"] == pytest.approx(tested["p_equivalent"], rel=1e-12)
    assert not found.failures(f"mrr verdict != {verdict}")
    assert found.failures(f"mrr verdict = {verdict}")


@pytest.mark.slow
def test_lower_is_better_and_no_direction(connection: duckdb.DuckDBPyConnection) -> None:
    found = changed(connection, 20, 12, metrics=["first_rank", "mrr"], margin={"first_rank": 0.04})
    row, other = found.row("first_rank"), found.row("mrr")
    assert (row["better"], row["verdict"], row["delta"]) == ("lower", "not worse", -0.02)
    t = (row["delta"] - 0.04) / (row["delta"] / row["statistic"])
    assert row["p_not_worse"] == pytest.approx(scipy.stats.t.cdf(t, N - 1), rel=1e-9)
    assert (other["verdict"], other["margin"], other["p_equivalent"]) == ("unclear", None, None)
    aimed = clicks(connection, ["calibration_ratio", "ctr"], 0.1)
    for metric in ("calibration_ratio", "ctr"):
        row = aimed.row(metric)
        assert (row["verdict"], row["p_not_worse"]) == ("equivalent", None)
        assert row["p_equivalent_adjusted"] < 0.05


@pytest.mark.slow
def test_a_share_of_the_baseline(connection: duckdb.DuckDBPyConnection) -> None:
    found = changed(connection, 20, 12, margin="2.5%")
    row = found.row("mrr")
    assert row["margin"] == pytest.approx(0.025 * 0.75, rel=1e-12)
    (tested,) = run_test(
        "paired_tost", found.per_query, baseline="A", margin=0.025, relative=True, connection=connection
    ).rows
    assert row["p_not_worse"] == pytest.approx(tested["p_higher"], rel=1e-12)
    assert (row["verdict"], row["relative_margin"]) == ("not worse", 0.025)
    assert "margin 2.5 % of A: its tests (not worse, equivalent) are one-sided at 0.05" in repr(
        found
    ).replace("\n", " ")
    none = "SELECT query_id, item_id, score FROM log_of_nothing"
    connection.execute(
        f"CREATE TABLE log_of_nothing AS SELECT query_id, item_id + 7 AS item_id, score FROM ({system(0, 0)})"
    )
    zero = compare({"A": none, "B": system(0, 0)}, "truth", "mrr", connection=connection, margin="1%",
                   baseline="A")  # fmt: skip
    row = zero.row("mrr")
    assert (row["verdict"], row["margin"], row["p_equivalent"]) == ("better", None, None)


@pytest.mark.slow
def test_each_hypothesis_has_a_family_of_its_own(connection: duckdb.DuckDBPyConnection) -> None:
    others = {"C": system(10, 10), "D": system(5, 20)}
    found = changed(connection, 20, 12, others=others, metrics=["mrr", "hit_rate@1"], margin=0.03)
    rows = [row for row in found.rows if row["system"] != "A"]
    for column in ("p", "p_not_worse", "p_equivalent"):
        holm = multipletests([row[column] for row in rows], method="holm")[1]
        assert [row[f"{column}_adjusted"] for row in rows] == pytest.approx(holm.tolist(), rel=1e-9)
    assert {row["n_tests"] for row in rows} == {6}
    paired = changed(connection, 20, 12, others=others, margin=0.02, pairs=True, adjust="none")
    verdicts = {(row["system"], row["against"]): row["verdict"] for row in paired.pairs}
    assert verdicts["B", "A"] == "not worse"
    assert verdicts["D", "B"] == "worse"
    assert len(verdicts) == 6
    margin = "margin 0.02: its tests (not worse, equivalent) are one-sided at 0.05, not corrected"
    assert margin in paired.lines(200)
    assert margin in paired.shown().notes
    assert "; margin 0.02: its tests" in paired.shown(whole=True).notes[0]


@pytest.mark.slow
def test_pairs_do_not_depend_on_the_order_of_the_systems(connection: duckdb.DuckDBPyConnection) -> None:
    # The system "low" is clearly lower, by less than the margin.
    runs = {"low": system(5, 20), "high": system(0, 0)}
    first, last = (
        compare({name: runs[name] for name in order}, "truth", "mrr", connection=connection, margin=0.05,
                pairs=True)
        for order in (("low", "high"), ("high", "low"))
    )  # fmt: skip
    assert [one.pairs[0]["verdict"] for one in (first, last)] == ["better", "equivalent"]
    assert first.verdict == last.verdict == "high is the best of 2 systems by mrr"
    assert "0.7500ᵃ" in str(first)
    assert "0.7500ᵇ" in str(last)
    share = compare(runs, "truth", "mrr", connection=connection, margin="5%", pairs=True)
    assert "margin 5 % of the system that it is against: its tests" in "\n".join(share.lines(200))


@pytest.mark.slow
def test_random_signs_of_the_moved_differences(connection: duckdb.DuckDBPyConnection) -> None:
    options: dict[str, Any] = {"test": "randomization", "resamples": 2000}
    found = changed(connection, 20, 12, margin="2.5%", metrics=["mrr", "first_rank"], **options)
    for metric, side in (("mrr", "p_higher"), ("first_rank", "p_lower")):
        tested = run_test(
            "randomization_tost", found.per_query, baseline="A", margin=0.025, relative=True, resamples=2000,
            connection=connection,
        ).rows  # fmt: skip
        (own,) = (row for row in tested if row["metric"] == metric)
        row = found.row(metric)
        assert (row["p_not_worse"], row["p_equivalent"]) == (own[side], own["p_equivalent"])
        plain = changed(connection, 20, 12, margin="2.5%", metrics=metric).row(metric)
        assert row["p_not_worse"] == pytest.approx(plain["p_not_worse"], abs=0.02)
        assert (row["margin"], row["test"]) == (pytest.approx(plain["margin"]), "randomization_test")
    few = compare(
        dict.fromkeys("AB", f"FROM ({system(0, 0)}) WHERE query_id < 10"),
        "FROM truth WHERE query_id < 10", "mrr", connection=connection, margin=0.1, **options,
    ).row("mrr")  # fmt: skip
    assert (few["p_not_worse"], few["verdict"]) == (2.0**-10, "equivalent")


@pytest.mark.slow
def test_clusters_of_a_classifier(connection: duckdb.DuckDBPyConnection) -> None:
    found = clicks(connection, ["auc", "log_loss"], {"auc": 0.02, "log_loss": "5%"})
    row = found.row("auc")
    se = row["delta"] / row["statistic"]
    assert row["df"] < row["n_units"] - 1  # clusters of unequal size are worth fewer
    higher, lower = (scipy.stats.t.sf((m + way * row["delta"]) / se, row["df"])
                     for m, way in ((0.02, 1), (0.02, -1)))  # fmt: skip
    assert row["p_not_worse"] == pytest.approx(higher, rel=1e-9)
    assert row["p_equivalent"] == pytest.approx(max(higher, lower), rel=1e-9)
    loss = found.row("log_loss")
    assert loss["margin"] == pytest.approx(0.05 * (loss["value"] - loss["delta"]), rel=1e-9)
    # Near the delta method for the ratio: the test asks whether 0.05 lies beyond the relative change.
    half = (loss["relative_upper"] - loss["relative_lower"]) / 2 / scipy.stats.t.ppf(0.975, loss["df"])
    t = scipy.stats.t.isf(loss["p_not_worse"], loss["df"])
    assert t == pytest.approx((0.05 - loss["relative_change"]) / half, rel=0.1)


@pytest.mark.slow
def test_metrics_on_samples_and_equal_systems(connection: duckdb.DuckDBPyConnection) -> None:
    systems = {"A": "log", "B": "SELECT * REPLACE (near AS score) FROM log", "C": "log"}
    options: dict[str, Any] = {"cluster": "user_id", "resamples": 200, "adjust": "none"}
    options |= {"interval_method": "bootstrap", "connection": connection}
    found = compare(systems, None, ["ks", "auc"], margin={"ks": 0.5, "auc": 0.01}, **options)
    row = found.row("ks", "B")
    assert (row["test"], row["p_not_worse"], row["p_equivalent"]) == ("bootstrap_samples", *[1 / 201] * 2)
    assert row["verdict"] == "equivalent"
    share = compare(systems, None, ["ks"], margin="50%", **options).row("ks", "B")
    assert share["margin"] == pytest.approx(0.5 * (share["value"] - share["delta"]), rel=1e-9)
    assert share["p_equivalent"] == 1 / 201
    same = found.row("auc", "C")
    assert (same["delta"], same["verdict"]) == (0, "equivalent")
    assert same["p_equivalent"] == pytest.approx(2.0 ** -same["n_units"], rel=1e-9)


# ---- without a margin, and what is refused ------------------------------------------------------


def test_without_a_margin_nothing_changes(connection: duckdb.DuckDBPyConnection) -> None:
    found = changed(connection, 20, 12)
    assert not {*OF_MARGINS} & {*found.summary.column_names}
    assert found.row("mrr")["verdict"] == "unclear"
    assert "margin" not in repr(found) + found.method_line
    with pytest.raises(MetricError, match="'equivalent' is a verdict with a margin; add margin="):
        found.failures("mrr verdict != equivalent")


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (0, {}, "0 is not a positive number; write a number above 0"),
    (-0.01, {}, "not a positive number"),
    (float("nan"), {}, "not a positive number"),
    (True, {}, "not a positive number"),
    ("1 percent", {}, "not a positive number"),
    ("100%", {}, "the whole value of the baseline"),
    ({}, {}, "no metric"),
    ({"mr": 0.1}, {}, "margin of mr: it is not compared; did you mean 'mrr'"),
    (1, {}, "as large as the range of the metric, 0 to 1; write a smaller number; for 1 % .* write '1%'"),
    (0.1, {"test": "wilcoxon"}, "wilcoxon has no test of a margin; leave test out"),
    (0.1, {"test": "tukey"}, "tukey_hsd has no test of a margin"),
    (0.1, {"unpaired": True, "test": "randomization"}, "unpaired_randomization has no test of a margin"),
    (0.1, {"unpaired": True}, "unpaired_t has no test of a margin; leave unpaired out"),
    (0.1, {"adjust": "max_t"}, "adjust=max_t has no test of a margin"),
    (0.1, {"alpha": 0.6}, "alpha=0.6 is too large for one-sided tests"),
]


@pytest.mark.parametrize(("margin", "options", "message"), REFUSED)
def test_margins_that_mean_nothing_are_refused(
    connection: duckdb.DuckDBPyConnection, margin: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        changed(connection, 20, 12, margin=margin, **options)


@pytest.mark.slow
def test_a_gate_and_a_slice_that_clash_with_a_margin(connection: duckdb.DuckDBPyConnection) -> None:
    found = changed(connection, 20, 12, margin=0.02)
    with pytest.raises(MetricError, match="with a margin, no verdict is 'unclear'; write inconc"):
        found.failures("mrr verdict = not distinguishable")
    queries = f"SELECT q AS query_id, q % 2 AS margin FROM range({N}) AS t(q)"
    assert changed(connection, 20, 12, by="margin", queries=queries).row("mrr", margin=1)["n"] == N // 2
    with pytest.raises(InputError, match="'margin' is also a column of a comparison with a margin"):
        changed(connection, 20, 12, by="margin", queries=queries, margin=0.02)


# ---- screens, pages and the command -------------------------------------------------------------


@pytest.mark.slow
def test_screens_and_pages_show_the_verdict(connection: duckdb.DuckDBPyConnection) -> None:
    found = changed(connection, 20, 12, margin=0.02)
    assert found.verdict == "B is not worse than A"
    assert "△ not worse" in repr(found)
    assert "p_not_worse_adjusted" in "\n".join(found.lines(whole=True))
    assert "margin 0.02: its tests" in found.method_line
    assert "not worse" in found.shown().html()
    page = found.report().html
    assert "△ not worse" in page
    assert "not worse on 1 metric" in found.chart().title
    equal = changed(connection, 10, 10, margin=0.05)
    assert equal.verdict == "B is equivalent to A"
    assert "≈ equivalent" in equal.report().html


@pytest.mark.slow
def test_the_command_and_its_file(run: Command) -> None:
    tables = ("p.parquet", "reverse.parquet", "--truth", "t.parquet", "--format", "json")
    command = ("compare", *tables, "-m", "dcg(gain=exp2),rr")

    def margins(*arguments: str) -> list[tuple[float | None, float | None]]:
        rows = [row for row in document(run(*command, *arguments).out)["rows"] if row["system"] != "p"]
        return [(row["margin"], row["relative_margin"]) for row in rows]

    (_, share), (_, other) = margins("--margin", "1%")
    assert (share, other) == (0.01, 0.01)
    own = "dcg(gain=exp2)=0.5"
    assert margins("--margin", own)[0] == (0.5, None)
    assert margins("--margin", f"{own},rr=0.1") == margins("--margin", own, "--margin", "rr=0.1")
    assert "given twice" in run(*command, "--margin", "rr=1%,rr=2%").err
    assert "write one margin for all metrics" in run(*command, "--margin", "1%", "--margin", "2%").err
    for text in ('margin = "1%"', 'margin = {rr = "1%", "dcg(gain=exp2)" = "1%"}'):
        Path("own.toml").write_text(f"[compare]\n{text}\n")
        assert margins("--config", "own.toml") == margins("--margin", "1%")
    gate = ("--margin", "0.1", "--fail-if", "rr verdict = inconclusive")
    assert run(*command, *gate).code == 1
