"""`ab` and 'duckmetrics ab': the numbers equal those of scipy, statsmodels and numpy; refusals."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest

import duckmetrics
from duckmetrics import Experiment, InputError, MetricError, UnsupportedError, ab
from duckmetrics.cli.output import write_experiment
from duckmetrics.engines import targets
from duckmetrics.statistics.experiment import read_shares
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

# Names as people have them: quotes, spaces, capitals, and a slash that does not mean a ratio.
ARM, REVENUE, SPEND, BEFORE = 'Test "group"', "Revenue (€)", "spend", "spend/before"
CLICKS, SESSIONS, PAID = "n clicks", "Sessions", "paid, yes"
RATIO = f"{CLICKS}/sessions"
SIZES = {"A": 210, "it's B": 190, "C": 200}
METRICS = [REVENUE, RATIO, SPEND, PAID]
# A table for tests that are not about numbers; the comparison of proportions is the fastest.
FLAGS = """SELECT i AS "user", CASE WHEN i % 2 = 0 THEN 'A' ELSE 'B' END AS variant, i % 3 = 0 AS "Won",
    CAST(i % 7 < 3 AND i % 2 = 0 OR i % 7 < 6 AND i % 2 = 1 AS INT) AS paid, i % 5 + 1 AS visits
    FROM range(600) AS t(i)"""
Columns = dict[str, Any]


@pytest.fixture(scope="module")
def units() -> Columns:
    """Return three variants with some missing values."""
    random = np.random.default_rng(7)
    arms = np.repeat(list(SIZES), list(SIZES.values()))
    n, is_b = len(arms), arms == "it's B"
    revenue = random.lognormal(2, 1, n) * np.where(is_b, 1.8, 1)
    before = random.gamma(3, 20, n)
    spend = before + random.normal(0, 8, n) + np.where(is_b, -6, 0)
    sessions = random.integers(1, 12, n).astype(float)
    clicks = random.binomial(sessions.astype(int), np.where(is_b, 0.30, 0.28)).astype(float)
    for values in (revenue, before, sessions, clicks, spend):
        values[random.random(n) < 0.03] = math.nan
    return {ARM: arms, REVENUE: revenue, BEFORE: before, SPEND: spend, SESSIONS: sessions, CLICKS: clicks,
            PAID: random.random(n) < 0.2}  # fmt: skip


@pytest.fixture(scope="module")
def result(units: Columns) -> Experiment:
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in units.items()})
    return ab(
        table, variant=ARM.upper(), control="A", metrics=METRICS, pre={SPEND: BEFORE}, lower_is_better=SPEND,
        threads=1,
    )  # fmt: skip


def samples(units: Columns, *names: str) -> dict[str, np.ndarray[Any, Any]]:
    """Return the complete rows of some columns, by variant."""
    rows = np.stack([np.asarray(units[name], float) for name in names], axis=-1)
    complete = ~np.isnan(rows).any(axis=1)
    return {arm: rows[complete & (units[ARM] == arm)] for arm in SIZES}


def relative(
    values: tuple[float, float], errors: tuple[float, float], sizes: tuple[float, float]
) -> list[float]:
    """Return the relative change and its interval: of the ratio on the log scale, by Student's t."""
    (control, treated), (v, w) = values, (e / m**2 for e, m in zip(errors, values, strict=True))
    df = (v + w) ** 2 / (v**2 / (sizes[0] - 1) + w**2 / (sizes[1] - 1))
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt(v + w)
    ratio = treated / control
    return [ratio - 1, ratio * math.exp(-half) - 1, ratio * math.exp(half) - 1]


def changes(row: dict[str, Any]) -> list[float]:
    return [row["relative_change"], row["relative_lower"], row["relative_upper"]]


