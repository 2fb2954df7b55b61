"""Tests and intervals of sql/statistics: textbooks, scipy, statsmodels, the plain reference, edge cases."""

from __future__ import annotations

import json
import math
import random
import re
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
import sqlglot
from statsmodels.stats import contingency_tables, multitest, proportion

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.reference import statistics as reference
from support.cases import CATALOG, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

pytestmark = pytest.mark.engine

TEXTBOOK = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))
NUMBERS = {"value", "p", "hits", "n", "numerator", "denominator", "covariate", "observed", "expected",
           "label", "score", "clicked", "rank", "place", "estimate", "se", "df"}  # fmt: skip
UNITS = {"query_id", "row_id", "impression_id", "cluster_id"}
AGAINST_BASELINE = [
    name for name, d in CATALOG.statistics.items() if "baseline" in d.own_params and "per_query" in d.inputs
]
PAIRED = [name for name in AGAINST_BASELINE if not name.startswith("unpaired")]
WITH_P = [name for name in PAIRED if "p" in CATALOG.statistics[name].query.named_selects]
AGAINST_CONTROL = [name for name, d in CATALOG.statistics.items() if "control" in d.own_params]
COUNTED = ("chi_square", "chi_square_independence")
LATER = [name for name in CATALOG.statistics if name not in COUNTED]
FEW = {"resamples": 200}

Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine()
    yield engine
    engine.release()


def run(
    engine: DuckDBEngine,
    name: str,
    rows: Sequence[Row],
    inputs: Mapping[str, exp.Query] | None = None,
    **params: Any,
) -> list[dict[str, Any]]:
    """Return the result rows of a statistic for the rows of its table, in the order of their names.

    Args:
        inputs: queries that replace the tables.
    """
    definition = CATALOG.statistics[name]
    ((table, columns),) = definition.inputs.items()
    types = {c: pa.float64() if c in NUMBERS else pa.int64() if c in UNITS else pa.string() for c in columns}
    given = {c: pa.array([row[i] for row in rows], types[c]) for i, c in enumerate(columns)}
    engine.connection.register("given", pa.table(given))
    engine.connection.execute(f"CREATE OR REPLACE TEMPORARY TABLE {table} AS FROM given")
    composer = Composer(CATALOG, inputs)
    query, macros = linked(CATALOG, composer.complete(composer.resolved(definition, params)))
    known = set(re.findall(r"MACRO (\w+)", "\n".join(engine.ran)))
    engine.define([statement for statement in macros if statement.this.this.name not in known])
    found = engine.rows(query)
    return sorted((dict(zip(query.named_selects, row, strict=True)) for row in found), key=str)


def one(engine: DuckDBEngine, name: str, rows: Sequence[Row], **params: Any) -> dict[str, Any]:
    (row,) = run(engine, name, rows, **params)
    return row


def per_query(**systems: Sequence[float | None]) -> list[Row]:
    """Return the values of systems on the queries 0, 1, ... as rows of one metric."""
    return [(s, "m", i, value) for s, values in systems.items() for i, value in enumerate(values)]


def arms(**values: Sequence[float | None]) -> list[Row]:
    return [(arm, value) for arm, given in values.items() for value in given]


