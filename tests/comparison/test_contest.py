"""Leaderboards: places, letters and ranks against scipy and statsmodels, chances against numpy; edges."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

import duckmetrics
from duckmetrics import InputError, MetricError, leaderboard
from duckmetrics.words.verdicts import OF_MARGINS

if TYPE_CHECKING:
    from duckmetrics import Leaderboard

pytestmark = pytest.mark.engine

METRICS = ["ndcg@10", "mean_rank"]
QUERIES, ITEMS = 40, 20
# The noise of the scores of each system; not in the order of the places.
SYSTEMS = {"fair": 1.2, "bad": 4.0, "good": 0.7, "like good": 0.8, "fine": 1.0}
Scores = dict[str, dict[str, float]]


def system(truth: dict[str, dict[str, int]], noise: float, seed: int) -> Scores:
    drawn = random.Random(seed)
    return {
        q: {f"d{d}": (f"d{d}" in relevant) + drawn.gauss(0, noise) for d in range(ITEMS)}
        for q, relevant in truth.items()
    }


@pytest.fixture(scope="module")
def truth() -> dict[str, dict[str, int]]:
    drawn = random.Random(7)
    return {f"q{q}": {f"d{d}": 1 for d in drawn.sample(range(ITEMS), 4)} for q in range(QUERIES)}


@pytest.fixture(scope="module")
def runs(truth: dict[str, dict[str, int]]) -> dict[str, Scores]:
    return {name: system(truth, noise, seed) for seed, (name, noise) in enumerate(SYSTEMS.items())}


@pytest.fixture(scope="module")
def board(runs: dict[str, Scores], truth: Any) -> Leaderboard:
    return leaderboard(runs, truth, METRICS)


def rows_of(result: Leaderboard, metric: str, **segment: Any) -> dict[str, dict[str, Any]]:
    """Return the rows of a metric by system, in their order."""
    return {
        row["system"]: row for row in result.rows
        if row["metric"] == metric and result.evaluation.segment(row) == segment
    }  # fmt: skip


def values_of(result: Leaderboard, metric: str) -> dict[str, np.ndarray]:
    rows = [row for row in result.evaluation.per_query.to_pylist() if row["metric"] == metric]
    rows.sort(key=lambda row: row["query_id"])
    return {name: np.array([row["value"] for row in rows if row["system"] == name]) for name in SYSTEMS}


# --- places, ranks and letters -------------------------------------------------------------------


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", METRICS)
def test_places_and_ranks_as_scipy_and_statsmodels(board: Leaderboard, metric: str) -> None:
    values, rows = values_of(board, metric), rows_of(board, metric)
    sign = -1 if metric == "mean_rank" else 1
    best_first = sorted(SYSTEMS, key=lambda name: -sign * values[name].mean())
    assert list(rows) == best_first
    assert [row["place"] for row in rows.values()] == [1, 2, 3, 4, 5]
    pairs = list(combinations(SYSTEMS, 2))
    tests = [scipy.stats.ttest_rel(values[one], values[other]) for one, other in pairs]
    adjusted = multipletests([test.pvalue for test in tests], method="holm")[1]
    p_of = {frozenset(pair): p for pair, p in zip(pairs, adjusted, strict=True)}
    worse: dict[str, set[str]] = {name: set() for name in SYSTEMS}
    for (one, other), test, p in zip(pairs, tests, adjusted, strict=True):
        if p < 0.05:
            winner, loser = (one, other) if sign * test.statistic > 0 else (other, one)
            worse[winner].add(loser)
    for name, row in rows.items():
        beaten_by = sum(name in losers for losers in worse.values())
        assert (row["rank_lower"], row["rank_upper"]) == (1 + beaten_by, 5 - len(worse[name]))
        assert row["rank_lower"] <= row["place"] <= row["rank_upper"]
        assert (row["n"], row["n_tests"], row["adjust"]) == (QUERIES, 10, "holm")
        for other in rows:
            differ = other in worse[name] or name in worse[other]
            assert (not differ) == bool(set(row["tier"]) & set(rows[other]["tier"])), (name, other)
    best, *others = rows.values()
    assert (best["delta"], best["p_adjusted"], best["tier"][0]) == (None, None, "a")
    for row in others:
        pair = frozenset((best["system"], row["system"]))
        assert row["p_adjusted"] == pytest.approx(p_of[pair], rel=1e-9)
        assert row["delta"] == pytest.approx(row["value"] - best["value"], abs=1e-12)
        assert row["delta_lower"] < row["delta"] < row["delta_upper"]
        assert row["verdict"] == ("worse" if p_of[pair] < 0.05 else "among the best")
    assert {row["better"] for row in rows.values()} == {"lower" if sign < 0 else "higher"}
    assert any(worse.values())


@pytest.mark.slow
def test_a_metric_is_a_family_of_its_own(runs: dict[str, Scores], truth: Any, board: Leaderboard) -> None:
    alone = leaderboard(runs, truth, "ndcg@10")
    kept = [*board.rows[0]][: [*board.rows[0]].index("probability_best")]
    for name, row in rows_of(alone, "ndcg@10").items():
        assert {c: row[c] for c in kept} == pytest.approx(
            {c: rows_of(board, "ndcg@10")[name][c] for c in kept}
        )
    assert len(board.pairs) == 20
    assert "paired_t; 10 pairs of each metric, p adjusted by holm, p < 0.05" in board.method


def pair_of(found: Leaderboard, metric: str, *systems: str) -> dict[str, Any]:
    """Return the test of two systems, in the order in which they were given."""
    (pair,) = (
        pair for pair in found.pairs
        if pair["metric"] == metric and {pair["system"], pair["against"]} == {*systems}
    )  # fmt: skip
    return pair


def steady(value: Any) -> Any:
    """Return a value without its last digits, which depend on the order in which threads add the queries."""
    return pytest.approx(value, rel=1e-12, abs=0) if isinstance(value, float) else value


@pytest.mark.slow
@pytest.mark.parametrize("margin", [{"ndcg@10": 0.08, "mean_rank": 0.9}, {"ndcg@10": "16%"}])
def test_a_margin_as_scipy_and_statsmodels(
    runs: dict[str, Scores], truth: Any, board: Leaderboard, margin: dict[str, Any]
) -> None:
    found = leaderboard(runs, truth, METRICS, margin=margin)
    unchanged = ("place", "rank_lower", "rank_upper", "tier", "p", "p_adjusted", "delta", "probability_best")
    for row, plain in zip(found.rows, board.rows, strict=True):
        assert {name: row[name] for name in unchanged} == {name: steady(plain[name]) for name in unchanged}
    for pair, plain in zip(found.pairs, board.pairs, strict=True):
        assert {name: pair[name] for name in plain} == {name: steady(of) for name, of in plain.items()}
        assert {*pair} - {*plain} == {"worse_system", *OF_MARGINS}
    verdicts = set()
    for metric in METRICS:
        rows, values = rows_of(found, metric), values_of(found, metric)
        if metric not in margin:
            assert [row["verdict"] for row in rows.values()] == [
                row["verdict"] for row in rows_of(board, metric).values()
            ]
            assert {row["p_equivalent"] for row in rows.values()} == {None}
            assert {p["p_equivalent"] for p in found.pairs if p["metric"] == metric} == {None}
            continue
        sign = -1 if metric == "mean_rank" else 1
        higher, lower = {}, {}
        for better, other in combinations(rows, 2):
            x, y = sign * values[other], sign * values[better]
            size = 0.16 * np.abs(values[better]) if margin[metric] == "16%" else margin[metric]
            higher[better, other] = scipy.stats.ttest_rel(x + size, y, alternative="greater").pvalue
            lower[better, other] = scipy.stats.ttest_rel(x - size, y, alternative="less").pvalue
        equivalent = {pair: max(higher[pair], lower[pair]) for pair in higher}
        for column, p_of in (("p_not_worse", higher), ("p_equivalent", equivalent)):
            adjusted = dict(zip(p_of, multipletests([*p_of.values()], method="holm")[1], strict=True))
            best, *others = rows
            assert rows[best][column] is None
            for other in others:
                assert rows[other][column] == pytest.approx(p_of[best, other], rel=1e-9)
                assert rows[other][f"{column}_adjusted"] == pytest.approx(adjusted[best, other], rel=1e-9)
            for better, other in p_of:
                pair = pair_of(found, metric, better, other)
                assert pair["worse_system"] == other
                assert pair[column] == pytest.approx(p_of[better, other], rel=1e-9)
                assert pair[f"{column}_adjusted"] == pytest.approx(adjusted[better, other], rel=1e-9)
        for row in list(rows.values())[1:]:
            near = row["p_equivalent_adjusted"] < 0.05
            unclear = "inconclusive" if row["p_adjusted"] >= 0.05 else "worse"
            assert row["verdict"] == ("equivalent" if near else unclear)
        verdicts |= {row["verdict"] for row in rows.values()}
    assert {"equivalent", "worse"} <= verdicts


@pytest.mark.slow
def test_the_text_of_a_margin(runs: dict[str, Scores], truth: Any) -> None:
    found = leaderboard(runs, truth, "ndcg@10", margin="16%")
    near = [row["system"] for row in found.rows if row["verdict"] == "equivalent"]
    assert near == ["like good"]
    assert found.verdict.endswith(f"; like good is equivalent to {found.rows[0]['system']}")
    assert (
        "margin 16 % of the best system: its tests (not worse, equivalent) are one-sided at 0.05, "
        "corrected in the same way"
    ) in found.footer()
    assert "equivalent" in found.shown().html()
    assert found.summary.schema.field("p_equivalent_adjusted").type == pa.float64()
    document = found.to_dict()
    assert {row["verdict"] for row in document["rows"]} >= {"equivalent", "worse"}
    pair = pair_of(found, "ndcg@10", found.rows[0]["system"], "like good")
    assert (pair["worse_system"], pair["relative_margin"]) == ("like good", 0.16)
    assert pair["p_equivalent_adjusted"] < 0.05
    assert [one["p_equivalent"] for one in document["pairs"]] == [one["p_equivalent"] for one in found.pairs]


def test_margins_that_do_not_fit_are_refused(runs: dict[str, Scores], truth: Any) -> None:
    with pytest.raises(MetricError, match="tukey_hsd has no test of a margin"):
        leaderboard(runs, truth, "ndcg@10", test="tukey", margin=0.01)
    with pytest.raises(MetricError, match="margin of map: it is not compared"):
        leaderboard(runs, truth, "ndcg@10", margin={"map": 0.01})


@pytest.mark.slow
def test_tukey_looks_at_all_pairs_itself(runs: dict[str, Scores], truth: Any) -> None:
    chosen = {name: runs[name] for name in ("bad", "fair", "good")}
    found = leaderboard(chosen, truth, "ndcg@10", test="tukey", resamples=300)
    tested = duckmetrics.run_test("tukey_hsd", found.evaluation.per_query, resamples=300).rows
    expected = {frozenset((row["system"], row["other"])): row["p"] for row in tested}
    assert {frozenset((p["system"], p["against"])): p["p_adjusted"] for p in found.pairs} == expected
    assert found.method == "tukey_hsd with 300 resamples; 3 pairs, p not adjusted further, p < 0.05"
    assert any("95 % confidence" in line for line in found.footer())


@pytest.mark.slow
@pytest.mark.parametrize("adjust", ["none", "benjamini_hochberg"])
def test_ranks_without_control_of_any_error_promise_nothing(
    runs: dict[str, Scores], truth: Any, adjust: str
) -> None:
    chosen = {name: runs[name] for name in ("bad", "fair")}
    found = leaderboard(chosen, truth, "ndcg@10", adjust=adjust)
    (told,) = [line for line in found.footer() if line.startswith("ranks: ")]
    assert told == "ranks: the range that these tests leave, without a guarantee that the true rank is in it"


# --- the chance to be the best --------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_chances_as_numpy(board: Leaderboard, metric: str) -> None:
    values = np.array([*values_of(board, metric).values()])
    weights = np.random.default_rng(3).poisson(1, size=(20_000, QUERIES))
    means = weights @ values.T / weights.sum(axis=1)[:, None]
    best = (means.argmin if metric == "mean_rank" else means.argmax)(axis=1)
    expected = np.bincount(best, minlength=len(SYSTEMS)) / len(best)
    found = [rows_of(board, metric)[name]["probability_best"] for name in SYSTEMS]
    # Four standard errors of 2,000 resamples.
    assert found == pytest.approx(expected, abs=4 * 0.5 / 2000**0.5)
    assert sum(found) == pytest.approx(1, abs=1e-12)
    assert sum(chance > 0.05 for chance in found) > 1


def test_chances_are_those_of_the_weights(board: Leaderboard) -> None:
    """The weights of the SQL, taken from its hash, and everything else in Python."""
    rows = board.evaluation.per_query.to_pylist()
    ids = pa.table({"query_id": sorted({row["query_id"] for row in rows})})
    drawn = duckdb.from_arrow(ids).query("ids", """
        SELECT query_id, draw,
            (CAST(hash(hash(hash(query_id), draw, 42)) >> 11 AS DOUBLE) + 0.5) * 1.1102230246251565e-16 AS u
        FROM ids CROSS JOIN range(0, 2000) AS t(draw) ORDER BY draw, query_id
    """).fetchnumpy()["u"].reshape(2000, QUERIES)  # fmt: skip
    weights = scipy.stats.poisson.ppf(drawn, 1)
    for metric in METRICS:
        values = np.array([*values_of(board, metric).values()])
        means = weights @ values.T / weights.sum(axis=1)[:, None]
        goodness = -means if metric == "mean_rank" else means
        is_best = goodness >= goodness.max(axis=1)[:, None] - 1e-12 * means.max()
        expected = (is_best / is_best.sum(axis=1)[:, None]).mean(axis=0)
        found = [rows_of(board, metric)[name]["probability_best"] for name in SYSTEMS]
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
def test_the_seed_decides_the_chances(runs: dict[str, Scores], truth: Any, board: Leaderboard) -> None:
    again = leaderboard(runs, truth, "ndcg@10")
    other = leaderboard(runs, truth, "ndcg@10", seed=7)
    chances = [
        [row["probability_best"] for row in rows_of(r, "ndcg@10").values()] for r in (board, again, other)
    ]
    assert chances[0] == chances[1] != chances[2]


@pytest.mark.slow
def test_the_direction_comes_from_the_metric() -> None:
    """For a ratio, the value that is closest to 1 is the best, whichever side it is on."""
    clicks = {
        name: {"user_id": [i // 3 for i in range(300)], "label": [int(i % 4 == 0) for i in range(300)],
               "score": [0.25 * factor + 0.001 * (i % 7) for i in range(300)]}
        for name, factor in {"far below": 0.5, "above": 1.2, "near": 0.98}.items()
    }  # fmt: skip
    found = leaderboard(clicks, metrics="calibration_ratio", cluster="user_id")
    rows = rows_of(found, "calibration_ratio")
    assert list(rows) == ["near", "above", "far below"]
    assert {(row["better"], row["target"]) for row in rows.values()} == {("target", 1.0)}
    assert rows["near"]["probability_best"] > 0.9
    (heading,) = [line for line in found.lines(80) if line.startswith("tier  #")]
    assert heading.split()[3:5] == ["calibration_ratio", "→1"]
    assert found.units == "clusters of user_id"


# --- edges ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_equal_systems_share_place_letter_and_chance(truth: Any) -> None:
    run = system(truth, 0.8, 3)
    found = leaderboard({"B": run, "A": run, "worse": system(truth, 6.0, 1)}, truth, "ndcg@10")
    rows = list(found.rows)
    assert [(row["system"], row["place"], row["tier"], row["probability_best"]) for row in rows] == [
        ("B", 1, "a", 0.5), ("A", 1, "a", 0.5), ("worse", 3, "b", 0.0),
    ]  # fmt: skip
    assert [(row["rank_lower"], row["rank_upper"]) for row in rows] == [(1, 2), (1, 2), (3, 3)]
    assert (rows[1]["delta"], rows[1]["p"]) == (0, 1)
    assert found.verdict == "B and A share the first tier of 3 systems: they do not clearly differ"


@pytest.mark.slow
def test_a_system_without_a_value_is_last_and_has_no_letter(truth: Any) -> None:
    lost = {q: {"nothing": 1.0} for q in truth}
    runs = {"lost": lost, "good": system(truth, 0.5, 1), "bad": system(truth, 6.0, 2)}
    found = leaderboard(runs, truth, "mean_rank")
    *_, last = found.rows
    assert [row["system"] for row in found.rows] == ["good", "bad", "lost"]
    empty = ("value", "place", "rank_lower", "rank_upper", "tier", "delta", "p_adjusted", "probability_best")
    assert {last[name] for name in empty} == {None}
    assert last["verdict"] == "no value"
    assert last["reason"]
    # It takes part neither in the ranks nor in the correction.
    assert [(row["rank_lower"], row["rank_upper"], row["n_tests"]) for row in found.rows[:2]] == [
        (1, 1, 1), (2, 2, 1),
    ]  # fmt: skip
    assert sum(row["probability_best"] for row in found.rows[:2]) == pytest.approx(1)
    assert found.lines(80)[6].split() == ["lost", "NULL"]


def test_the_only_system_with_a_value_is_not_called_the_best(truth: Any) -> None:
    runs = {"lost": {q: {"nothing": 1.0} for q in truth}, "good": system(truth, 0.5, 1)}
    found = leaderboard(runs, truth, "mean_rank")
    assert [(row["system"], row["place"], row["verdict"]) for row in found.rows] == [
        ("good", 1, "not tested"), ("lost", None, "no value"),
    ]  # fmt: skip
    assert {(row["tier"], row["probability_best"]) for row in found.rows} == {(None, None)}
    assert found.verdict == "good has the best value of 2 systems, and no test compares them"


@pytest.mark.slow
def test_a_missing_query_counts_as_zero(truth: Any) -> None:
    run = system(truth, 0.6, 1)
    half = {q: items for q, items in run.items() if int(q[1:]) % 2}
    found = leaderboard({"half": half, "whole": run}, truth, "ndcg@10")
    assert [(row["system"], row["n"]) for row in found.rows] == [("whole", QUERIES), ("half", QUERIES)]
    assert found.verdict == "whole is the best of 2 systems"
    with pytest.raises(InputError, match="have values of different queries"):
        leaderboard({"half": half, "whole": run}, truth, "ndcg@10", missing="skip")
    common = leaderboard({"half": half, "whole": run}, truth, "ndcg@10", missing="skip", allow_different=True)
    assert common.rows[0]["tier"] == common.rows[1]["tier"] == "a"
    # Samples of these values would show which queries were answered, not which system is the best.
    assert {row["probability_best"] for row in common.rows} == {None}


@pytest.mark.slow
def test_slices_have_places_and_a_family_of_their_own(truth: Any) -> None:
    """The leader of all queries is the last one in a slice."""
    plans = {q: "x" if int(q[1:]) % 4 else "y" for q in truth}
    good, bad = system(truth, 0.3, 1), system(truth, 8.0, 2)
    runs = {
        "mixed": {q: (good if plans[q] == "x" else bad)[q] for q in truth},
        "turned": {q: (bad if plans[q] == "x" else good)[q] for q in truth},
        "third": system(truth, 7.0, 5),
    }
    table = pa.table({"query_id": list(plans), "plan": list(plans.values())})
    found = leaderboard(runs, truth, "ndcg@10", by="plan", queries=table)
    assert [len(rows_of(found, "ndcg@10", **s)) for s in ({}, {"plan": "x"}, {"plan": "y"})] == [3, 3, 3]
    in_y = rows_of(found, "ndcg@10", plan="y")
    assert next(iter(in_y)) == "turned"
    assert in_y["mixed"]["verdict"] == "worse"
    assert {row["n_tests"] for row in in_y.values()} == {6}
    assert rows_of(found, "ndcg@10")["mixed"]["n_tests"] == 3
    assert found.verdict == "mixed is the best of 3 systems; mixed is worse where plan=y (turned leads)"
    assert "ndcg@10 where plan=y" in found.lines(80)
    assert [row[0] for row in found.shown().cells] == ["(all)"] * 3 + ["x"] * 3 + ["y"] * 3


@pytest.mark.slow
def test_other_metrics_may_have_another_leader(truth: Any) -> None:
    first = {q: dict.fromkeys([*items][:1], 2.0) for q, items in truth.items()}
    every = {q: {"wrong": 9.0, **dict.fromkeys(items, 1.0)} for q, items in truth.items()}
    found = leaderboard({"first": first, "every": every}, truth, ["mrr", "recall@5"])
    assert found.verdict == (
        "by mrr, first is the best of 2 systems; by recall@5, every is the best of 2 systems"
    )


@pytest.mark.slow
def test_many_systems_work(truth: Any) -> None:
    runs = {f"s{i}": system(truth, 0.4 + 0.2 * i, i) for i in range(18)}
    found = leaderboard(runs, truth, "ndcg@10", resamples=50)
    values = [row["value"] for row in found.rows]
    assert values == sorted(values, reverse=True)
    assert [row["place"] for row in found.rows] == [1 + sum(v > own for v in values) for own in values]
    assert len(found.pairs) == 18 * 17 / 2
    told = {frozenset((p["system"], p["against"])): p["verdict"] for p in found.pairs}
    for one, other in combinations(found.rows, 2):
        differ = told[frozenset((one["system"], other["system"]))] != "unclear"
        assert differ != bool(set(one["tier"]) & set(other["tier"]))


@pytest.mark.slow
def test_evaluations_are_ranked_as_they_are(runs: dict[str, Scores], truth: Any, board: Leaderboard) -> None:
    found = leaderboard(
        {name: duckmetrics.evaluate(run, truth, METRICS[0]) for name, run in runs.items()}, metrics=METRICS[0]
    )
    for name, row in rows_of(found, "ndcg@10").items():
        known = rows_of(board, "ndcg@10")[name]
        assert (row["place"], row["tier"]) == (known["place"], known["tier"])
        assert row["probability_best"] == pytest.approx(known["probability_best"], abs=1e-12)


@pytest.mark.slow
def test_metrics_without_a_test_have_places_only() -> None:
    shop: dict[str, Any] = {
        "score": {"old": "pctr_baseline", "new": "pctr"}, "columns": {"label": "clicked"},
        "cluster": "user_id",
    }  # fmt: skip
    where = {"predictions": "user_id < 10100"}
    table = "data/shop/impressions.parquet"
    found = leaderboard(table, metrics=["average_precision", "auc"], where=where, **shop)
    for row in rows_of(found, "average_precision").values():
        assert (row["tier"], row["rank_lower"], row["probability_best"], row["verdict"]) == (
            None,
            None,
            None,
            "not tested",
        )
    assert {row["tier"] for row in rows_of(found, "auc").values()} <= {"a", "b"}
    assert "new has the best value of 2 systems, and no test compares them" in found.verdict
    whole = leaderboard(
        table, metrics="average_precision", where=where, interval_method="bootstrap", resamples=150, **shop
    )
    assert [row["tier"] for row in whole.rows] == ["a", "b"]
    assert whole.rows[0]["probability_best"] > 0.95
    assert "bootstrap_samples with 150 resamples; 1 pair" in whole.method


@pytest.mark.slow
def test_one_system_is_refused(runs: dict[str, Scores], truth: Any) -> None:
    with pytest.raises(MetricError, match="leaderboard: good is the only system; give a second one"):
        leaderboard({"good": runs["good"]}, truth, "ndcg@10")
    with pytest.raises(MetricError, match="leaderboard: one system only; map two or more"):
        leaderboard(runs["good"], truth, "ndcg@10")


def test_a_metric_without_a_best_value_is_refused() -> None:
    clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7], "user_id": [1, 2, 3, 4]}
    with pytest.raises(MetricError, match="base_rate: no value is better than another"):
        leaderboard({"A": clicks, "B": clicks}, metrics="base_rate", cluster="user_id")


def test_misspelled_options_are_refused(runs: dict[str, Scores], truth: Any) -> None:
    with pytest.raises(MetricError, match="mising"):
        leaderboard(runs, truth, "ndcg@10", mising="zero")  # type: ignore[call-arg]
    with pytest.raises(MetricError, match="adjust"):
        leaderboard(runs, truth, "ndcg@10", adjust="holms")