# ---- the numbers --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_mean_as_scipy(units: Columns, result: Experiment) -> None:
    own = {arm: rows[:, 0] for arm, rows in samples(units, REVENUE).items()}
    for arm in ("it's B", "C"):
        row, pair = result.row(REVENUE, arm), (own["A"], own[arm])
        expected = scipy.stats.ttest_ind(own[arm], own["A"], equal_var=False)
        low, high = expected.confidence_interval(0.95)
        assert [row["control_value"], row["value"]] == pytest.approx([x.mean() for x in pair], rel=1e-12)
        found = [row["p"], row["delta_lower"], row["delta_upper"]]
        assert found == pytest.approx([expected.pvalue, low, high], rel=1e-9)
        means, errors = ((x.mean() for x in pair), (x.var(ddof=1) / len(x) for x in pair))
        assert changes(row) == pytest.approx(relative((*means,), (*errors,), (*map(len, pair),)), rel=1e-9)
        assert (row["n_control"], row["n"], row["statistic"]) == (*map(len, pair), "welch_t")
        assert row["left_out"] == SIZES[arm] - row["n"]


def test_a_ratio_as_the_jackknife_and_nearly_as_the_delta_method(units: Columns, result: Experiment) -> None:
    value, jackknife, delta, weight = {}, {}, {}, {}
    for arm, rows in samples(units, CLICKS, SESSIONS).items():
        (clicks, sessions), n = rows.T, len(rows)
        value[arm] = clicks.sum() / sessions.sum()
        left = (clicks.sum() - clicks) / (sessions.sum() - sessions)
        jackknife[arm] = (n - 1) / n * ((left - left.mean()) ** 2).sum()
        delta[arm] = (clicks - value[arm] * sessions).var(ddof=1) / sessions.mean() ** 2 / n
        weight[arm] = sessions.sum() ** 2 / (sessions**2).sum()
    for arm in ("it's B", "C"):
        row, pair = result.row(RATIO, arm), ("A", arm)
        v, w = (jackknife[one] for one in pair)
        df = (v + w) ** 2 / (v**2 / (weight["A"] - 1) + w**2 / (weight[arm] - 1))
        z = (value[arm] - value["A"]) / math.sqrt(v + w)
        assert row["p"] == pytest.approx(2 * scipy.stats.t.sf(abs(z), df), rel=1e-9)
        assert row["delta"] == pytest.approx(value[arm] - value["A"], rel=1e-12)
        values, errors, sizes = (tuple(of[one] for one in pair) for of in (value, jackknife, weight))
        assert changes(row) == pytest.approx(relative(values, errors, sizes), rel=1e-9)
        half = 1.96 * math.sqrt(delta["A"] + delta[arm])
        assert (row["delta_upper"] - row["delta_lower"]) / 2 == pytest.approx(half, rel=0.02)
        assert row["statistic"] == "ratio_delta"


def test_cuped_as_numpy(units: Columns, result: Experiment) -> None:
    spend, before = units[SPEND], units[BEFORE]
    both = ~np.isnan(spend) & ~np.isnan(before)
    covariance = np.cov(spend[both], before[both])
    shift = np.where(np.isnan(before), 0, before - before[both].mean())
    adjusted = {**units, SPEND: spend - covariance[0, 1] / covariance[1, 1] * shift}
    raw, own = ({arm: rows[:, 0] for arm, rows in samples(of, SPEND).items()} for of in (units, adjusted))
    for arm in ("it's B", "C"):
        row, pair = result.row(SPEND, arm), (own["A"], own[arm])
        expected = scipy.stats.ttest_ind(own[arm], own["A"], equal_var=False)
        assert row["p"] == pytest.approx(expected.pvalue, rel=1e-7)
        means, errors = (tuple(x.mean() for x in pair), tuple(x.var(ddof=1) / len(x) for x in pair))
        assert [row["control_value"], row["value"]] == pytest.approx(list(means), rel=1e-9)
        assert changes(row) == pytest.approx(relative(means, errors, (*map(len, pair),)), rel=1e-7)
        unadjusted = sum(raw[one].var(ddof=1) / len(raw[one]) for one in ("A", arm))
        assert row["variance_reduction"] == pytest.approx(1 - sum(errors) / unadjusted, rel=1e-9)
    assert result.row(SPEND, "it's B")["verdict"] == "better"  # less is spent, and lower is better
    assert [note for note in result.notes if note.startswith(f"{SPEND}: CUPED with {BEFORE} removes")]