def textbook(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return TEXTBOOK[name]["inputs"], TEXTBOOK[name]["expected"]


def pair(name: str) -> tuple[list[Row], dict[str, Any]]:
    inputs, expected = textbook(name)
    return per_query(A=inputs["a"], B=inputs["b"]), expected


def close(row: dict[str, Any], **expected: Any) -> None:
    for name, value in expected.items():
        known = isinstance(value, float | int) and not isinstance(value, bool)
        assert row[name] == (pytest.approx(value, rel=1e-9, abs=1e-12) if known else value), name


# ---- the textbooks ------------------------------------------------------------------------------


def test_the_t_interval_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("mean_t_interval")
    row = one(engine, "mean_interval", per_query(A=inputs["x"]), level=inputs["level"])
    close(row, n=10, mean=expected["mean"], sd=expected["sd"], se=expected["se"], lower=expected["ci_low"],
          upper=expected["ci_high"])  # fmt: skip


def test_the_paired_t_test_of_the_textbook(engine: DuckDBEngine) -> None:
    rows, expected = pair("paired_t")
    names = {
        "n": "n", "baseline_mean": "mean_a", "mean": "mean_b", "delta": "diff", "relative_change": "rel_diff",
        "sd": "sd_diff", "statistic": "t", "df": "df", "p": "p", "delta_lower": "ci_low",
        "delta_upper": "ci_high", "effect_size": "cohen_dz", "d_av": "cohen_dav", "hedges_g": "hedges_gz",
        "wins": "wins", "ties": "ties", "losses": "losses",
    }  # fmt: skip
    row = one(engine, "paired_t", rows, baseline="A")
    close(row, **{name: expected[theirs] for name, theirs in names.items()})


def test_the_sign_test_of_the_textbook(engine: DuckDBEngine) -> None:
    rows, expected = pair("sign_test")
    close(one(engine, "sign_test", rows, baseline="A"), **expected)


def test_the_randomization_test_of_the_textbook(engine: DuckDBEngine) -> None:
    rows, expected = pair("fisher_randomization")
    every = one(engine, "randomization_test", rows, baseline="A", resamples=1024)
    close(every, p=expected["p_exact_two_sided"], exact=True, resamples=1024, delta=0.06, statistic=0.6)
    golden = expected["mc_hash_seed42_m1024"]
    drawn = one(engine, "randomization_test", rows, baseline="A", resamples=1024, exact=False)
    close(drawn, p=golden["p"], exact=False, resamples=golden["m"])
    fewer = one(engine, "randomization_test", rows, baseline="A", resamples=1023)
    assert (fewer["exact"], fewer["resamples"]) == (False, 1023)
    all_the_same = one(engine, "randomization_test", rows, baseline="A", resamples=7, exact=True)
    assert all_the_same == every


def test_the_bootstrap_of_the_textbook(engine: DuckDBEngine) -> None:
    rows, expected = pair("poisson_bootstrap_golden")
    row = one(engine, "paired_bootstrap", rows, baseline="A", resamples=2000, seed=42, method="percentile")
    close(row, se=expected["se"], delta_lower=expected["ci_low"], delta_upper=expected["ci_high"],
          resamples=expected["reps"], delta=0.06)  # fmt: skip
    differences = per_query(D=[b[3] - a[3] for a, b in zip(rows[:10], rows[10:], strict=True)])
    alone = one(engine, "bootstrap_interval", differences, resamples=2000, seed=42)
    close(alone, se=expected["se"], lower=expected["ci_low"], upper=expected["ci_high"], mean=0.06)


def test_mcnemar_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("mcnemar")
    (both, b), (c, neither) = inputs["table"]
    rows = per_query(A=[1.0] * (both + b) + [0.0] * (c + neither),
                     B=[0.5] * both + [0.0] * b + [2.0] * c + [-1.0] * neither)  # fmt: skip
    close(one(engine, "mcnemar", rows, baseline="A"), n=100, both_hit=both, b=b, c=c, both_miss=neither,
          p=expected["p_exact"], statistic=expected["chi2_cc"], p_chi_square=expected["p_cc"])  # fmt: skip


def test_the_adjusted_p_values_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("multiple_testing")
    methods = {"bh": "benjamini_hochberg", "by": "benjamini_yekutieli"}
    for method, values in expected.items():
        rows = [(f"t{i}", p) for i, p in enumerate(inputs["p"])]
        found = run(engine, "adjusted_p", rows, method=methods.get(method, method))
        assert [row["p_adjusted"] for row in found] == pytest.approx(values, rel=1e-13), method


def test_anova_friedman_and_tukey_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("two_way_anova_tukey")
    rows = per_query(**inputs)
    close(one(engine, "anova", rows), ss_system=expected["SS_system"], ss_query=expected["SS_query"],
          ss_error=expected["SS_error"], f=expected["F"], df_system=2, df_error=18, p=expected["p"],
          mse=expected["MSE"], n=10, n_systems=3)  # fmt: skip
    close(one(engine, "friedman", rows), statistic=expected["friedman_chi2"], p=expected["friedman_p"], df=2)
    found = {f"{row['system']}-{row['other']}": row for row in run(engine, "tukey_hsd", rows)}
    assert found.keys() == expected["pairs"].keys()
    for name, row in found.items():
        close(row, delta=expected["pairs"][name]["diff"], effect_size=expected["pairs"][name]["es_hsd"], n=10,
              resamples=10_000)  # fmt: skip
        p = expected["randomised_tukey_p_mc20000"][name]
        assert abs(row["p"] - p) < 4 * math.sqrt(p * (1 - p) * (1 / 10_000 + 1 / 20_000)), name


def test_proportions_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("two_proportion_z")
    rows = [("a", inputs["x_c"], inputs["n_c"]), ("b", inputs["x_t"], inputs["n_t"])]
    close(one(engine, "two_proportion_z", rows, control="a"), arm="b", n_control=20_000, n=20_100,
          control_proportion=expected["p_c"], proportion=expected["p_t"], delta=expected["diff"],
          delta_lower=expected["ci_newcombe"][0], delta_upper=expected["ci_newcombe"][1],
          relative_change=expected["rel_lift"], relative_lower=expected["ci_rel_lift_log"][0],
          relative_upper=expected["ci_rel_lift_log"][1], cohen_h=expected["cohen_h"],
          statistic=expected["z_pooled"], p=expected["p_pooled"])  # fmt: skip
    close(one(engine, "wilson_interval", rows[:1]), lower=expected["wilson_control"][0],
          upper=expected["wilson_control"][1], proportion=0.06)  # fmt: skip


def test_ranks_of_two_arms_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("mann_whitney")
    rows = arms(a=inputs["control"], b=inputs["treatment"])
    row = one(engine, "mann_whitney", rows, control="a", exact=False)
    close(row, u=expected["U_treatment"], n_control=7, n=9, auc=expected["auc_effect"],
          p=expected["p_asymptotic_cc"])  # fmt: skip


def test_cuped_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("cuped")
    rows = list(zip(map(str, inputs["group"]), inputs["post"], inputs["pre"], strict=True))
    close(one(engine, "cuped", rows, control="0"), theta=expected["theta_overall"], delta=expected["diff"],
          control_mean=expected["mean_c"], mean=expected["mean_t"], se=expected["se"],
          unadjusted_delta=expected["diff_unadjusted"], unadjusted_se=expected["se_unadjusted"],
          variance_reduction=expected["variance_reduction"])  # fmt: skip


def test_the_sample_ratio_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("srm_chi2")
    rows = list(zip(inputs["observed"], inputs["ratio"], strict=True))
    row = one(engine, "sample_ratio", rows, alpha=inputs["alpha"])
    close(row, statistic=expected["chi2"], p=expected["p"], mismatch=False, df=1)
    assert one(engine, "sample_ratio", rows, alpha=0.01)["mismatch"] is True
    three = TEXTBOOK["srm_chi2"]["three_arm"]
    close(one(engine, "sample_ratio", [(n, 2) for n in three["observed"]]), statistic=three["chi2"],
          p=three["p"])  # fmt: skip


def test_the_coins_of_the_textbook(engine: DuckDBEngine) -> None:
    for name in ("chi2_gof_coin_50", "chi2_gof_coin_100"):
        inputs, expected = textbook(name)
        row = one(engine, "binomial_test", list(zip(inputs["observed"], inputs["expected"], strict=True)))
        close(row, p=expected["p_exact_binomial"], observed=min(inputs["observed"]))


def test_delong_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("delong_auc")
    rows = [
        (system, i, label, score)
        for system, column in (("1", "score1"), ("2", "score2"))
        for i, (label, score) in enumerate(zip(inputs["label"], inputs[column], strict=True))
    ]
    first, second = run(engine, "delong", rows, baseline="2")
    close(first, auc=expected["auc1"], se=expected["se1"], lower=expected["ci1_wald"][0],
          upper=expected["ci1_wald"][1], delta=expected["diff"], statistic=expected["z"], p=expected["p"],
          delta_se=math.sqrt(expected["var1"] + expected["var2"] - 2 * expected["cov12"]))  # fmt: skip
    close(second, auc=expected["auc2"], se=math.sqrt(expected["var2"]), delta=None, delta_se=None, p=None)
    assert [row["delta"] for row in run(engine, "delong", rows)] == [None, None]


def test_power_of_the_textbook(engine: DuckDBEngine) -> None:
    inputs, expected = textbook("power_mde")
    errors = f"{inputs['alpha']}, {inputs['power']}"
    calls = {
        f"two_proportion_sample_size(0.06, 0.064, {errors})": "n_per_arm_two_prop_006_vs_0064",
        f"two_sample_mde(0.25, 10000, 0.25, 10000, {errors})": "mde_mean_sd05_n10000_per_arm",
        f"paired_mde(0.2, 500, {errors})": "mde_paired_sd_diff02_n500",
        "normal_cdf(1 / 0.4 - normal_quantile(0.975))": "posthoc_power_z_effect1_se04",
    }
    query, macros = linked(CATALOG, sqlglot.parse_one(f"SELECT {', '.join(calls)}", dialect="duckdb"))
    engine.define(macros)
    (found,) = engine.rows(query)
    assert found == pytest.approx([expected[name] for name in calls.values()], rel=1e-5)
    assert found[:3] == pytest.approx([expected[name] for name in calls.values()][:3], rel=1e-12)


# ---- scipy and statsmodels ----------------------------------------------------------------------


def noisy(seed: int, n: int, *systems: str) -> dict[str, list[float | None]]:
    """Return values with and without ties, some of them NULL."""
    source = np.random.default_rng(seed)
    common = source.normal(size=n)
    found: dict[str, list[float | None]] = {}
    for i, system in enumerate(systems):
        values = np.round(common + source.normal(0.1 * i, 1, n), 1 if seed % 2 else 9)
        found[system] = [None if source.random() < 0.1 else float(v) for v in values]
    return found


def both(values: dict[str, list[float | None]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    kept = [(a, b) for a, b in zip(values["A"], values["B"], strict=True) if None not in (a, b)]
    return np.array([a for a, _ in kept]), np.array([b for _, b in kept])


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(3))
def test_pairs_as_scipy(engine: DuckDBEngine, seed: int) -> None:
    values = noisy(seed, 12 + 40 * seed, "A", "B")
    rows, (a, b) = per_query(**values), both(values)
    student = scipy.stats.ttest_rel(b, a)
    interval = student.confidence_interval(0.9)
    close(one(engine, "paired_t", rows, baseline="A", level=0.9), statistic=student.statistic, n=len(a),
          p=student.pvalue, delta_lower=interval.low, delta_upper=interval.high)  # fmt: skip
    wins, losses = int((b - a > 1e-12).sum()), int((a - b > 1e-12).sum())
    binomial = scipy.stats.binomtest(wins, wins + losses)
    close(one(engine, "sign_test", rows, baseline="A"), wins=wins, losses=losses, p=binomial.pvalue)
    hits = [[int(((a > 0) == i)[(b > 0) == j].sum()) for j in (True, False)] for i in (True, False)]
    exact, corrected = (contingency_tables.mcnemar(hits, exact=e) for e in (True, False))
    close(one(engine, "mcnemar", rows, baseline="A"), p=exact.pvalue, statistic=corrected.statistic,
          p_chi_square=corrected.pvalue, b=hits[0][1], c=hits[1][0])  # fmt: skip
    mean = scipy.stats.t.interval(0.95, len(a) - 1, (b - a).mean(), scipy.stats.sem(b - a))
    close(one(engine, "mean_interval", per_query(D=(b - a).tolist())), lower=mean[0], upper=mean[1])


@pytest.mark.some(3)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_signed_ranks_as_scipy(engine: DuckDBEngine, seed: int, zeros: str, correction: bool) -> None:
    values = noisy(seed, 25 + 50 * seed, "A", "B")
    a, b = both(values)
    differences = np.round(b - a, 12)
    options = {"zero_method": zeros, "correction": correction, "method": "asymptotic"}
    expected = scipy.stats.wilcoxon(differences, **options)
    gains = scipy.stats.wilcoxon(differences, alternative="greater", **options).statistic
    asked = {"zeros": zeros, "correction": correction, "exact": False}
    row = one(engine, "wilcoxon", per_query(**values), baseline="A", **asked)
    close(row, p=expected.pvalue, w_plus=gains, n=len(a), ties=int((differences == 0).sum()))
    assert min(row["w_plus"], row["w_minus"]) == expected.statistic
    assert abs(row["statistic"]) == pytest.approx(-expected.zstatistic, rel=1e-9)
    assert (row["statistic"] > 0) == (row["w_plus"] > row["w_minus"]) == (row["rank_biserial"] > 0)


@pytest.mark.parametrize("seed", range(2))
def test_every_choice_of_signs_as_scipy(engine: DuckDBEngine, seed: int) -> None:
    values = noisy(seed, 11, "A", "B")
    a, b = both(values)
    expected = scipy.stats.permutation_test(
        (b - a,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    row = one(engine, "randomization_test", per_query(**values), baseline="A")
    close(row, exact=True, resamples=2 ** len(a), p=expected.pvalue, statistic=expected.statistic)


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(4))
def test_several_systems_as_scipy(engine: DuckDBEngine, seed: int) -> None:
    """The oracles are the F test of nested least-squares fits, and the ranks of scipy."""
    values = noisy(seed, 15 + 10 * seed, "A", "B", "C", "D")
    table = np.array([row for row in zip(*values.values(), strict=True) if None not in row], dtype=float)
    n, k = table.shape
    queries, systems = np.repeat(np.eye(n), k, axis=0), np.tile(np.eye(k), (n, 1))
    fits = [
        np.linalg.lstsq(x, table.ravel(), rcond=None)[0] for x in (queries, np.hstack([queries, systems]))
    ]
    left = [float(((table.ravel() - x @ fit) ** 2).sum())
            for x, fit in zip((queries, np.hstack([queries, systems])), fits, strict=True)]  # fmt: skip
    df = (k - 1) * (n - 1)
    f = (left[0] - left[1]) / (k - 1) / (left[1] / df)
    rows = per_query(**values)
    close(one(engine, "anova", rows), n=n, n_systems=k, f=f, df_error=df, p=scipy.stats.f.sf(f, k - 1, df))
    expected = scipy.stats.friedmanchisquare(*table.T)
    close(one(engine, "friedman", rows), statistic=expected.statistic, p=expected.pvalue, n=n)


def test_tukey_as_the_studentized_range(engine: DuckDBEngine) -> None:
    """With many queries the shuffled p-values approach those of the distribution."""
    values = noisy(2, 150, "A", "B", "C")
    table = np.array([row for row in zip(*values.values(), strict=True) if None not in row], dtype=float)
    mse = one(engine, "anova", per_query(**values))["mse"]
    for row in run(engine, "tukey_hsd", per_query(**values), resamples=4000):
        q = abs(row["delta"]) / math.sqrt(mse / len(table))
        p = scipy.stats.studentized_range.sf(q, 3, 2 * (len(table) - 1))
        assert row["p"] == pytest.approx(p, abs=0.03)
        assert row["effect_size"] == pytest.approx(row["delta"] / math.sqrt(mse), rel=1e-9)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("method", "theirs"),
    [("bonferroni", "bonferroni"), ("holm", "holm"), ("hochberg", "simes-hochberg"),
     ("benjamini_hochberg", "fdr_bh"), ("benjamini_yekutieli", "fdr_by")],
)  # fmt: skip
def test_adjusted_p_values_as_statsmodels(engine: DuckDBEngine, method: str, theirs: str) -> None:
    source = random.Random(3)
    p = [source.choice([source.random() ** 4, 0.01, 0.2, 1.0, 0.0]) for _ in range(60)]
    rows: list[Row] = [(f"t{i:03}", value) for i, value in enumerate(p)]
    missing: list[Row] = [("none", None), ("nan", math.nan)]
    found = run(engine, "adjusted_p", [*missing, *rows], method=method)
    expected = dict(
        zip([test for test, _ in rows], multitest.multipletests(p, method=theirs)[1], strict=True)
    )
    for row in found:
        close(row, p_adjusted=expected.get(row["test"]))
    assert len(found) == 62


def test_proportions_as_statsmodels(engine: DuckDBEngine) -> None:
    for x, m, y, n in ((3, 40, 9, 35), (0, 12, 4, 15), (20, 20, 17, 25), (500, 9000, 610, 9100)):
        rows = [("a", x, m), ("b", y - 1, n - 1), ("b", 1, 1)]
        z, p = proportion.proportions_ztest([y, x], [n, m])
        low, high = proportion.confint_proportions_2indep(y, n, x, m, "newcomb", "diff", alpha=0.1)
        h = proportion.proportion_effectsize(y / n, x / m)
        row = one(engine, "two_proportion_z", rows, control="a", level=0.9)
        close(row, statistic=z, p=p, delta_lower=low, delta_upper=high, cohen_h=h)
        if x:
            ratio = proportion.confint_proportions_2indep(y, n, x, m, "log", "ratio", alpha=0.1)
            close(row, relative_lower=ratio[0] - 1, relative_upper=ratio[1] - 1)
        low, high = proportion.proportion_confint(x, m, alpha=0.1, method="wilson")
        close(run(engine, "wilson_interval", rows, level=0.9)[0], lower=low, upper=high, hits=x, n=m)


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(4))
def test_arms_as_scipy(engine: DuckDBEngine, seed: int) -> None:
    source = np.random.default_rng(seed)
    a, b = np.round(source.gamma(2, 1, 30 + seed), 1), np.round(source.gamma(3, 1, 17), 1)
    rows = arms(a=[*a, None], b=[None, *b])
    welch = scipy.stats.ttest_ind(b, a, equal_var=False)
    interval = welch.confidence_interval(0.99)
    close(one(engine, "welch_t", rows, control="a", level=0.99), statistic=welch.statistic, df=welch.df,
          p=welch.pvalue, delta_lower=interval.low, delta_upper=interval.high)  # fmt: skip
    ranks = scipy.stats.mannwhitneyu(b, a, method="asymptotic")
    close(one(engine, "mann_whitney", rows, control="a", exact=False), u=ranks.statistic, p=ranks.pvalue)


def test_cuped_as_scipy(engine: DuckDBEngine) -> None:
    source = np.random.default_rng(5)
    x = np.round(source.normal(5, 2, 80), 2)
    y = x + source.normal(0, 1, 80)
    treated = np.arange(80) % 3 == 0
    known = np.arange(80) % 7 != 0
    theta = np.polyfit(x[known], y[known], 1)[0]
    adjusted = y - theta * np.where(known, x - x[known].mean(), 0)
    expected = scipy.stats.ttest_ind(adjusted[treated], adjusted[~treated], equal_var=False)
    interval = expected.confidence_interval()
    rows = [("b" if t else "a", v, c if k else None) for t, v, c, k in zip(treated, y, x, known, strict=True)]
    close(one(engine, "cuped", [*rows, ("a", None, 3.0)], control="a"), theta=theta, df=expected.df,
          statistic=expected.statistic, p=expected.pvalue, delta_lower=interval.low,
          delta_upper=interval.high)  # fmt: skip


def test_ratios_as_numpy(engine: DuckDBEngine) -> None:
    source = np.random.default_rng(8)
    arms_of: dict[str, Any] = {}
    for arm, n in (("a", 200), ("b", 170)):
        views = source.poisson(5, n) + 1
        arms_of[arm] = (source.binomial(views, 0.2 if arm == "a" else 0.3), views)
    moments = {}
    for arm, (y, x) in arms_of.items():
        ratio, cov = y.sum() / x.sum(), np.cov(y, x)
        moments[arm] = ratio, (np.array([1, -ratio]) @ cov @ np.array([1, -ratio])) / len(y) / x.mean() ** 2
    (ra, va), (rb, vb) = moments["a"], moments["b"]
    z = (rb - ra) / math.sqrt(va + vb)
    half = scipy.stats.norm.isf(0.025) * math.sqrt(va / ra**2 + vb / rb**2)
    rows = [(arm, *map(float, unit)) for arm, (y, x) in arms_of.items() for unit in zip(y, x, strict=True)]
    given = [*rows, ("a", None, 1.0), ("b", 1.0, None)]
    row = one(engine, "ratio_delta", given, control="a", variance="delta")
    close(row, ratio=rb, statistic=z, p=2 * scipy.stats.norm.sf(z), relative_change=rb / ra - 1, n=170,
          relative_lower=rb / ra * math.exp(-half) - 1,
          relative_upper=rb / ra * math.exp(half) - 1)  # fmt: skip
    own = run(engine, "ratio_interval", given, variance="delta")
    for interval, arm, n in zip(own, "ab", (200, 170), strict=True):
        ratio, v = moments[arm]
        low, high = scipy.stats.norm.interval(0.95, ratio, math.sqrt(v))
        x = arms_of[arm][1]
        close(interval, arm=arm, n=n, ratio=ratio, se=math.sqrt(v), sd=math.sqrt(v * n), lower=low,
              upper=high, n_effective=x.sum() ** 2 / (x**2).sum())  # fmt: skip


@pytest.mark.slow
def test_ratios_without_each_user_as_scipy(engine: DuckDBEngine) -> None:
    """The jackknife leaves out each user once; Welch's t has the effective numbers of users."""
    source = np.random.default_rng(9)
    rows: list[Row] = []
    errors, sizes, ratios = [], [], []
    for arm, n in (("a", 40), ("b", 25)):
        x = np.ceil(source.pareto(1.5, n) * 3 + 1)
        y = source.binomial(x.astype(int), 0.3)
        rows += [(arm, float(hits), float(views)) for hits, views in zip(y, x, strict=True)]
        without = np.array([np.delete(y, i).sum() / np.delete(x, i).sum() for i in range(n)])
        errors.append((n - 1) * without.var())
        sizes.append(x.sum() ** 2 / (x**2).sum())
        ratios.append(y.sum() / x.sum())
    delta, se = ratios[1] - ratios[0], math.sqrt(sum(errors))
    df = se**4 / sum(v * v / (m - 1) for v, m in zip(errors, sizes, strict=True))
    low, high = scipy.stats.t.interval(0.95, df, delta, se)
    relative = [v / r**2 for v, r in zip(errors, ratios, strict=True)]
    log_df = sum(relative) ** 2 / sum(v * v / (m - 1) for v, m in zip(relative, sizes, strict=True))
    bounds = scipy.stats.t.interval(0.95, log_df, math.log(ratios[1] / ratios[0]), math.sqrt(sum(relative)))
    close(one(engine, "ratio_delta", rows, control="a"), ratio=ratios[1], se=se, df=df, delta_lower=low,
          delta_upper=high, p=2 * scipy.stats.t.sf(abs(delta / se), df), relative_lower=math.expm1(bounds[0]),
          relative_upper=math.expm1(bounds[1]))  # fmt: skip
    for row, ratio, v, m in zip(run(engine, "ratio_interval", rows), ratios, errors, sizes, strict=True):
        low, high = scipy.stats.t.interval(0.95, m - 1, ratio, math.sqrt(v))
        close(row, ratio=ratio, se=math.sqrt(v), lower=low, upper=high, n_effective=m)


@pytest.mark.parametrize("variance", ["jackknife", "delta"])
def test_ratios_at_the_edges_have_no_interval(engine: DuckDBEngine, variance: str) -> None:
    rows = [("all", 2.0, 1.0), ("all", 4.0, 2.0), ("all", 6.0, 3.0), ("none", None, 1.0), ("none", 1.0, None),
            ("one", 1.0, 2.0), ("zero", 1.0, 0.0), ("zero", 2.0, 0.0)]  # fmt: skip
    constant, one_unit, zero = run(engine, "ratio_interval", rows, variance=variance)
    close(constant, n=3, ratio=2.0, sd=0.0, se=0.0, lower=2.0, upper=2.0)
    close(one_unit, n=1, n_effective=1.0, ratio=0.5, sd=None, se=None, lower=None, upper=None)
    close(zero, n=2, n_effective=None, ratio=None, sd=None, se=None, lower=None, upper=None)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("hits", "n", "share"),
    [(0, 9, 0.5), (7, 10, 0.25), (3, 47, 0.1), (40, 100, 0.5), (0, 30, 0.001), (12, 12, 0.9), (1, 2, 0.5),
     (5031, 10_000, 0.5), (90, 1_000_000, 1e-4), (499_000, 1_000_000, 0.5), (700_000, 1_000_000, 0.7003)],
)  # fmt: skip
def test_two_categories_as_scipy(engine: DuckDBEngine, hits: int, n: int, share: float) -> None:
    expected = scipy.stats.binomtest(hits, n, share).pvalue
    for rows in ([(hits, share), (n - hits, 1 - share)], [(n - hits, 7 - 7 * share), (hits, 7 * share)]):
        assert one(engine, "binomial_test", rows)["p"] == pytest.approx(expected, rel=1e-9)


