"""Weights of queries: means, intervals and tests against numpy, scipy and repeated queries."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats

import duckmetrics
from duckmetrics import reference
from duckmetrics.errors import DuckmetricsError
from support.command_line import Command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METRICS = ["ndcg@5", "mrr", "recall@3", "average_precision@5"]
MAPPED = {"weight": "traffic"}


def tables(seed: int = 1, n: int = 70) -> dict[str, Any]:
    """Return random lists with ties, queries without an answer, without relevant items, and of weight 0."""
    rng = np.random.default_rng(seed)
    run = [(q, int(i), float(rng.integers(0, 5))) for q in range(n) if q % 11
           for i in rng.choice(20, 8, replace=False)]  # fmt: skip
    truth = [(q, int(i), int(rng.integers(0, 3))) for q in range(n)
             for i in rng.choice(20, rng.integers(1, 5), replace=False)]  # fmt: skip
    queries = [(q, float(rng.choice([0, 1, 2, 3, 7])), f"u{q % 9}", "DE" if q % 3 else None)
               for q in range(n)]  # fmt: skip
    first = pd.DataFrame(run, columns=["query_id", "item_id", "score"])
    return {
        "run": first, "other": first.assign(score=rng.permutation(first["score"])),
        "truth": pd.DataFrame(truth, columns=["query_id", "item_id", "relevance"]),
        "queries": pd.DataFrame(queries, columns=["query_id", "traffic", "user", "country"]),
    }  # fmt: skip


T = tables()


def values_of(run: str, metric: str) -> pd.DataFrame:
    """Return the values of the queries that have one, with their weights, from a run without weights."""
    found = duckmetrics.evaluate(T[run], T["truth"], metric).per_query.to_pandas()
    joined = found.merge(T["queries"], on="query_id")
    return joined[joined["traffic"] > 0].dropna(subset=["value"])


def weighted(metrics: Any = METRICS, **options: Any) -> Any:
    call = {"queries": T["queries"], "columns": MAPPED, **options}
    return duckmetrics.evaluate(T["run"], T["truth"], metrics, **call)


def compared(metrics: Any = "ndcg@5", **options: Any) -> dict[str, Any]:
    call = {"queries": T["queries"], "columns": MAPPED, **options}
    result = duckmetrics.compare({"A": T["run"], "B": T["other"]}, T["truth"], metrics, **call)
    return next(row for row in result.rows if row["system"] == "B")


def jackknife(totals: np.ndarray, sizes: np.ndarray) -> tuple[float, float, float]:
    """Return a ratio of sums, its standard error without one unit at a time, and the effective number."""
    n, whole = len(totals), totals.sum() / sizes.sum()
    without = (totals.sum() - totals) / (sizes.sum() - sizes)
    error = math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return float(whole), error, float(sizes.sum() ** 2 / (sizes**2).sum())


def test_the_numbers_that_lightgbm_prints() -> None:
    """Two lists with the weights 90 and 10: it prints .9631 and .95, and without weights .8155 and .75."""
    run = {"a": {"x": 0.9, "y": 0.1}, "b": {"x": 0.2, "y": 0.8}}
    truth = {"a": {"x": 1}, "b": {"x": 1}}
    queries = pd.DataFrame({"query_id": ["a", "b"], "weight": [90, 10]})
    for mapped, numbers in (({"weight": "weight"}, (0.9631, 0.95)), (None, (0.8155, 0.75))):
        found = duckmetrics.evaluate(
            run, truth, ["ndcg@10", "map@10"], queries=queries, columns=mapped, like="lightgbm"
        )
        assert [round(found[name], 4) for name in ("ndcg@10", "map@10")] == list(numbers)


@pytest.mark.parametrize("metric", METRICS)
def test_means_are_ratios_of_sums(metric: str) -> None:
    known = values_of("run", metric)
    found = weighted(metric)
    assert found[metric] == pytest.approx(np.average(known["value"], weights=known["traffic"]), rel=1e-12)
    assert found.rows[0]["n"] == len(known)
    expected = reference.aggregate(known["value"], "mean", known["traffic"])
    assert found[metric] == pytest.approx(expected, rel=1e-14)


def test_a_weight_of_whole_numbers_repeats_the_query() -> None:
    """The plain mean of queries that are copied as often as they weigh is an oracle without weights."""

    def copied(name: str) -> pd.DataFrame:
        joined = T[name].merge(T["queries"][["query_id", "traffic"]], on="query_id")
        rows = joined.loc[joined.index.repeat(joined["traffic"].astype(int))]
        copy = rows.groupby(level=0).cumcount()
        return rows.assign(query_id=rows["query_id"].astype(str) + "/" + copy.astype(str))

    plain = duckmetrics.evaluate(copied("run"), copied("truth"), METRICS)
    for metric in METRICS:
        assert weighted()[metric] == pytest.approx(plain[metric], rel=1e-12)


def test_other_aggregations() -> None:
    known = values_of("run", "ndcg@5")
    value, weight = known["value"], known["traffic"]
    found = weighted(["ndcg@5(agg=sum)", "ndcg@5(agg=gmean)"])
    assert found["ndcg@5(agg=sum)"] == pytest.approx((value * weight).sum(), rel=1e-12)
    logs = np.average(np.log(np.maximum(value, 1e-5)), weights=weight)
    assert found["ndcg@5(agg=gmean)"] == pytest.approx(math.exp(logs), rel=1e-12)
    for how in ("sum", "gmean"):
        assert found[f"ndcg@5(agg={how})"] == pytest.approx(
            reference.aggregate(value, how, weight), rel=1e-12
        )


def test_intervals_are_of_a_jackknife() -> None:
    known = values_of("run", "ndcg@5")
    weight = known["traffic"].to_numpy()
    mean, error, effective = jackknife(weight * known["value"].to_numpy(), weight)
    (row,) = weighted("ndcg@5", interval=0.95).rows
    half = scipy.stats.t.ppf(0.975, effective - 1) * error
    assert (row["lower"], row["upper"]) == pytest.approx((mean - half, mean + half), rel=1e-10)
    assert row["n_effective"] == pytest.approx(effective, rel=1e-12)


def test_clusters_weigh_by_their_queries() -> None:
    known = values_of("run", "ndcg@5")
    known["total"] = known["traffic"] * known["value"]
    users = known.groupby("user")[["total", "traffic"]].sum()
    mean, error, effective = jackknife(users["total"].to_numpy(), users["traffic"].to_numpy())
    (row,) = weighted("ndcg@5", interval=0.95, cluster="user").rows
    half = scipy.stats.t.ppf(0.975, effective - 1) * error
    assert (row["lower"], row["upper"]) == pytest.approx((mean - half, mean + half), rel=1e-10)
    assert row["n_effective"] == pytest.approx(effective, rel=1e-12)


def test_slices_have_their_own_weights() -> None:
    known = values_of("run", "ndcg@5")
    found = {
        row["country"]: row for row in weighted("ndcg@5", by="country", interval=0.9).rows if row["slice"]
    }
    for country, rows in (("DE", known[known["country"] == "DE"]), (None, known[known["country"].isna()])):
        expected = np.average(rows["value"], weights=rows["traffic"])
        assert found[country]["value"] == pytest.approx(expected, rel=1e-12)
        assert found[country]["n"] == len(rows)
        share = rows["traffic"].sum() ** 2 / (rows["traffic"] ** 2).sum()
        assert found[country]["n_effective"] == pytest.approx(share, rel=1e-12)


def test_equal_weights_are_none() -> None:
    queries = T["queries"].assign(traffic=2.5)
    plain = duckmetrics.evaluate(T["run"], T["truth"], METRICS, interval=0.95)
    same = weighted(interval=0.95, queries=queries)
    for one, other in zip(plain.rows, same.rows, strict=True):
        for column in ("value", "lower", "upper", "n_effective"):
            assert other[column] == pytest.approx(one[column], rel=1e-11)


@pytest.mark.parametrize("scale", [1e-100, 1e-9, 3.0, 1e100])
def test_the_unit_of_weights_does_not_matter(scale: float) -> None:
    plain = weighted(interval=0.95)
    queries = T["queries"].assign(traffic=T["queries"]["traffic"] * scale)
    for one, other in zip(plain.rows, weighted(interval=0.95, queries=queries).rows, strict=True):
        for column in ("value", "lower", "upper", "n_effective"):
            assert other[column] == pytest.approx(one[column], rel=1e-9)


# --- comparisons -----------------------------------------------------------------------------------------


def pairs() -> pd.DataFrame:
    joined = values_of("run", "ndcg@5").merge(
        values_of("other", "ndcg@5"), on=["query_id", "traffic"], suffixes=("_a", "_b")
    )
    return joined.assign(difference=joined["value_b"] - joined["value_a"])


def test_the_paired_t_test() -> None:
    known = pairs()
    weight = known["traffic"].to_numpy()
    delta, error, effective = jackknife(weight * known["difference"].to_numpy(), weight)
    row = compared()
    assert row["delta"] == pytest.approx(delta, rel=1e-10)
    half = scipy.stats.t.ppf(0.975, effective - 1) * error
    assert (row["delta_lower"], row["delta_upper"]) == pytest.approx((delta - half, delta + half), rel=1e-9)
    p = 2 * scipy.stats.t.sf(abs(delta) / error, effective - 1)
    assert row["p"] == pytest.approx(p, rel=1e-9)
    assert row["n_effective"] == pytest.approx(effective, rel=1e-12)


def test_tests_of_signs_count_the_queries() -> None:
    """They read weight * difference, whose sign is that of the query, however little it weighs."""
    known = pairs()
    parts = (known["traffic"] * known["difference"]).round(12)
    better, worse = int((parts > 0).sum()), int((parts < 0).sum())
    expected = scipy.stats.binomtest(better, better + worse).pvalue
    assert compared(test="sign_test")["p"] == pytest.approx(expected, rel=1e-9)
    expected = scipy.stats.wilcoxon(parts[parts != 0], method="asymptotic", correction=False).pvalue
    assert compared(test="wilcoxon")["p"] == pytest.approx(expected, abs=0.02)


def test_tests_of_signs_in_clusters_count_the_clusters() -> None:
    """One cluster with most of the queries decides about the mean, but not about the sign of the others."""
    rng = np.random.default_rng(3)
    user = np.repeat(np.arange(41), [80, *[2] * 40])
    values = {"A": rng.random(len(user)), "B": rng.random(len(user)) + np.where(user == 0, 0.5, 0)}
    table = pd.concat(
        pd.DataFrame({"system": name, "query_id": range(len(user)), "user": user, "judge": own})
        for name, own in values.items()
    )
    result = duckmetrics.compare(values=table, baseline="A", cluster="user", test="sign_test")
    row = next(row for row in result.rows if row["system"] == "B")
    totals = pd.Series(values["B"] - values["A"]).groupby(user).sum()
    expected = scipy.stats.binomtest(int((totals > 0).sum()), len(totals)).pvalue
    assert row["p"] == pytest.approx(expected, rel=1e-9)
    assert row["delta"] == pytest.approx((values["B"] - values["A"]).mean(), rel=1e-9)


def test_other_comparisons_read_the_weights() -> None:
    known = {
        system: np.average(one["value"], weights=one["traffic"])
        for system, one in (("A", values_of("run", "ndcg@5")), ("B", values_of("other", "ndcg@5")))
    }
    call = {"queries": T["queries"], "columns": MAPPED}
    systems = {"A": T["run"], "B": T["other"]}
    board = duckmetrics.leaderboard(systems, T["truth"], "ndcg@5", **call)
    assert {row["system"]: row["value"] for row in board.rows} == pytest.approx(known, rel=1e-12)
    answered = weighted("ndcg@5", missing="skip")["ndcg@5"]
    row = compared(unpaired=True)
    assert row["value"] - row["delta"] == pytest.approx(answered, rel=1e-9)
    own = values_of("run", "ndcg@5").merge(T["run"][["query_id"]].drop_duplicates(), on="query_id")["traffic"]
    assert row["n_effective"] == pytest.approx(own.sum() ** 2 / (own**2).sum(), rel=1e-12)
    plan = duckmetrics.plan(T["run"], T["truth"], "ndcg@5", difference=0.05, **call)
    every = values_of("run", "ndcg@5")["traffic"]
    assert plan.rows[0]["design_effect"] == pytest.approx(len(every) * (every**2).sum() / every.sum() ** 2)


@pytest.mark.slow
def test_intervals_cover_the_mean() -> None:
    """2,000 draws of 60 queries, whose weights go along with their values."""
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(20):
        draws = []
        for draw in range(100):
            weight = rng.gamma(2.0, size=60)
            value = 0.2 + 0.1 * weight + rng.normal(0, 0.3, 60)
            draws.append(pd.DataFrame({
                "query_id": range(60), "judge": value, "w": weight, "draw": draw,
            }))  # fmt: skip
        table = pd.concat(draws)
        table["query_id"] = table["draw"] * 60 + table["query_id"]
        found = duckmetrics.evaluate(values=table, metrics="judge", by="draw", interval=0.95,
                                     columns={"weight": "w"})  # fmt: skip
        # E[w v] / E[w] = 0.2 + 0.1 E[w^2] / E[w] with E[w] = 2 and E[w^2] = 6.
        covered += sum(row["lower"] <= 0.5 <= row["upper"] for row in found.rows if row["slice"])
    assert 0.94 <= covered / 2000 <= 0.96


# --- where weights come from, and doors ------------------------------------------------------------------


def test_weights_come_from_any_table_of_queries() -> None:
    traffic = T["queries"][["query_id", "traffic"]]
    answered = T["run"]["query_id"].unique()
    usual = weighted("mrr", population="predictions")["mrr"]
    given = [
        {"predictions": T["run"].merge(traffic, on="query_id"), "truth": T["truth"]},
        {"predictions": T["run"], "truth": T["truth"].merge(traffic, on="query_id")},
        {"predictions": T["run"], "truth": T["truth"], "queries": traffic},
    ]
    assert len(answered) < len(traffic)
    for tables_ in given:
        found = duckmetrics.evaluate(metrics="mrr", population="predictions", columns=MAPPED, **tables_)
        assert found["mrr"] == pytest.approx(usual, rel=1e-14)


def test_values_that_were_computed_elsewhere() -> None:
    first = weighted(["ndcg@5", "mrr"], interval=0.95)
    again = duckmetrics.evaluate(
        values=first.per_query, columns={"weight": "weight"}, interval=0.95, metrics=["ndcg@5", "mrr"]
    )
    for one, other in zip(first.rows, again.rows, strict=True):
        for column in ("value", "lower", "upper", "n_effective"):
            assert one[column] == pytest.approx(other[column], rel=1e-12)


def test_results_are_the_same_in_parts_and_verified() -> None:
    whole = weighted(interval=0.95, by="country")
    for options in ({"chunks": 3}, {"verify": 1000}, {"verify": 5}):
        found = weighted(interval=0.95, by="country", **options)
        assert [row["value"] for row in found.rows] == [row["value"] for row in whole.rows]
        lower = [row["lower"] for row in whole.rows]
        assert [row["lower"] for row in found.rows] == pytest.approx(lower, rel=1e-12)
        assert not [finding for finding in found.checks if finding.severity == "error"]
    kept = duckmetrics.data(T["run"], T["truth"], queries=T["queries"], columns=MAPPED)
    assert kept.evaluate(METRICS)["ndcg@5"] == whole["ndcg@5"]


def test_what_a_result_says() -> None:
    found = weighted("ndcg@5", interval=0.95)
    assert "|weights:queries|agg:mean|" in found.rows[0]["signature"]
    (note,) = [one for one in found.checks if one.check == "weighted_queries"]
    n_left_out = int((T["queries"]["traffic"] == 0).sum())
    assert "column 'traffic' weights the queries" in note.message
    assert f"{n_left_out} queries of weight 0 are left out" in note.message
    assert "weights:" not in duckmetrics.evaluate(T["run"], T["truth"], "ndcg@5").rows[0]["signature"]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("run", "truth", "queries"):
        T[name].to_parquet(tmp_path / f"{name}.parquet")
    files = [str(tmp_path / f"{name}.parquet") for name in ("run", "truth", "queries")]
    asked = ("--queries", files[2], "-m", "ndcg@5", "--column", "weight=traffic", "--format", "csv")
    found = Command(capsys)("evaluate", *files[:2], *asked)
    assert found.code == 0, found.err
    assert str(weighted("ndcg@5")["ndcg@5"]) in found.out


@pytest.mark.parametrize(("change", "words"), [
    ({"queries": {"traffic": -1}}, "'traffic' is no weight for 70 queries (0: -1.0, 1: -1.0, 2: -1.0)"),
    ({"queries": {"traffic": 1e-160}}, "give every query a number from 1e-150 to 1e+150; 0 leaves a query"),
    ({"queries": {"traffic": None}}, "column 'traffic' is"),
    ({"queries": {"traffic": math.nan}}, "is no weight for 70 queries"),
    ({"queries": {"traffic": math.inf}}, "is no weight for 70 queries (0: inf"),
    ({"queries": {"traffic": "x"}}, "column 'traffic' is VARCHAR, and a weight is a number"),
    ({"queries": {"traffic": True}}, "column 'traffic' is BOOLEAN, and a weight is a number"),
    ({"columns": {"weight": "trafic"}}, "no table has a column 'trafic' for weight"),
    ({"columns": {"weight": "score"}, "queries": None}, "give each query one weight, for example with"),
    ({"columns": {"truth.weight": "relevance"}, "queries": None}, "column 'relevance': differs within"),
    ({"metrics": "ndcg@5(agg=median)"}, "agg=median: has no form with weights of queries; leave agg or"),
])  # fmt: skip
def test_wrong_weights_are_answered(change: dict[str, Any], words: str) -> None:
    call: dict[str, Any] = {"metrics": "ndcg@5", "queries": T["queries"], "columns": MAPPED, **change}
    if isinstance(call["queries"], dict):
        call["queries"] = T["queries"].assign(**call["queries"])
    with pytest.raises(DuckmetricsError) as error:
        duckmetrics.evaluate(T["run"], T["truth"], **call)
    assert words in str(error.value)


def test_a_query_without_a_weight_is_named() -> None:
    with pytest.raises(DuckmetricsError, match=r"no weight for 61 queries .9: NULL, 10: NULL, 11: NULL"):
        weighted(queries=T["queries"][:9])


def test_questions_that_do_not_read_weights_say_so() -> None:
    first = weighted("ndcg@5")
    kept = first.per_query.to_pandas().assign(signature=first.rows[0]["signature"])
    for ask in (
        lambda: duckmetrics.compare({"A": first, "B": first}),
        lambda: duckmetrics.evaluate(values=kept),
    ):
        with pytest.raises(DuckmetricsError, match="is a mean with weights of queries, which are not read"):
            ask()


def test_a_column_of_this_name_is_no_weight_unasked() -> None:
    named = T["queries"].rename(columns={"traffic": "weight"})
    found = duckmetrics.evaluate(T["run"], T["truth"], "ndcg@5", queries=named)
    assert found["ndcg@5"] == duckmetrics.evaluate(T["run"], T["truth"], "ndcg@5")["ndcg@5"]
    assert any("map it with columns={'weight': 'weight'}" in one.message for one in found.checks)


@pytest.mark.parametrize("by", ["rank", "grade", "item_id", "query.country"])
def test_explanations_by_groups_add_up_to_the_weighted_mean(by: str) -> None:
    call = {"queries": T["queries"], "columns": MAPPED}
    found = duckmetrics.explain(T["run"], T["truth"], "ndcg@5", by=by, **call)
    parts = [row["contribution"] for row in found.rows]
    assert math.fsum(parts) == pytest.approx(weighted("ndcg@5")["ndcg@5"], rel=1e-12)
    if by == "query.country":
        known = values_of("run", "ndcg@5")
        own = known[known["country"] == "DE"]
        expected = (own["value"] * own["traffic"]).sum() / known["traffic"].sum()
        (row,) = [row for row in found.rows if row["query.country"] == "DE"]
        assert row["contribution"] == pytest.approx(expected, rel=1e-12)


def test_a_difference_is_explained_with_weights() -> None:
    call = {"queries": T["queries"], "columns": MAPPED}
    found = duckmetrics.explain({"A": T["run"], "B": T["other"]}, T["truth"], "ndcg@5", by="rank", **call)
    total = math.fsum(row["difference"] for row in found.rows)
    assert total == pytest.approx(compared()["delta"], rel=1e-9) or total == pytest.approx(
        -compared()["delta"], rel=1e-9
    )


def test_states_keep_the_weights(tmp_path: Path) -> None:
    call = {"columns": MAPPED, "interval": 0.95, "by": "country"}
    whole = weighted(["ndcg@5", "mrr"], interval=0.95, by="country")
    paths = []
    for day in range(2):
        path = tmp_path / f"{day}.parquet"
        own = {name: T[name][T[name]["query_id"] % 2 == day] for name in ("run", "truth", "queries")}
        found = duckmetrics.evaluate(
            own["run"], own["truth"], ["ndcg@5", "mrr"], queries=own["queries"], **call
        )
        found.state(path)
        paths.append(path)
    merged = duckmetrics.merge(paths, interval=0.95, by="country")
    for one, other in zip(whole.rows, merged.rows, strict=True):
        for column in ("value", "lower", "upper", "n", "n_effective"):
            assert other[column] == pytest.approx(one[column], rel=1e-12)
        assert one["signature"] == other["signature"]


def test_metrics_of_all_lists_have_no_weights() -> None:
    items = pd.DataFrame({"item_id": range(20)})
    found = weighted(["coverage@5", "gini@5", "mrr"], items=items, interval=0.95)
    plain = duckmetrics.evaluate(T["run"], T["truth"], ["coverage@5", "gini@5"], items=items)
    for name in ("coverage@5", "gini@5"):
        assert found[name] == plain[name]
        (warning,) = [one for one in found.checks if one.check == "unweighted" and name in one.message]
        assert "has no weighted form and counts every list as 1" in warning.message
    assert found["mrr"] == weighted("mrr")["mrr"]


@pytest.mark.parametrize(("queries", "words"), [
    (T["queries"].assign(traffic=-1), "is no weight for 70 queries"),
    (T["queries"][:9], "is no weight for 61 queries"),
    (T["queries"].assign(traffic="x"), "column 'traffic' is VARCHAR, and a weight is a number"),
])  # fmt: skip
def test_check_finds_wrong_weights(queries: pd.DataFrame, words: str) -> None:
    found = duckmetrics.check(T["run"], T["truth"], "mrr", queries=queries, columns=MAPPED)
    assert any(words in one.message for one in found.errors)
    right = duckmetrics.check(T["run"], T["truth"], "mrr", queries=T["queries"], columns=MAPPED)
    assert not right.errors


def test_max_t_flips_the_signs_of_clusters() -> None:
    """Its p of one comparison is that of the randomization test, which flips the sums of clusters."""
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(31), [60, *[2] * 30])
    values = {"A": rng.random(len(user)), "B": rng.random(len(user)) + 0.1 * (user == 0)}
    table = pd.concat(
        pd.DataFrame({"system": name, "query_id": range(len(user)), "user": user, "judge": own})
        for name, own in values.items()
    )
    call = {"values": table, "baseline": "A", "cluster": "user", "resamples": 4000}
    joint = duckmetrics.compare(**call, adjust="max_t").rows[1]["p_adjusted"]
    assert joint == duckmetrics.compare(**call, test="randomization").rows[1]["p"]
    totals = pd.Series(values["B"] - values["A"]).groupby(user).sum().to_numpy()
    flipped = np.abs((rng.choice([-1, 1], (20_000, len(totals))) * totals).sum(axis=1))
    expected = (1 + (flipped >= abs(totals.sum())).sum()) / 20_001
    assert joint == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("kind", ["polars", "decimal", "uint8", "float32", "nullable"])
def test_weights_of_any_numeric_type(kind: str) -> None:
    queries = T["queries"][["query_id", "traffic"]]
    made: dict[str, Callable[[], Any]] = {
        "polars": lambda: pl.from_pandas(queries),
        "decimal": lambda: arrow(pa.array([Decimal(str(w)) for w in queries["traffic"]])),
        "uint8": lambda: arrow(pa.array(queries["traffic"].astype("uint8"))),
        "float32": lambda: arrow(pa.array(queries["traffic"].astype("float32"))),
        "nullable": queries.convert_dtypes,
    }

    def arrow(weights: pa.Array) -> pa.Table:
        return pa.table({"query_id": queries["query_id"].to_numpy(), "traffic": weights})

    assert weighted("mrr", queries=made[kind]())["mrr"] == weighted("mrr")["mrr"]


def test_a_slice_by_the_weight_has_one_column_of_it() -> None:
    queries = T["queries"].rename(columns={"traffic": "weight"})
    found = weighted("mrr", queries=queries, columns={"weight": "weight"}, by="weight")
    assert found.per_query.column_names == ["system", "metric", "weight", "query_id", "value"]
    assert found["mrr"] == weighted("mrr")["mrr"]