def test_a_proportion_as_statsmodels(units: Columns, result: Experiment) -> None:
    for arm in ("it's B", "C"):
        hits, sizes = zip(*((rows.sum(), len(rows)) for rows in
                            (samples(units, PAID)[one] for one in (arm, "A"))), strict=True)  # fmt: skip
        row = result.row(PAID, arm)
        assert row["p"] == pytest.approx(proportions_ztest(hits, sizes)[1], rel=1e-9)
        assert row["relative_change"] == pytest.approx(
            hits[0] / sizes[0] / (hits[1] / sizes[1]) - 1, rel=1e-12
        )
        assert row["statistic"] == "two_proportion_z"


def test_the_sample_ratio_as_scipy(result: Experiment) -> None:
    expected = scipy.stats.chisquare(list(SIZES.values()))
    ratio = result.sample_ratio
    assert (ratio.statistic, ratio.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    assert dict(ratio.observed) == SIZES
    assert not ratio.mismatch


@pytest.mark.slow
def test_p_is_adjusted_over_all_comparisons(result: Experiment) -> None:
    assert len(result.rows) == 8
    _, adjusted, *_ = multipletests([row["p"] for row in result.rows], method="holm")
    assert [row["p_adjusted"] for row in result.rows] == pytest.approx(list(adjusted), rel=1e-12)
    assert result.row(REVENUE, "it's B")["verdict"] == "better"
    assert result.row(PAID, "C")["verdict"] == "unclear"


# ---- the output ---------------------------------------------------------------------------------


def test_the_table_is_narrow_and_the_other_shapes_have_everything(result: Experiment) -> None:
    text = repr(result)
    assert max(map(len, text.splitlines())) <= 100
    assert text.startswith(
        "C does not clearly differ from A\nit's B is better than A on Revenue (€) and spend, unclear"
    )
    assert "Sample ratio   A 210   C 200   it's B 190   planned 33.33 : 33.33 : 33.33   p = 0.6" in text
    for told in (
        "relative",
        "95 % interval",
        "without a value left out",
        "Smallest change",
        "Holm correction",
    ):
        assert told in text
    assert result.to_pandas()["metric"].unique().tolist() == METRICS
    assert result.summary.to_pylist() == list(result.rows)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["rows"] == list(result.rows)
    assert result._repr_html_().count("<tr>") == 9
    assert "welch" not in result.sql
    assert result.sql.count("SELECT") > 5
    with pytest.raises(MetricError, match="name one of"):
        result.row(REVENUE)
    with pytest.raises(MetricError, match="did you mean 'spend'"):
        result.row("spent", "C")


def test_small_changes_have_more_decimals(result: Experiment) -> None:
    row = {**result.rows[0], "relative_change": 0.00012, "relative_lower": -0.0001, "relative_upper": 0.00034}
    assert "  +0.012%  " in repr(replace(result, rows=[row]))
    wild = {**row, "relative_change": 1234.5, "relative_upper": 5e4}
    assert "  +123,450%  " in repr(replace(result, rows=[wild]))


@pytest.mark.slow
def test_a_negative_control_has_no_relative_interval_but_an_absolute_one() -> None:
    result = ab(
        f"SELECT *, visits - 5.5 AS profit FROM ({FLAGS})", variant="variant", control="A", metrics="profit"
    )
    row = result.row("profit")
    assert row["relative_lower"] is None
    assert row["delta_lower"] < row["delta"] < row["delta_upper"]
    assert f"{row['delta']:+.2f}  " in repr(result).replace("−", "-")
    assert f"| {row['delta']:+.2f} |" in result.shown().markdown().replace("−", "-")


# ---- little data --------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_variance_nothing_is_tested_and_the_reason_is_told() -> None:
    rows = [("A", 5.0, 1.0, None), ("A", 5.0, 0.0, 1.0), ("A", 5.0, 1.0, 0.0), ("B", 5.0, 1.0, None),
            ("B", 5.0, 0.0, None), ("C", 5.0, 1.0, 1.0)]  # fmt: skip
    names = ("variant", "flat", "flag", "rare")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    result = ab(table, variant="variant", control="A", metrics=["flat", "flag", "rare"], threads=1)
    constant, alone = result.row("flat", "B"), result.row("flat", "C")
    assert (constant["p"], constant["relative_change"], constant["verdict"]) == (1, 0, "unclear")
    assert (alone["p"], alone["verdict"], alone["reason"]) == (
        None, "not tested", "only one unit of C has a value",
    )  # fmt: skip
    missing = result.row("rare", "B")
    assert (missing["value"], missing["verdict"]) == (None, "not tested")
    assert missing["reason"] == "no unit of B has a value"
    assert (missing["n"], missing["left_out"], missing["left_out_control"]) == (0, 2, 1)
    assert "rare: 3 units without a value left out (1 of A, 2 of B)" in result.notes
    assert any("successes or failures" in warning for warning in result.warnings)
    assert [row["p_adjusted"] is None for row in result.rows] == [row["p"] is None for row in result.rows]


@pytest.mark.some(2)
@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("known", [0, 1])
def test_an_arm_without_values_or_with_one_has_no_verdict(known: int, sequential: bool) -> None:
    """One hit of one unit against 1 of 100 is no evidence, although the z-test gives p < 1e-11."""
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(5, 1, 200) for name in ("revenue", "visits", "before")}
    numbers["paid"] = np.repeat([1.0, 0.0], [1, 199])
    units = {"variant": np.repeat(["A", "B"], 100), **numbers}
    for name in numbers:
        units[name][100 + known :] = np.nan
    units["paid"][100:101] = 1.0 if known else np.nan
    options: dict[str, Any] = {"pre": {"visits": "before"}, "sequential": sequential}
    metrics = ["revenue", "revenue/visits", "visits", "paid"]
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in units.items()})
    result = ab(table, variant="variant", control="A", metrics=metrics, **options)
    what = "only one unit of B has a value" if known else "no unit of B has a value"
    assert {(row["verdict"], row["p"], row["reason"]) for row in result.rows} == {("not tested", None, what)}