def cells(table: Sequence[Sequence[int]]) -> list[Row]:
    return [(f"r{i}", f"c{j}", n) for i, row in enumerate(table) for j, n in enumerate(row)]


def test_tables_as_scipy(engine: DuckDBEngine) -> None:
    source = np.random.default_rng(4)
    tables = [source.integers(0, high, (2, 2)) for high in (4, 9, 60, 3000) for _ in range(3)]
    for table in [
        *tables,
        np.array([[12, 5], [3, 14]]),
        np.array([[0, 5], [7, 0]]),
        np.array([[50_000, 49_000], [51_000, 50_500]]),
    ]:
        expected = scipy.stats.fisher_exact(table)
        row = one(engine, "fisher_exact", cells(table.tolist()))
        odds = None if math.isnan(expected.statistic) else expected.statistic
        close(row, odds_ratio=odds, p=pytest.approx(expected.pvalue, rel=1e-9), n=int(table.sum()))


# ---- the reference ------------------------------------------------------------------------------


def little_values(seed: int) -> list[Row]:
    """Return three systems, metrics with ties, NULLs, missing units or one unit, and a constant metric."""
    source = random.Random(seed)
    rows: list[Row] = [("A", "single", 1, 0.25), ("B", "single", 1, 0.5), ("A", "alone", 1, 1.0)]
    for metric in ("even", "rough", "shifted", "constant"):
        for query in range(source.randint(2, 9)):
            for system in "ABC":
                value: float | None = 1 + source.randrange(4) / 5 if metric == "even" else source.random()
                value = 0.3 if metric == "constant" else value
                value = query / 10 + ord(system) / 8 if metric == "shifted" else value
                if source.random() < 0.1:
                    value = None
                if source.random() < 0.9:
                    rows.append((system, metric, query, value))
    return rows


