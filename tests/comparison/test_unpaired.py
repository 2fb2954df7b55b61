"""Systems that were evaluated on other users, weeks or countries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import scipy.stats

import duckmetrics
from duckmetrics.errors import InputError, MetricError
from support.command_line import exports, run

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics import Comparison
    from support.command_line import Command

__all__ = ["exports", "run"]


def week(queries: int, first: int, skill: float, name: str) -> dict[str, np.ndarray]:
    """Return lists of ten with one relevant item each."""
    generator = np.random.default_rng([queries, first])
    query, item = np.repeat(np.arange(first, first + queries), 10), np.tile(np.arange(10), queries)
    label = (item == 0).astype(int)
    return {
        "query_id": query, "item_id": item, "label": label, "week": np.repeat(name, len(query)),
        "score": generator.random(len(query)) + skill * label,
    }  # fmt: skip


def together(*parts: dict[str, np.ndarray]) -> pa.Table:
    return pa.table({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def users(n: int, first: int, skill: float, country: str, heavy: bool = False) -> dict[str, np.ndarray]:
    """Return clicks of users with tastes of their own."""
    generator = np.random.default_rng([n, first])
    seen = generator.geometric(1 / 40 if heavy else 1 / 6, n)
    user = np.repeat(np.arange(n), seen)
    taste, noise = generator.standard_normal(n)[user], generator.standard_normal(len(user))
    label = generator.random(len(user)) < 1 / (1 + np.exp(1 - taste))
    return {
        "user_id": user + first, "country": np.repeat(country, len(user)), "label": label.astype(int),
        "score": 1 / (1 + np.exp(1 - 0.5 * taste - skill * label - noise)),
    }  # fmt: skip


WEEKS = together(week(60, 0, 0.0, "last"), week(40, 100, 0.4, "this"))
COUNTRIES = together(users(150, 0, 0.8, "US"), users(70, 1000, 0.2, "DE"))


def of_weeks(metrics: Any = "mrr", **options: Any) -> Comparison:
    return duckmetrics.compare(
        WEEKS, metrics=metrics, system="week", baseline="last", **{"unpaired": True, **options}
    )


def of_countries(metrics: Any = "auc", **options: Any) -> Comparison:
    given = {"baseline": "US", "cluster": "user_id", "unpaired": True, **options}
    return duckmetrics.compare(COUNTRIES, metrics=metrics, system="country", **given)


@pytest.mark.slow
def test_queries_of_two_weeks_are_compared_by_welch() -> None:
    row = of_weeks().row("mrr")
    values = {name: duckmetrics.evaluate(WEEKS.filter(pc.equal(WEEKS["week"], name)), metrics="mrr")
              for name in ("last", "this")}  # fmt: skip
    last, this = (one.per_query["value"].to_numpy() for one in values.values())
    known = scipy.stats.ttest_ind(this, last, equal_var=False)
    assert row["p"] == pytest.approx(known.pvalue, rel=1e-9)
    assert (row["delta_lower"], row["delta_upper"]) == pytest.approx(tuple(known.confidence_interval()))
    assert row["df"] == pytest.approx(known.df)
    assert (row["n_units"], row["n_units_baseline"], row["test"]) == (40, 60, "unpaired_t")
    assert [row[name] for name in ("wins", "ties", "losses")] == [None] * 3
    # The results of evaluate give the same.
    saved = duckmetrics.compare(values, unpaired=True).row("mrr")
    for name in ("p", "delta", "delta_lower", "relative_upper", "mde", "effect_size"):
        assert saved[name] == pytest.approx(row[name], rel=1e-12), name


@pytest.mark.slow
def test_queries_are_exchanged_at_random() -> None:
    usual, result = of_weeks(), of_weeks(test="randomization", resamples=4000)
    row, known = result.row("mrr"), usual.row("mrr")
    tested = duckmetrics.run_test(
        "unpaired_randomization", result.per_query, baseline="last", resamples=4000
    ).rows[0]
    assert (row["p"], row["resamples"], row["test"]) == (tested["p"], 4000, "unpaired_randomization")
    same = ("delta", "delta_lower", "delta_upper", "relative_upper", "n_units", "n_units_baseline")
    assert {name: row[name] for name in same} == {name: known[name] for name in same}
    assert row["statistic"] == pytest.approx(known["statistic"], rel=1e-9)
    assert row["p"] == pytest.approx(known["p"], abs=0.03)
    assert (row["mde"], row["df"], known["df"] is None) == (None, None, False)
    text = "40 against 60 queries, randomization test of independent units with 4,000 resamples"
    assert text in " ".join(str(result).split())
    # Without any variance, Welch's test has no p.
    apart = together(week(5, 0, 9.0, "last"), week(4, 100, -9.0, "this"))
    row = duckmetrics.compare(
        apart, metrics="mrr", system="week", baseline="last", unpaired=True, test="randomization"
    ).row("mrr")
    assert (row["p"], row["resamples"]) == (pytest.approx(1 / 126, rel=1e-12), None)


def test_too_many_units_are_not_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duckmetrics.comparison.rows.MOST_EXCHANGED", 199)
    with pytest.raises(MetricError, match="all metrics together have 200; leave test out"):
        of_weeks(test="randomization")


@pytest.mark.slow
def test_a_system_is_evaluated_on_the_queries_that_it_answered() -> None:
    """With the queries of the other weeks as 0, both means would be too small."""
    result = of_weeks()
    alone = duckmetrics.evaluate(WEEKS.filter(pc.equal(WEEKS["week"], "this")), metrics="mrr")
    assert result.row("mrr")["value"] == pytest.approx(alone["mrr"], rel=1e-12)
    assert any("counts the queries that it answered" in note for note in result.to_dict()["notes"])
    assert not result.warnings


@pytest.mark.slow
def test_clusters_have_the_degrees_of_freedom_of_their_effective_numbers() -> None:
    """The jackknife by numpy; Satterthwaite weighs the effective number of each country less one."""
    log = together(users(60, 0, 0.8, "US", heavy=True), users(40, 1000, 0.2, "DE"))
    row = duckmetrics.compare(
        log, metrics="ctr", system="country", baseline="US", cluster="user_id", unpaired=True
    ).row("ctr")
    errors, sizes = {}, {}
    for name in ("US", "DE"):
        own = log.filter(pc.equal(log["country"], name))
        user, label = own["user_id"].to_numpy(), own["label"].to_numpy()
        n = np.unique(user, return_counts=True)[1]
        clicks = np.bincount(np.unique(user, return_inverse=True)[1], label)
        without = (clicks.sum() - clicks) / (n.sum() - n)
        errors[name] = without.var(ddof=1) * (len(n) - 1) ** 2 / len(n)
        sizes[name] = n.sum() ** 2 / (n**2).sum()
    whole = sum(errors.values())
    df = whole**2 / sum(errors[name] ** 2 / (sizes[name] - 1) for name in errors)
    assert row["df"] == pytest.approx(df, rel=1e-9)
    assert row["n_effective"] == pytest.approx(sizes["DE"], rel=1e-12)
    assert row["statistic"] == pytest.approx(row["delta"] / np.sqrt(whole), rel=1e-9)
    half = scipy.stats.t.ppf(0.975, df) * np.sqrt(whole)
    assert row["delta_upper"] - row["delta"] == pytest.approx(half, rel=1e-9)
    assert row["p"] == pytest.approx(2 * scipy.stats.t.sf(abs(row["statistic"]), df), rel=1e-9)


@pytest.mark.slow
def test_without_clusters_every_row_is_a_unit() -> None:
    rows = COUNTRIES.drop_columns(["user_id"])
    result = duckmetrics.compare(rows, metrics="ctr", system="country", baseline="US", unpaired=True)
    row = result.row("ctr")
    of = {name: rows.filter(pc.equal(rows["country"], name))["label"].to_numpy() for name in ("US", "DE")}
    known = scipy.stats.ttest_ind(of["DE"], of["US"], equal_var=False)
    assert (row["p"], row["df"]) == pytest.approx((known.pvalue, known.df), rel=1e-9)
    assert (row["n_units"], row["n_units_baseline"]) == (len(of["DE"]), len(of["US"]))
    assert any("say so with cluster='user_id'" in note for note in result.to_dict()["notes"])


@pytest.mark.slow
def test_pairs_slices_and_corrections() -> None:
    log = together(users(80, 0, 0.8, "US"), users(70, 1000, 0.2, "DE"), users(60, 2000, 0.8, "FR"))
    log = log.append_column("web", pa.array(np.arange(len(log)) % 2 == 0))
    result = duckmetrics.compare(
        log, metrics="auc", system="country", baseline="US", cluster="user_id", unpaired=True, by="web",
        pairs=True, adjust="benjamini_hochberg",
    )  # fmt: skip
    pairs = [(row["system"], row["against"]) for row in result.pairs if not row["slice"]]
    assert len(pairs) == 3
    assert {row["n_tests"] for row in result.pairs} == {3, 6}
    assert all(row["n_units"] and row["n_units_baseline"] and row["p"] for row in result.pairs)
    alone = duckmetrics.compare(
        log.filter(log["web"]), metrics="auc", system="country", baseline="US", cluster="user_id",
        unpaired=True,
    )  # fmt: skip
    assert result.row("auc", "DE", web=True)["p"] == pytest.approx(alone.row("auc", "DE")["p"], rel=1e-9)


@pytest.mark.slow
def test_a_metric_without_units_is_compared_on_samples() -> None:
    row = of_countries("ece", interval_method="bootstrap", resamples=200).row("ece")
    assert (row["test"], row["n_units_baseline"]) == ("bootstrap_samples", None)
    assert row["delta_lower"] < row["delta"] < row["delta_upper"]


@pytest.mark.slow
def test_units_in_both_systems_are_counted() -> None:
    shared = together(week(60, 0, 0.0, "last"), week(40, 30, 0.4, "this"))
    result = duckmetrics.compare(shared, metrics="mrr", system="week", baseline="last", unpaired=True)
    (told,) = result.warnings
    assert told.startswith("this and last have 30 queries in common; their values ")
    same = {name: COUNTRIES.drop_columns(["country"]) for name in "AB"}
    (told,) = duckmetrics.compare(same, metrics="auc", cluster="user_id", unpaired=True).warnings
    assert "220 clusters of user_id in common; their values correlate by +1.00" in told
    assert told.endswith("so the intervals are too wide, and p too large")
    assert not any("common" in told for told in of_countries().warnings)


@pytest.mark.slow
def test_reasons_without_p() -> None:
    few = together(week(5, 0, 9.0, "last"), week(1, 100, 0.4, "this"))
    row = duckmetrics.compare(few, metrics="mrr", system="week", baseline="last", unpaired=True).row("mrr")
    assert (row["p"], row["verdict"]) == (None, "not tested")
    assert row["reason"] == "only one query has a value, in the system or in the baseline"
    apart = together(week(5, 0, 9.0, "last"), week(4, 100, -9.0, "this"))
    row = duckmetrics.compare(apart, metrics="mrr", system="week", baseline="last", unpaired=True).row("mrr")
    assert row["reason"] == "all values of each system are equal, so their spread is unknown"


@pytest.mark.parametrize(("options", "message"), [
    ({"test": "wilcoxon"}, "unpaired=True says that these are other units; leave test out for Welch"),
    ({"unpaired": False, "test": "unpaired_randomization"}, r"set unpaired=True \(--unpaired\)"),
    ({"test": "randomization", "margin": 0.1}, "unpaired_randomization has no test of a margin"),
    ({"missing": "zero"}, "missing=zero also counts the queries of the other systems; leave it out"),
    ({"unpaired": False, "test": "unpaired_t"}, r"set unpaired=True \(--unpaired\)"),
])  # fmt: skip
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError, match=message):
        of_weeks(**options)


@pytest.mark.some(0)
@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_other_rows_are_refused_with_both_ways_out(cluster: str | None) -> None:
    rows = COUNTRIES if cluster else COUNTRIES.drop_columns(["user_id"])
    with pytest.raises(InputError, match=r"set unpaired=True \(--unpaired\) if the systems have other users"):
        duckmetrics.compare(rows, metrics="auc", system="country", baseline="US", cluster=cluster)


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["movers", "differences", "explain"])
def test_what_compares_a_query_with_itself_is_refused(verb: str) -> None:
    with pytest.raises(MetricError, match="the systems have other units"):
        getattr(of_weeks(), verb)()


@pytest.mark.slow
def test_the_command_and_its_gates(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    pq.write_table(WEEKS, file)
    words = ["compare", file, "--system", "week", "--baseline", "last", "-m", "mrr", "--unpaired"]
    shown = run(*words, "--fail-if", "mrr delta_lower < 0.5")
    assert shown.code == 1
    assert "40 against 60 queries, Welch's t-test of independent units" in " ".join(shown.out.split())
    refused = run(*words, "--movers", tmp_path / "movers.csv")
    assert "leave it or --unpaired out" in refused.err