def test_a_control_without_values_is_no_error() -> None:
    table = "SELECT * FROM (VALUES ('A', NULL), ('A', NULL), ('B', 1), ('B', 3)) AS t(variant, x)"
    (row,) = ab(table, variant="variant", control="A", metrics="x").rows
    assert (row["verdict"], row["reason"]) == ("not tested", "no unit of A has a value")


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("names", "control"), [(("it's", "'B"), "it's"), ((True, False), True), ((2, 1), 2)], ids=str
)
def test_the_control_may_have_any_name_and_type(names: tuple[Any, Any], control: Any) -> None:
    table = pa.table({"arm": [*names] * 40, "won": [0, 1, 1, 1] * 20})
    row = ab(table, variant="ARM", control=control, metrics=["Won"], adjust="none", threads=1).row("Won")
    assert (row["control_value"], row["value"], row["p_adjusted"]) == (0.5, 1, row["p"])


# ---- the sample ratio ---------------------------------------------------------------------------


def test_a_mismatch_is_loud() -> None:
    table = f"SELECT * FROM ({FLAGS}) WHERE variant = 'A' OR \"user\" % 3 > 0"
    options: dict[str, Any] = {"variant": "variant", "control": "A", "metrics": "paid", "threads": 1}
    result = ab(table, **options)
    assert result.sample_ratio.mismatch
    assert result.sample_ratio.p == pytest.approx(scipy.stats.chisquare([300, 200]).pvalue, rel=1e-9)
    text = repr(result)
    assert text.startswith("Do not decide yet: ")
    assert "MISMATCH" in text
    assert not any(line.startswith("paid") for line in text.splitlines())
    assert "WARNING: SAMPLE RATIO MISMATCH" in "\n".join(result.lines(whole=True))
    assert result.warnings[0].startswith("SAMPLE RATIO MISMATCH (p < 0.001)")
    planned = ab(table, **options, shares={"A": 3, "B": "2"})
    assert planned.sample_ratio.p == 1
    assert "planned 60 : 40   p = 1   ok" in repr(planned)
    assert "planned A 0.6, B 0.4" in "\n".join(planned.lines(whole=True))
    assert not planned.warnings
    assert read_shares({"C": 1, "B": "1", "A": 2}, ["A", "B"]) == {"A": 0.5, "B": 0.25, "C": 0.25}