def little_arms(seed: int) -> list[Row]:
    source = random.Random(seed)
    rows = [
        (source.choice("abc"), source.choice([None, 0.1, 0.5, 2.0, source.random()]),
         source.choice([None, 1.0, 2.0, source.random()]))
        for _ in range(source.randint(4, 25))
    ]  # fmt: skip
    return [*rows, *[("even", 0.5, 1.0)] * 3, ("single", 0.7, 2.0), ("none", None, None)]


def little_counts(seed: int) -> list[Row]:
    source = random.Random(seed)
    return [(source.randint(0, 12), source.choice([0.5, 1, 2.5])) for _ in range(2)]


def little_scores(seed: int) -> list[Row]:
    source = random.Random(seed)
    labels = [source.choice([0, 0, 1, None]) for _ in range(12)]
    rows = [(system, i, label, source.choice([None, 0.1, 0.3, 0.3, 0.8, source.random()]))
            for system in "ABC" for i, label in enumerate(labels) if source.random() < 0.9]  # fmt: skip
    return [*rows, ("one class", 1, 1, 0.5), ("one class", 2, 1, 0.7), ("perfect", 1, 0, 0.1),
            ("perfect", 2, 0, 0.2), ("perfect", 3, 1, 0.3), ("perfect", 4, 1, 0.4),
            ("few", 1, 0, 0.1), ("few", 2, 1, 0.2), ("few", 3, 1, 0.05)]  # fmt: skip