def test_a_missing_share_is_a_part_of_the_rest() -> None:
    """Two of three variants have no share: each is advised half of what is left."""
    with pytest.raises(MetricError, match=r"variant 'B' has none; given for A; add one: B=0\.25$"):
        read_shares({"A": 0.5}, ["A", "B", "C"])


def test_shares_of_booleans_and_of_names_with_blanks_are_read() -> None:
    """The database writes true and false; a blank after a name is no other name."""
    assert read_shares({True: 3, False: 1}, ["false", "true"]) == {"false": 0.25, "true": 0.75}
    assert read_shares({"A ": 3, "B": 1}, ["A", "B"]) == {"A": 0.75, "B": 0.25}
    assert read_shares({"A": 3, "B": 1}, ["A ", "B"]) == {"A ": 0.75, "B": 0.25}
    assert read_shares({"A": 3, "A ": 1}, ["A", "A "]) == {"A": 0.75, "A ": 0.25}


@pytest.mark.slow
def test_a_planned_variant_without_units_is_a_mismatch() -> None:
    shares = {"A": 0.4, "B": 0.3, "C": 0.3}
    lost = ab(FLAGS, variant="variant", control="A", metrics="paid", shares=shares).sample_ratio
    assert dict(lost.observed) == {"A": 300, "B": 300, "C": 0}
    assert lost.mismatch