def first_two(rows: list[Row]) -> list[Row]:
    return [row[:2] for row in rows]


def proportions(rows: list[Row]) -> list[Row]:
    source = random.Random(len(rows))
    sizes = [(arm, n, source.choice([0, n, source.randint(0, n)])) for arm, n in
             (("a", 40), ("a", 2), ("b", 9), ("c", 31), ("d", 7), ("e", 0))]  # fmt: skip
    return [(arm, hits, n) for arm, n, hits in sizes]


def tables(seed: int) -> list[Row]:
    source = random.Random(seed)
    return cells([[source.randint(0, 9) for _ in range(2)] for _ in range(2)])


def p_values(seed: int) -> list[Row]:
    source = random.Random(seed)
    return [(f"t{i}", source.choice([None, 0.01, 0.04, 1.0, source.random()])) for i in range(9)]


def little_impressions(seed: int) -> list[Row]:
    """Return items of two systems with ranks, places and clicks; with users unless the seed is 0."""
    source = random.Random(seed)
    return [
        (impression, system, source.choice([0, 0, 1, None]), source.choice([None, 1, 2, 3]), place,
         impression % 3 if seed else None)
        for impression in range(12) for place in range(1, 5) for system in "AB" if source.random() < 0.7
    ]  # fmt: skip


def little_categories(seed: int) -> list[Row]:
    """Return few and many categories, the text NULL next to NULL, and categories of one arm alone."""
    source = random.Random(seed)
    names = [None, "NULL", "", "é", *(f"c{i}" for i in range(3 if seed else 60))]
    return [
        (arm, source.choice(names[start:]))
        for arm, start, n in (("a", 0, 90), ("b", 2, 70), ("c", 0, 1), ("d", 4, 400)) for _ in range(n)
    ]  # fmt: skip


def estimates(seed: int) -> list[Row]:
    source = random.Random(seed)
    return [
        (family, f"s{i}", source.choice([None, 0.0, source.gauss(0, 1)]),
         source.choice([0.0, 0.5, source.random()]), source.choice([None, 4.0, 1e12]))
        for family, n in (("several", 8), ("two", 2), ("one", 1)) for i in range(n)
    ]  # fmt: skip


def little_clusters(seed: int) -> list[Row]:
    """Return arms of users with several values, of single values, of one user, and of none; many are tied."""
    source = random.Random(seed)
    sizes = {"a": 40, "b": 60, "c": 25, "few": 3, "one user": 30, "alone": 1}
    rows: list[Row] = []
    for arm, n in sizes.items():
        for i in range(n):
            unit = 0 if arm == "one user" else i // source.choice([1, 1, 2, 5])
            value = source.choice([None, 1.0, 2.0, 2.0, source.gauss(3, 1), source.lognormvariate(1, 1)])
            rows.append((arm, value, None if seed == 0 or (arm == "c" and i % 2) else unit))
    return rows


MADE: dict[str, Callable[[int], list[Row]]] = {
    "per_query": little_values,
    "observations": lambda seed: first_two(little_arms(seed)),
    "arm_values": little_clusters,
    "categories": little_categories,
    "adjusted": little_arms,
    "ratios": little_arms,
    "counts": little_counts,
    "cells": tables,
    "scores": little_scores,
    "proportions": lambda seed: proportions(little_arms(seed)),
    "p_values": p_values,
    "impressions": little_impressions,
    "estimates": estimates,
}
# Statistics that draw at random are compared with the reference without draws, where possible.
METHODS = CATALOG.statistics["adjusted_p"].own_params["method"].choices
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "mann_whitney": [{}, {"exact": True}, {"exact": False}],
    "wilcoxon": [{"zeros": "pratt"}, {"correction": True, "exact": False}, {}, {"exact": True}],
    "adjusted_p": [{"method": method} for method in METHODS],
    "delong": [{}, {"baseline": "A"}, {"baseline": "B", "level": 0.5}, {"baseline": "perfect"},
               {"baseline": "few"}, {"baseline": "one class"}],
    "randomization_test": [{"exact": True}, {}],
    "randomization_tost": [{"exact": True}, {"exact": True, "relative": True}],
    "mean_interval": [{"level": 0.8}],
    "paired_t": [{}, {"level": 0.8, "alpha": 0.001, "power": 0.9}],
    "paired_tost": [{}, {"alpha": 0.2}, {"relative": True}],
    "ratio_delta": [{}, {"level": 0.8}, {"variance": "delta"}],
    "ratio_interval": [{}, {"level": 0.8}, {"variance": "delta"}],
    "always_valid": [{"level": 0.8, "planned": 20}, {}],
    "sequential_mean": [{"level": 0.8, "planned": 20}, {}],
    "sequential_ratio": [{"level": 0.8, "planned": 20}, {"variance": "delta", "planned": 20}],
    "sequential_sample_ratio": [{"planned": 20}, {}],
    "unpaired_t": [{}, {"level": 0.8, "alpha": 0.001, "power": 0.9}],
    "unpaired_randomization": [{"exact": True}, {}],
    "welch_t": [{"level": 0.8}],
    "quantile_interval": [{}, {"q": 0.9, "level": 0.6}],
    "quantile_difference": [{}, {"q": 0.9, "level": 0.8}, {"q": 0.15}],
    "kolmogorov_smirnov": [{}, {"exact": False}],
    "population_stability": [{}, {"bins": 3, "smallest": 0.01}],
    "jensen_shannon": [{}, {"bins": 3}],
    "category_drift": [{}, {"most": 3, "smallest": 0.01}],
    "interleaving": [{}, {"unclicked": "skip"}, {"method": "balanced", "level": 0.8}],
}  # fmt: skip
GAINS = {"gain", "loss"}
DRAWN = {"paired_bootstrap", "bootstrap_interval", "tukey_hsd", "probability_best", "max_t"}


def required(name: str) -> dict[str, Any]:
    own = CATALOG.statistics[name].own_params
    is_paired = "baseline" in own and own["baseline"].required
    found = {"baseline": "A"} if is_paired else {"control": "a"} if "control" in own else {}
    return found | ({"margin": 0.25} if "margin" in own else {})


def named(row: Row) -> Row:
    """Return the columns that identify the rows of a result: names, and the place in gains or losses."""
    names = tuple(value for value in row if isinstance(value, str))
    return (*names, row[3]) if GAINS.intersection(names) else names


@pytest.mark.some(1)
@pytest.mark.parametrize("name", [name for name in LATER if name not in DRAWN])
def test_little_inputs_as_the_reference(engine: DuckDBEngine, name: str) -> None:
    ((table, _),) = CATALOG.statistics[name].inputs.items()
    function = getattr(reference, name)
    seen = 0
    for seed in range(3):
        rows = MADE[table](seed)
        for params in VARIANTS.get(name, [{}]):
            given = required(name) | params
            found = run(engine, name, rows, **given)
            expected = function(rows, **given)
            assert len(found) == len(expected)
            seen += len(found)
            by_name = {named(tuple(row.values())): row for row in found}
            for row in expected:
                close(by_name[named(row)], **dict(zip(found[0], row, strict=True)))
    assert seen


@pytest.mark.some(1)
@pytest.mark.parametrize("name", sorted(DRAWN))
def test_what_is_drawn_as_the_reference(engine: DuckDBEngine, name: str) -> None:
    """Values that do not depend on the draws are equal; the others are close."""
    rows = [row for row in little_values(1) if row[1] not in ("alone",)]
    given = required(name) | {"resamples": 1500}
    found = run(engine, name, rows, **given)
    expected = [dict(zip(found[0], row, strict=True)) for row in getattr(reference, name)(rows, **given)]
    by_name = {named(tuple(row.values())): row for row in found}
    assert len(found) == len(expected)
    for row in expected:
        one_row = by_name[named(tuple(row.values()))]
        drawn = row.keys() & {
            "se",
            "lower",
            "upper",
            "delta_lower",
            "delta_upper",
            "p",
            "p_adjusted",
            "alpha_each",
            "resamples",
            "probability",
        }
        close(one_row, **{column: row[column] for column in row.keys() - drawn})
        for column in drawn:
            if row[column] is None:
                assert one_row[column] is None, column
            else:
                assert one_row[column] == pytest.approx(row[column], rel=0.1, abs=0.05), (row, one_row)


# ---- edges --------------------------------------------------------------------------------------


@pytest.mark.some(2)
@pytest.mark.parametrize("name", LATER)
def test_no_rows_make_no_rows(engine: DuckDBEngine, name: str) -> None:
    few = FEW if "resamples" in CATALOG.statistics[name].own_params else {}
    assert run(engine, name, [], **required(name), **few) == []


@pytest.mark.some(2)
@pytest.mark.parametrize("name", PAIRED)
def test_a_baseline_that_is_not_there_makes_no_rows(engine: DuckDBEngine, name: str) -> None:
    few = FEW if "resamples" in CATALOG.statistics[name].own_params else {}
    few = few | required(name)
    assert run(engine, name, per_query(A=[1.0, 2.0], B=[2.0, 4.0]), **(few | {"baseline": "C"})) == []
    assert run(engine, name, per_query(A=[1.0, None], B=[None, 4.0]), **(few | {"baseline": "A"})) == []


@pytest.mark.some(1)
@pytest.mark.parametrize("name", AGAINST_CONTROL)
def test_a_control_that_is_not_there_makes_no_rows(engine: DuckDBEngine, name: str) -> None:
    ((_, columns),) = CATALOG.statistics[name].inputs.items()
    others = [1.0 if column in NUMBERS else 1 if column in UNITS else "x" for column in columns[1:]]
    assert run(engine, name, [("a", *others), ("b", *others)], control="c") == []


@pytest.mark.some(5)
@pytest.mark.parametrize("name", WITH_P)
def test_one_unit_has_no_p(engine: DuckDBEngine, name: str) -> None:
    few = FEW if "resamples" in CATALOG.statistics[name].own_params else {}
    row = one(engine, name, per_query(A=[1.0, None], B=[2.0, 3.0]), baseline="A", **few)
    assert (row["n"], row["p"], row.get("statistic")) in {(1, None, None), (1, None, 1.0)}
    assert row.get("delta_lower") is row.get("se") is None


@pytest.mark.some(2)
@pytest.mark.parametrize("name", WITH_P)
def test_systems_that_are_alike(engine: DuckDBEngine, name: str) -> None:
    few = FEW if "resamples" in CATALOG.statistics[name].own_params else {}
    row = one(engine, name, per_query(A=[0.1, 0.2, 0.3], B=[0.1, 0.2, 0.1 + 0.2]), baseline="A", **few)
    assert row["p"] == 1
    assert row["n"] == 3


def test_constant_differences(engine: DuckDBEngine) -> None:
    rows = per_query(A=[0.1, 0.2, 0.3], B=[0.4, 0.5, 0.6])
    sign = scipy.stats.binomtest(3, 3).pvalue
    close(one(engine, "paired_t", rows, baseline="A"), p=sign, statistic=None, se=0.0, delta_lower=0.3,
          delta_upper=0.3, mde=None, effect_size=None)  # fmt: skip
    close(
        one(engine, "paired_bootstrap", rows, baseline="A", **FEW), delta_lower=0.3, delta_upper=0.3, se=0.0,
        p=sign,
    )  # fmt: skip
    two = per_query(A=[0.0, 0.0], B=[1.0, 1.0])
    for name in ("paired_t", "paired_bootstrap"):
        close(one(engine, name, two, baseline="A", **(FEW if "boot" in name else {})), p=0.5)
    close(one(engine, "anova", rows), f=None, p=None)
    close(one(engine, "wilcoxon", rows, baseline="A"), w_plus=6.0, w_minus=0.0, rank_biserial=1.0)


def test_blocks_are_complete_and_of_systems_with_values(engine: DuckDBEngine) -> None:
    values = {"A": [1.0, 2.0, 4.0, None], "B": [2.0, 2.5, None, 1.0], "C": [3.0, 3.0, 1.0, 1.0]}
    nobody: list[Row] = [("D", "m", i, None) for i in range(4)]
    for rows in (per_query(**values), [*per_query(**values), *nobody]):
        assert one(engine, "anova", rows)["n"] == one(engine, "friedman", rows)["n"] == 2
        found = run(engine, "tukey_hsd", rows, **FEW)
        assert [(row["system"], row["other"], row["n"]) for row in found] == [
            ("A", "B", 2), ("A", "C", 2), ("B", "C", 2)]  # fmt: skip
    assert run(engine, "anova", per_query(A=[1.0, None], B=[None, 1.0])) == []