# ---- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"control": None}, MetricError, "control: is missing; choose A or B"),
        ({"control": "D"}, InputError, "no control 'D'; there are A and B"),
        ({"variant": "varant"}, InputError, "no column 'varant' for the variant; did you mean 'variant'?"),
        ({"variant": "user"}, InputError, "'user' has more than 50 different values"),
        ({"metrics": "piad"}, InputError, "no column 'piad'; did you mean 'paid'?"),
        ({"metrics": "paid/vists"}, InputError, "no column 'vists' of the metric 'paid/vists'; did you mean"),
        ({"metrics": "paid/"}, MetricError, "write numerator/denominator"),
        ({"metrics": []}, MetricError, "metrics: none given"),
        ({"metrics": [3]}, MetricError, "names no columns"),
        ({"metrics": "variant"}, InputError, "column 'variant' is VARCHAR, not a number"),
        ({"lower_is_better": "won"}, MetricError, "lower_is_better: unknown metric 'won'"),
        ({"pre": {"paid": "before"}}, InputError, "no column 'before' for pre paid"),
        ({"pre": {"visits": "paid"}}, MetricError, "pre: unknown metric 'visits'"),
        ({"pre": {"paid": "paid"}}, MetricError, "pre paid: is the metric itself"),
        ({"pre": ["paid"]}, MetricError, "maps no metric"),
        ({"metrics": "paid/visits", "pre": {"paid/visits": "won"}}, UnsupportedError, "no CUPED of a ratio"),
        ({"shares": {"A": 1}}, MetricError, "shares: variant 'B' has none; given for A; add one: B=1"),
        ({"shares": {"A": 0.4}}, MetricError, "add one: B=0.6"),
        ({"shares": {"A": 1, "A ": 1}}, MetricError, "names a variant twice"),
        ({"shares": {"A": 1, "B": 0}}, MetricError, "shares B: 0 is not a positive number"),
        ({"shares": "A=1"}, MetricError, "maps no variant"),
        ({"adjust": "homl"}, MetricError, "adjust: unknown method 'homl'; did you mean 'holm'?"),
        ({"interval": 95}, MetricError, "no level of confidence"),
        ({"alpha": 0}, MetricError, "no probability"),
        ({"sequential": "no"}, MetricError, "sequential='no': is not true or false; write sequential=True"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(change: dict[str, Any], error: type, message: str) -> None:
    options = {"variant": "variant", "control": "A", "metrics": "paid", **change}
    with pytest.raises(error) as caught:
        ab(FLAGS, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (f"SELECT * REPLACE (nullif(variant, 'B') AS variant) FROM ({FLAGS})", "300 units have no variant"),
        (f"SELECT * FROM ({FLAGS}) WHERE variant = 'A'", "has only the variant 'A'"),
        (f"SELECT * FROM ({FLAGS}) WHERE false", "no rows"),
        (f"SELECT * REPLACE (visits / 0e0 AS paid) FROM ({FLAGS})", "600 rows with NaN or an infinite value"),
    ],
)
def test_bad_data_are_refused(table: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        ab(table, variant="variant", control="A", metrics="paid")
    assert message in str(caught.value)


# ---- the command line ---------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    duckdb.sql(FLAGS).write_parquet(str(tmp_path / "users.parquet"))
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


COMMAND = ("ab", "users.parquet", "--variant", "variant", "--control", "A", "-m", "won,paid")


def test_the_command_prints_what_python_shows(run: Command, tmp_path: Path) -> None:
    known = ab(str(tmp_path / "users.parquet"), variant="variant", control="A", metrics=["won", "paid"])
    assert run(*COMMAND) == (0, f"{known}\n", "")


@pytest.mark.parametrize("format_", ["plain", "json", "csv", "markdown", "parquet"])
def test_every_format_has_the_rows_and_is_known_as_ours(
    result: Experiment, tmp_path: Path, format_: str
) -> None:
    path = tmp_path / f"out.{format_}"
    write_experiment(result, format_, path)
    targets.refuse(path, format_)
    if format_ == "parquet":
        assert pq.read_table(path).to_pylist() == list(result.rows)
        return
    text = path.read_text("utf-8")
    if format_ == "csv":
        verdicts = [row["verdict"] for row in csv.DictReader(io.StringIO(text))]
        assert verdicts == [row["verdict"] for row in result.rows]
    elif format_ == "json":
        assert json.loads(text) == json.loads(json.dumps(result.to_dict()))
    else:
        assert text.startswith("sample ratio: ")
        assert text.count("unclear") > 2


@pytest.mark.slow
def test_the_options_of_the_command(run: Command) -> None:
    more = (
        "--shares",
        "A=0.9,B=0.1",
        "--lower-is-better",
        "paid, won",
        "--adjust",
        "none",
        "--format",
        "json",
    )
    told = run(*COMMAND, *more)
    document = json.loads(told.out)
    assert document["sample_ratio"]["mismatch"] is True
    assert "SAMPLE RATIO MISMATCH" in told.err
    assert {row["metric"]: row["verdict"] for row in document["rows"]}["paid"] == "worse"
    assert all(row["p"] == row["p_adjusted"] for row in document["rows"])


def test_the_command_fails_in_one_line(run: Command) -> None:
    failed = run("ab", "users.parquet", "--variant", "variant", "--control", "A", "-m", "piad")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err == "duckmetrics: users.parquet: no column 'piad'; did you mean 'paid'?\n"


def test_the_verb_is_public() -> None:
    assert {"ab", "Experiment"} <= {*duckmetrics.__all__}


@pytest.mark.slow
def test_arrays_by_name_are_a_table() -> None:
    chance = np.random.default_rng(5)
    variant, paid = np.array(["A", "B"] * 60), chance.normal(3, 1, 120)
    found = duckmetrics.ab({"variant": variant, "paid": paid}, variant="variant", control="A", metrics="paid")
    expected = scipy.stats.ttest_ind(paid[1::2], paid[::2], equal_var=False)
    assert found.row("paid")["p"] == pytest.approx(expected.pvalue, rel=1e-9)


def test_values_that_one_variant_lacks_are_a_warning() -> None:
    """The units with a value are no random sample any more, though no unit is lost."""
    rows = (
        "SELECT if(i % 2 = 0, 'A', 'B') AS variant, 10 + sin(i) * 5 AS revenue FROM range(4000) AS units(i)"
    )
    low = "SELECT * REPLACE (if(variant = 'B' AND revenue < 8, NULL, revenue) AS revenue)"
    told = duckmetrics.ab(f"{low} FROM ({rows})", variant="variant", control="A", metrics="revenue")
    assert not told.sample_ratio.mismatch
    (warning,) = told.warnings
    assert warning.startswith(
        "revenue: values are missing more often in some variants (p < 0.001): 0 of 2,000"
    )
    both = "SELECT * REPLACE (if(revenue < 8, NULL, revenue) AS revenue)"
    same = duckmetrics.ab(f"{both} FROM ({rows})", variant="variant", control="A", metrics="revenue")
    assert same.warnings == ()


def experiment_with(before: str) -> tuple[str, ...]:
    """Return the warnings of an A/A test with a value from before the experiment."""
    rows = f"""
        SELECT *, {before} AS pre
        FROM (SELECT i, if(i % 2 = 0, 'A', 'B') AS variant, 10 + 5 * sin(i) AS revenue FROM range(2000) _(i))
    """
    found = duckmetrics.ab(rows, variant="variant", control="A", metrics="revenue", pre={"revenue": "pre"})
    return found.warnings


def test_values_from_before_that_one_variant_lacks_are_a_warning() -> None:
    """The center is that of the others, whose variance is counted as removed for all."""
    assert experiment_with("revenue + cos(i)") == ()
    assert experiment_with("if(i % 5 = 0, NULL, revenue + cos(i))") == ()
    (warning,) = experiment_with("if(variant = 'B' AND i % 4 = 1, NULL, revenue + cos(i))")
    told = (
        "revenue: values of pre are missing more often in some variants (p < 0.001): 0 of 1,000 units of A, "
    )
    assert warning.startswith(f"{told}500 of 1,000 units of B; CUPED counts more of the variance as removed")


def test_a_value_from_before_that_the_experiment_changed_is_a_warning() -> None:
    (warning,) = experiment_with("revenue + if(variant = 'B', 1, 0)")
    assert warning.startswith("revenue: pre differs between the control and B (p < 0.001), which chance")


@pytest.mark.parametrize(("before", "n"), [("revenue", "2,000"), ("if(i % 5 = 0, NULL, revenue)", "1,600")])
def test_a_copy_of_the_metric_is_not_from_before(before: str, n: str) -> None:
    """CUPED with the value itself would remove all of the variance, and the effect with it."""
    with pytest.raises(MetricError) as caught:
        experiment_with(before)
    told = f"pre revenue: pre equals the metric in all {n} units that have both; name a column from before"
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(("value", "verdict"), [("0", "unclear"), ("CAST(i % 7 = 0 AS INT)", "refused")])
def test_a_metric_that_never_varies_may_equal_its_value_from_before(value: str, verdict: str) -> None:
    rows = f"SELECT if(i % 2 = 0, 'A', 'B') AS variant, {value} AS x, x AS y FROM range(200) _(i)"
    if verdict == "refused":
        with pytest.raises(MetricError, match="y equals the metric"):
            ab(rows, variant="variant", control="A", metrics="x", pre={"x": "y"})
    else:
        found = ab(rows, variant="variant", control="A", metrics="x", pre={"x": "y"})
        assert found.row("x")["verdict"] in ("unclear", "not tested")


def test_saved_rows_of_a_mismatch_say_so() -> None:
    rows = "SELECT if(i % 3 = 0, 'A', 'B') AS variant, i % 7 AS revenue FROM range(4000) AS units(i)"
    told = duckmetrics.ab(rows, variant="variant", control="A", metrics="revenue")
    assert told.sample_ratio.mismatch
    assert told.summary["reason"].to_pylist() == ["sample ratio mismatch"]