@pytest.mark.slow
def test_blocks_of_one_query_one_system_or_one_value(engine: DuckDBEngine) -> None:
    single = per_query(A=[1.0], B=[2.0], C=[3.0])
    close(one(engine, "anova", single), f=None, p=None, mse=None, n=1)
    close(one(engine, "friedman", single), statistic=None, p=None)
    assert {row["p"] for row in run(engine, "tukey_hsd", single, **FEW)} == {None}
    close(one(engine, "anova", per_query(A=[1.0, 2.0])), f=None, p=None, n_systems=1)
    close(one(engine, "friedman", per_query(A=[1.0, 2.0])), statistic=None, p=None)
    assert run(engine, "tukey_hsd", per_query(A=[1.0, 2.0]), **FEW) == []
    alike = per_query(A=[0.1, 0.7], B=[0.1, 0.7], C=[0.1, 0.7])
    close(one(engine, "anova", alike), f=None, p=1.0)
    close(one(engine, "friedman", alike), statistic=None, p=1.0)
    assert {(row["p"], row["effect_size"]) for row in run(engine, "tukey_hsd", alike, **FEW)} <= {
        (1.0, None), (1.0, 0.0)}  # fmt: skip


def test_draws_depend_on_the_seed_alone(engine: DuckDBEngine) -> None:
    values = noisy(1, 40, "A", "B", "C")
    rows = per_query(**values)
    for name in (*DRAWN, "randomization_test", "unpaired_randomization"):
        params = required(name) | FEW
        first, again = run(engine, name, rows, **params), run(engine, name, rows[::-1], **params)
        other = run(engine, name, rows, **params, seed=7)
        for row, same in zip(first, again, strict=True):
            close(row, **same)
        assert first != other
        assert {row["resamples"] for row in first} == {200}


def test_metrics_share_their_draws(engine: DuckDBEngine) -> None:
    rows = per_query(**noisy(3, 30, "A", "B"))
    for name in (*DRAWN, "randomization_test", "unpaired_randomization"):
        twice = [*rows, *((system, "other", query, value) for system, _, query, value in rows)]
        found = [{c: v for c, v in row.items() if c != "metric"} for row in
                 run(engine, name, twice, **(required(name) | FEW))]  # fmt: skip
        alone = [{c: v for c, v in row.items() if c != "metric"} for row in
                 run(engine, name, rows, **(required(name) | FEW))]  # fmt: skip
        for row in found:
            close(row, **min(alone, key=lambda one: (one.get("system"), one.get("other")) != (
                row.get("system"), row.get("other"))))  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("name", [n for n in LATER if "per_query" in CATALOG.statistics[n].inputs])
def test_a_metric_that_is_a_constant_of_the_query(engine: DuckDBEngine, name: str) -> None:
    """The composer does not group by a constant, and this must not change a result."""
    rows = per_query(**noisy(1, 30, "A", "B", "C"))
    source = sqlglot.parse_one(
        "SELECT system, 'm' AS metric, query_id, value FROM rows_of_metric", dialect="duckdb"
    )
    given = required(name) | (FEW if "resamples" in CATALOG.statistics[name].own_params else {})
    expected = run(engine, name, rows, **given)
    engine.connection.execute("CREATE OR REPLACE TEMPORARY TABLE rows_of_metric AS FROM per_query")
    found = run(engine, name, rows, {"per_query": cast("exp.Query", source)}, **given)
    assert len(found) == len(expected) > 0
    for row, wanted in zip(found, expected, strict=True):
        close(row, **wanted)


@pytest.mark.slow
def test_resampling_finds_the_error_of_the_mean(engine: DuckDBEngine) -> None:
    """If the weights of different ids were correlated, the deviation would be a third too small."""
    source = np.random.default_rng(0)
    values = source.normal(size=2000).tolist()
    row = one(engine, "bootstrap_interval", per_query(A=values), resamples=2000)
    assert row["se"] == pytest.approx(np.std(values) / math.sqrt(2000), rel=0.06)
    pairs = per_query(A=[0.0] * 2000, B=values)
    percentile = one(engine, "paired_bootstrap", pairs, baseline="A", resamples=2000, method="percentile")
    paired = one(engine, "paired_bootstrap", pairs, baseline="A", resamples=2000)
    close(percentile, se=row["se"], delta_lower=row["lower"], delta_upper=row["upper"])
    student = scipy.stats.ttest_1samp(values, 0).pvalue
    drawn = one(engine, "randomization_test", pairs, baseline="A", resamples=4000)
    assert paired["p"] == pytest.approx(student, abs=0.05)
    assert drawn["p"] == pytest.approx(student, abs=0.03)


def test_an_interval_of_resamples_has_the_level_that_was_asked(engine: DuckDBEngine) -> None:
    rows = per_query(A=[0.0, 1.0, 2.0, 5.0, 9.0])
    wide, narrow = (one(engine, "bootstrap_interval", rows, level=level, **FEW) for level in (0.99, 0.5))
    assert wide["lower"] < narrow["lower"] < wide["mean"] < narrow["upper"] < wide["upper"]


def test_bootstrap_intervals_without_values(engine: DuckDBEngine) -> None:
    rows = per_query(A=[None, None], B=[1.0, None])
    nothing, single = run(engine, "bootstrap_interval", rows, **FEW)
    close(nothing, n=0, mean=None, se=None, lower=None, upper=None, resamples=0)
    close(single, n=1, mean=1.0, se=None, lower=None, upper=None)


@pytest.mark.some(1)
@pytest.mark.parametrize("params", [
    {"better": "lower"}, {"better": "target", "target": 0.5}, {"groups": 10}, {"better": "higher", "seed": 7},
], ids=str)  # fmt: skip
def test_every_way_to_be_the_best_as_the_reference(engine: DuckDBEngine, params: dict[str, Any]) -> None:
    rows = per_query(**noisy(4, 25, "A", "B", "C"))
    found = run(engine, "probability_best", rows, resamples=2000, **params)
    expected = reference.probability_best(rows, resamples=2000, **params)
    assert [tuple(row.values())[:3] for row in found] == [row[:3] for row in expected]
    for row, (*_, probability, _) in zip(found, expected, strict=True):
        # Four standard errors of the difference of two shares.
        assert row["probability"] == pytest.approx(probability, abs=4 * math.sqrt(0.5 / 2000))
    assert sum(row["probability"] for row in found) == pytest.approx(1, abs=1e-12)


def test_the_best_of_equal_and_of_missing_systems(engine: DuckDBEngine) -> None:
    values = [0.1, 0.2, 0.7, 0.3]
    rows = per_query(A=values, B=[*values[:3], 0.1 + 0.2], C=[0.0] * 4, D=[None] * 4)
    *found, nothing = run(engine, "probability_best", rows, **FEW)
    assert [row["probability"] for row in found] == [0.5, 0.5, 0]
    close(nothing, system="D", n=0, mean=None, probability=None, resamples=0)
    # One unit does not show how much the order depends on the units.
    single = run(engine, "probability_best", per_query(A=[1.0, None], B=[2.0, None]), **FEW)
    assert [(row["n"], row["probability"]) for row in single] == [(1, None), (1, None)]
    assert run(engine, "probability_best", per_query(A=[1.0, 2.0]), **FEW)[0]["probability"] == 1


def test_proportions_at_the_ends(engine: DuckDBEngine) -> None:
    rows = [("a", 0, 10), ("b", 0, 12), ("c", 7, 7), ("d", 0, 0)]
    none, every = run(engine, "two_proportion_z", rows, control="a")
    close(none, arm="b", statistic=None, p=1.0, relative_change=None, relative_lower=None)
    close(every, arm="c", proportion=1.0, relative_upper=None, cohen_h=math.pi)
    assert run(engine, "two_proportion_z", rows, control="d") == []
    a, _, c, d = run(engine, "wilson_interval", rows)
    assert (a["lower"], c["upper"]) == (0, 1)
    close(d, proportion=None, lower=None, upper=None)


@pytest.mark.parametrize("name", AGAINST_CONTROL)
def test_what_decides_comes_first(name: str) -> None:
    """A terminal has no room for all columns."""
    columns = CATALOG.statistics[name].query.named_selects
    deciding = ["delta", "delta_lower", "delta_upper", "relative_change", "p"]
    there = [column for column in columns if column in {*deciding, "n_control", "n", "se", "statistic", "df"}]
    first = [column for column in deciding if column in columns]
    assert columns[0] == "arm"
    assert there[: len(first) + 2] == [*first, "n_control", "n"]


@pytest.mark.parametrize("name", ["two_proportion_z", "wilson_interval"])
def test_half_a_proportion_is_left_out(engine: DuckDBEngine, name: str) -> None:
    rows: list[Row] = [("a", 3, 10), ("b", 7, 10)]
    halves: list[Row] = [("a", None, 10), ("b", 3, None), ("c", None, 4)]
    expected = run(engine, name, rows, **required(name))
    assert expected
    assert run(engine, name, [*rows, *halves], **required(name)) == expected


@pytest.mark.slow
def test_arms_without_spread(engine: DuckDBEngine) -> None:
    rows = arms(a=[0.1, 0.1, 0.1], b=[0.1, 0.1], c=[0.3, 0.3], d=[0.5])
    alike, apart, single = run(engine, "welch_t", rows, control="a")
    close(alike, p=1.0, delta_lower=0.0, delta_upper=0.0, statistic=None, effect_size=None, se=0.0)
    close(apart, p=None, delta_lower=0.2, delta_upper=0.2, relative_lower=2.0, statistic=None)
    close(single, p=None, se=None, delta=0.4, delta_lower=None, relative_lower=None, df=None)
    assert run(engine, "mann_whitney", rows, control="a")[0]["p"] == 1
    ratios = [(arm, value, 1.0) for arm, value in rows]
    assert [row["p"] for row in run(engine, "ratio_delta", ratios, control="a")] == [1.0, None, None]
    assert [row["p"] for row in run(engine, "cuped", ratios, control="a")] == [1.0, None, None]


@pytest.mark.slow
def test_means_that_are_not_positive_have_no_relative_interval(engine: DuckDBEngine) -> None:
    for name, more in (("welch_t", ()), ("ratio_delta", (1.0,))):
        rows = [(*row, *more) for row in arms(a=[-1.0, -2.0], b=[1.0, 2.0], c=[-3.0, -4.0])]
        for row in run(engine, name, rows, control="a"):
            assert row["relative_lower"] is row["relative_upper"] is None
            assert row["p"] is not None
    zero = run(engine, "welch_t", arms(a=[-1.0, 1.0], b=[1.0, 2.0]), control="a")
    assert zero[0]["relative_change"] is None
    nowhere = [("a", 1.0, 0.0), ("a", 2.0, 0.0), ("b", 1.0, 1.0), ("b", 3.0, 2.0)]
    close(one(engine, "ratio_delta", nowhere, control="a"), control_ratio=None, delta=None, se=None, p=None)


@pytest.mark.slow
def test_a_constant_covariate_changes_nothing(engine: DuckDBEngine) -> None:
    rows = arms(a=[1.0, 2.0, 4.0], b=[2.0, 5.0, 7.0])
    welch = one(engine, "welch_t", rows, control="a")
    for covariate in (0.1, None):
        row = one(engine, "cuped", [(*row, covariate) for row in rows], control="a")
        close(row, theta=0.0, variance_reduction=0.0, p=welch["p"], se=welch["se"], delta=welch["delta"])


@pytest.mark.slow
def test_every_arm_is_compared_in_order(engine: DuckDBEngine) -> None:
    rows = [
        ("c", 1.0, 2.0),
        ("c", 2.0, 2.0),
        ("a", 1.0, 3.0),
        ("a", 4.0, 3.0),
        ("b", 1.0, 5.0),
        ("b", 0.0, 5.0),
    ]
    for name in AGAINST_CONTROL:
        (columns,) = CATALOG.statistics[name].inputs.values()
        given = [
            [v if c in NUMBERS | UNITS else str(v) for c, v in zip(columns, r, strict=False)] for r in rows
        ]
        found = [row["arm"] for row in run(engine, name, given, control="c")]
        assert found == ["a", "b"], name


@pytest.mark.slow
def test_categories_that_cannot_be_tested(engine: DuckDBEngine) -> None:
    for rows in ([(3, 1)], [(3, 1), (4, 1), (5, 1)], [(2.5, 1), (3, 1)], [(0, 1), (0, 1)]):
        assert one(engine, "binomial_test", rows)["p"] is None, rows
    assert one(engine, "binomial_test", [(10**7, 1), (1, 1)])["p"] is None
    assert one(engine, "binomial_test", [(0, 0), (5, 1)])["p"] == 1
    assert one(engine, "binomial_test", [(1, 0), (5, 1)])["p"] == 0
    close(one(engine, "sample_ratio", [(5, 1)]), df=0, p=None, mismatch=None)
    close(one(engine, "sample_ratio", [(5, 1), (1, 0)]), statistic=math.inf, p=0.0, mismatch=True)


def test_tables_that_are_not_two_by_two(engine: DuckDBEngine) -> None:
    for table in ([[1, 2]], [[1], [2]], [[1, 2, 3], [4, 5, 6]], [[0, 0], [0, 0]]):
        close(one(engine, "fisher_exact", cells(table)), p=None, odds_ratio=None)
    close(one(engine, "fisher_exact", [("r", "c", 3), ("s", "d", 4)]), p=1 / 35, odds_ratio=math.inf)
    close(one(engine, "fisher_exact", [("r", "c", 1), ("r", "d", 4), ("r", "c", 2), ("s", "d", 0)]), p=1.0,
          odds_ratio=None)  # fmt: skip


def test_aucs_that_cannot_be_compared(engine: DuckDBEngine) -> None:
    labels, scores = [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.6, 0.5, 0.5, 0.9]
    table = list(enumerate(zip(labels, scores, strict=True)))
    rows: list[Row] = [(system, i, y, x) for system in "AB" for i, (y, x) in table]
    same = run(engine, "delong", rows, baseline="A")
    close(same[0], delta=None, p=None)
    close(same[1], delta=0.0, delta_se=None, statistic=None, p=None, auc=same[0]["auc"], se=same[0]["se"])
    perfect = [("P", i, y, y) for i, y in enumerate(labels)]
    close(run(engine, "delong", [*rows, *perfect])[2], auc=1.0, se=None, lower=None, upper=None)
    minus = [("A", i, 2 * y - 1, x) for i, (y, x) in table]
    close(one(engine, "delong", minus), auc=same[0]["auc"], se=same[0]["se"])
    few = [("F", 0, 1, 0.5), ("F", 1, 0, 0.5), ("F", 2, 0, 0.4), ("N", 0, 1, 0.4)]
    single, nothing = run(engine, "delong", few)
    close(single, auc=0.75, se=None, lower=None, n_positive=1, n_negative=2)
    close(nothing, auc=None, se=None)


def test_aucs_of_other_rows_are_independent(engine: DuckDBEngine) -> None:
    source = random.Random(2)
    rows: list[Row] = [("A", i, i % 2, source.random()) for i in range(20)]
    rows += [("B", 100 + i, i % 2, source.random()) for i in range(20)]
    a, b = run(engine, "delong", rows, baseline="A")
    close(b, delta_se=math.hypot(a["se"], b["se"]), delta=b["auc"] - a["auc"])


def test_a_p_of_everything(engine: DuckDBEngine) -> None:
    found = run(engine, "adjusted_p", [("a", None), ("b", math.nan)])
    assert [row["p_adjusted"] for row in found] == [None, None]
    assert one(engine, "adjusted_p", [("a", 0.03)], method="benjamini_yekutieli")["p_adjusted"] == 0.03
