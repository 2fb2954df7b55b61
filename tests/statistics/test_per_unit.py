"""`ab(unit=)`: rows are put together per unit, as pandas does it by hand; units in several variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import duckmetrics
from duckmetrics import Experiment, InputError, MetricError, ab
from duckmetrics.catalog.catalog import catalog
from duckmetrics.statistics.per_unit import FUNCTIONS
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

METRICS = ["revenue", "rating", "paid", "clicks/views", "clicks"]
PER_UNIT = {"rating": "mean", "paid": "max", "clicks": "mean"}
OPTIONS: dict[str, Any] = {"variant": "variant", "control": "A"}


@pytest.fixture(scope="module")
def sessions() -> pd.DataFrame:
    """Return sessions of users: some without a value, some users with no value at all, in any order."""
    rng = np.random.default_rng(3)
    n_users, n = 240, 1500
    user = rng.integers(0, n_users, n)
    taste = rng.normal(0, 1, n_users)
    frame = pd.DataFrame({"who": user, "variant": np.where(user % 2 == 0, "A", "B")})
    frame["revenue"] = np.exp(taste[user] + rng.normal(0, 1, n)) + (frame.variant == "B")
    frame["rating"] = rng.integers(1, 6, n).astype(float)
    frame["paid"] = rng.random(n) < 0.1
    frame["views"] = rng.integers(1, 9, n)
    frame["clicks"] = rng.binomial(frame["views"], 0.3)
    frame["before"] = taste[user] + rng.normal(0, 0.1, n)
    frame.loc[rng.random(n) < 0.2, "revenue"] = np.nan
    frame.loc[frame.who < 6, "rating"] = np.nan
    return frame.sample(frac=1, random_state=1)


@pytest.fixture(scope="module")
def users(sessions: pd.DataFrame) -> pd.DataFrame:
    """Return one row per user, by hand."""
    groups = sessions.groupby("who")
    return pd.DataFrame({
        "variant": groups.variant.first(), "revenue": groups.revenue.sum(min_count=1),
        "rating": groups.rating.mean(), "paid": groups.paid.max(), "clicks": groups.clicks.sum(),
        "mean_clicks": groups.clicks.mean(), "views": groups["views"].sum(), "before": groups.before.mean(),
    })  # fmt: skip


@pytest.fixture(scope="module")
def result(sessions: pd.DataFrame) -> Experiment:
    return ab(sessions, metrics=METRICS, unit="WHO", per_unit=PER_UNIT, adjust="none", **OPTIONS)


@pytest.mark.parametrize(
    ("metric", "column"), [("revenue", "revenue"), ("rating", "rating"), ("clicks", "mean_clicks")]
)
def test_means_per_unit_as_pandas_and_scipy(
    users: pd.DataFrame, result: Experiment, metric: str, column: str
) -> None:
    """clicks is averaged for the mean and summed for the ratio, in the same call."""
    arms = [users[column][users.variant == name].dropna() for name in "AB"]
    wanted = scipy.stats.ttest_ind(arms[1], arms[0], equal_var=False)
    low, high = wanted.confidence_interval(0.95)
    row = result.row(metric)
    assert row["statistic"] == "welch_t"
    assert [row["control_value"], row["value"]] == pytest.approx([x.mean() for x in arms], rel=1e-9)
    assert [row["p"], row["delta_lower"], row["delta_upper"]] == pytest.approx(
        [wanted.pvalue, low, high], rel=1e-9
    )
    assert (row["n_control"], row["n"]) == tuple(map(len, arms))
    assert row["left_out"] + row["left_out_control"] == users[column].isna().sum()


def test_flags_and_ratios_are_those_of_the_table_per_unit(users: pd.DataFrame, result: Experiment) -> None:
    by_hand = ab(users, metrics="paid,clicks/views", adjust="none", **OPTIONS)
    for metric, statistic in (("paid", "two_proportion_z"), ("clicks/views", "ratio_delta")):
        mine, wanted = result.row(metric), by_hand.row(metric)
        assert mine["statistic"] == statistic
        for name in ("value", "control_value", "delta_lower", "delta_upper", "p", "n", "n_control"):
            assert mine[name] == pytest.approx(wanted[name], rel=1e-9), (metric, name)


def test_the_result_names_the_unit(result: Experiment, users: pd.DataFrame) -> None:
    """It counts units, and warns of nothing: neither repeated nor shared units."""
    assert (result.unit, result.warnings) == ("who", ())
    assert sum(result.sample_ratio.observed.values()) == len(users)
    assert result.notes[0] == (
        f"1,500 rows of {len(users)} units by who: sum of revenue, clicks/views; mean of rating, clicks; "
        "max of paid"
    )
    assert result.to_dict()["params"]["unit"] == "who"


def test_a_value_from_before_is_averaged(sessions: pd.DataFrame, users: pd.DataFrame) -> None:
    pre = {"revenue": "before"}
    mine = ab(sessions, metrics="revenue", pre=pre, unit="who", **OPTIONS).row("revenue")
    wanted = ab(users, metrics="revenue", pre=pre, **OPTIONS).row("revenue")
    for name in ("p", "delta", "delta_lower", "variance_reduction"):
        assert mine[name] == pytest.approx(wanted[name], rel=1e-9)
    assert mine["variance_reduction"] > 0.1


def test_a_column_that_is_a_metric_and_from_before_has_two_values(
    sessions: pd.DataFrame, users: pd.DataFrame
) -> None:
    """The same column is summed as a metric, and averaged as a covariate."""
    users = users.assign(total=sessions.groupby("who").before.sum())
    mine = ab(sessions, metrics="before,revenue", pre={"revenue": "before"}, unit="who", **OPTIONS)
    wanted = ab(users, metrics="total,revenue", pre={"revenue": "before"}, **OPTIONS)
    assert mine.row("before")["p"] == pytest.approx(wanted.row("total")["p"], rel=1e-9)
    assert mine.row("revenue")["p"] == pytest.approx(wanted.row("revenue")["p"], rel=1e-9)


# ---- a table from before the experiment -----------------------------------------------------------


@pytest.fixture(scope="module")
def earlier(sessions: pd.DataFrame) -> pd.DataFrame:
    """Return older rows of most users, some of whom had NULL only, and of strangers."""
    rng = np.random.default_rng(7)
    taste = sessions.groupby("who").before.mean()
    who = rng.integers(0, 200, 900)
    frame = pd.DataFrame({"who": who, "spent": np.exp(taste.reindex(who).fillna(0).to_numpy())})
    frame["spent"] *= rng.uniform(0.5, 1.5, len(frame))
    frame.loc[frame.who < 3, "spent"] = np.nan
    return pd.concat([frame, pd.DataFrame({"who": [9001, 9002], "spent": [1e6, 1e6]})])


@pytest.mark.parametrize("function", ["sum", "mean", "max"])
@pytest.mark.parametrize("ids", ["int64", "int32"])
def test_cuped_with_another_table_as_pandas_and_scipy(
    sessions: pd.DataFrame, earlier: pd.DataFrame, function: str, ids: str
) -> None:
    table = earlier.assign(who=earlier.who.astype(ids))
    found = ab(sessions, metrics="revenue,paid", unit="who", before=table, pre={"revenue": "spent"},
               per_unit={"revenue": function}, adjust="none", **OPTIONS)  # fmt: skip
    groups = sessions.groupby("who")
    users = pd.DataFrame({"variant": groups.variant.first(), "y": groups.revenue.agg(function)})
    users.loc[groups.revenue.count() == 0, "y"] = np.nan
    before = earlier.dropna().groupby("who").spent.agg(function).reindex(users.index)
    is_new = ~users.index.isin(earlier.who)
    n_new = int(is_new.sum())
    users["x"] = before.mask(is_new, 0) if function == "sum" else before
    both = users.dropna()
    theta = both.y.cov(both.x) / both.x.var()
    users["adjusted"] = users.y - theta * (users.x - both.x.mean()).fillna(0)
    arms = [users.adjusted[users.variant == name].dropna() for name in "AB"]
    wanted = scipy.stats.ttest_ind(arms[1], arms[0], equal_var=False)
    row = found.row("revenue")
    assert (row["statistic"], found.row("paid")["statistic"]) == ("cuped", "welch_t")
    assert row["p"] == pytest.approx(wanted.pvalue, rel=1e-9)
    assert row["delta"] == pytest.approx(arms[1].mean() - arms[0].mean(), rel=1e-9)
    assert row["variance_reduction"] > 0.05
    told = f"{n_new} of {len(users)} units have no row in before (DataFrame), so spent before is 0"
    assert (told in found.notes) == (function == "sum")


@pytest.mark.parametrize("unit", ["unit_id", "is_new"])
def test_names_of_columns_change_nothing(unit: str) -> None:
    rng = np.random.default_rng(2)
    n = 80
    table = {unit: np.arange(n), "variant": ["A", "B"] * (n // 2), "value_0": rng.normal(0, 1, n)}
    before = {unit: np.arange(n - 5), "value_0": table["value_0"][: n - 5] + rng.normal(0, 1, n - 5)}
    named = {unit: "who", "value_0": "x"}
    plain = [{named.get(name, name): values for name, values in one.items()} for one in (table, before)]
    found = ab(table, metrics="value_0", unit=unit, before=before, **OPTIONS).row("value_0")
    wanted = ab(plain[0], metrics="x", unit="who", before=plain[1], **OPTIONS).row("x")
    assert found["statistic"] == "cuped"
    assert found["p"] == pytest.approx(wanted["p"], rel=1e-12)


@pytest.mark.parametrize(
    "metrics", ["median(revenue),revenue,paid", "p90(revenue),revenue", "revenue,p90(revenue)"]
)
def test_the_order_of_the_metrics_changes_nothing(sessions: pd.DataFrame, metrics: str) -> None:
    earlier = sessions.assign(revenue=sessions.before)[["who", "revenue"]]
    alone = ab(sessions, metrics="revenue", unit="who", before=earlier, **OPTIONS).row("revenue")
    found = ab(sessions, metrics=metrics, unit="who", before=earlier, adjust="none", **OPTIONS).row("revenue")
    assert found["statistic"] == "cuped"
    assert found["p"] == pytest.approx(alone["p"], rel=1e-12)


def test_a_unit_with_null_only_is_not_new() -> None:
    n = 60
    rng = np.random.default_rng(4)
    table = {"who": np.arange(n), "variant": ["A", "B"] * (n // 2), "x": rng.normal(0, 1, n)}
    spent = [None if i % 3 == 0 else float(table["x"][i] + rng.normal()) for i in range(n)]
    found = ab(table, metrics="x", unit="who", before={"who": [*range(n)], "x": spent}, **OPTIONS)
    assert (
        f"x: {n // 3} units without x before taken as the mean of the others (10 of A, 10 of B)"
        in found.notes
    )
    assert not [note for note in found.notes if "no row" in note]


@pytest.mark.parametrize(("own", "other"), [("int64", "int16"), ("int64", "uint64"), ("str", "category")])
def test_ids_of_one_kind_are_compared(own: str, other: str) -> None:
    n = 40
    ids = np.arange(n).astype(own)
    table = {"who": ids, "variant": ["A", "B"] * (n // 2), "x": np.sin(np.arange(n))}
    before = pd.DataFrame({"who": pd.Series(ids).astype(other), "x": np.cos(np.arange(n)) + table["x"]})
    found = ab(table, metrics="x", unit="who", before=before, **OPTIONS)
    same = ab({**table, "y": before.x.to_numpy()}, metrics="x", pre={"x": "y"}, **OPTIONS)
    assert found.row("x")["p"] == pytest.approx(same.row("x")["p"], rel=1e-12)
    assert sum(found.sample_ratio.observed.values()) == n


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("str", "has who of type VARCHAR; make them one kind, as in"),
        ("float64", "column 'who' is DOUBLE, not an id: such numbers are not exact keys; cast it"),
    ],
)
def test_ids_of_two_kinds_are_refused(kind: str, message: str) -> None:
    table = {"who": [1, 2, 3, 4], "variant": [*"ABAB"], "x": [1.0, 2.0, 3.0, 5.0]}
    before = pd.DataFrame({"who": np.arange(1, 5).astype(kind), "x": [1.0, 2.0, 2.0, 4.0]})
    with pytest.raises(InputError) as caught:
        ab(table, metrics="x", unit="who", before=before, **OPTIONS)
    assert message in str(caught.value)


def test_each_mean_has_the_column_of_its_name(sessions: pd.DataFrame, users: pd.DataFrame) -> None:
    earlier = sessions.assign(revenue=sessions.before, clicks=sessions.before**2)
    found = ab(sessions, metrics="revenue,rating,clicks,clicks/views,median(clicks)", unit="who",
               before=earlier.drop(columns="rating"), **OPTIONS)  # fmt: skip
    used = {row["metric"]: row["statistic"] for row in found.rows}
    assert used == {"revenue": "cuped", "rating": "welch_t", "clicks": "cuped",
                    "clicks/views": "ratio_delta", "median(clicks)": "quantile_difference"}  # fmt: skip
    by_hand = users.assign(x=earlier.groupby("who").revenue.sum())
    wanted = ab(by_hand, metrics="revenue", pre={"revenue": "x"}, **OPTIONS).row("revenue")
    for name in ("p", "delta_lower", "variance_reduction"):
        assert found.row("revenue")[name] == pytest.approx(wanted[name], rel=1e-9)
    sliced = ab(sessions.assign(half=sessions.who % 4 < 2), metrics="revenue", unit="who", by="half",
                before=earlier, **OPTIONS)  # fmt: skip
    assert [row["statistic"] for row in sliced.rows] == ["cuped"] * 3
    looked = ab(sessions, metrics="revenue", unit="who", before=earlier, sequential=True, **OPTIONS)
    assert looked.row("revenue")["variance_reduction"] == pytest.approx(wanted["variance_reduction"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": None}, "before: is another table of the same units, and no unit is named; add unit="),
        ({"before": {"who": [-1], "revenue": [1.0]}}, "before (dict): has none of the 238 values of who"),
        ({"before": {"revenue": [1.0]}}, "before (dict): no column 'who' for the unit; known: revenue"),
        ({"before": {"who": [], "revenue": []}}, "before (dict): no rows"),
        (
            {"before": {"who": [1], "spent": [1.0]}},
            "has no column of a metric that is a mean (revenue); name",
        ),
        ({"before": {"who": [1], "revenue": ["a"]}}, "column 'revenue' is VARCHAR, not a number"),
        ({"before": {"who": [1], "revenue": [float("inf")]}}, "infinite"),
        ({"before": {"who": [1], "spent": [1.0]}, "pre": {"revenue": "spend"}}, "did you mean 'spent'"),
        ({"before": "nowhere.parquet"}, "nowhere.parquet: no such file"),
        ({}, "revenue before equals the metric in all"),
        ({"metrics": "clicks/views", "before": {"who": [1], "clicks": [1.0]}}, "that is a mean (no mean)"),
    ],
)
def test_a_wrong_table_from_before_is_answered(
    sessions: pd.DataFrame, change: dict[str, Any], message: str
) -> None:
    options = {"metrics": "revenue", "unit": "who", **OPTIONS, "before": sessions, **change}
    with pytest.raises((InputError, MetricError)) as caught:
        ab(sessions, **options)
    assert message in str(caught.value)


def test_one_row_per_unit_stays_as_it_is(users: pd.DataFrame) -> None:
    plain = ab(users, metrics="revenue,paid", **OPTIONS)
    same = ab(users.reset_index(), metrics="revenue,paid", unit="who", per_unit="mean", **OPTIONS)
    for mine, wanted in zip(same.rows, plain.rows, strict=True):
        assert mine["p"] == pytest.approx(wanted["p"], rel=1e-9)


def test_without_the_unit_the_error_rate_is_inflated_and_with_it_it_is_that_of_alpha() -> None:
    """10 metrics of 49 variants that do not differ from a large control: 490 comparisons of 20 users.

    Each user has 15 rows and a level with the variance of one row. The variance of a mean of all rows is then
    8 times that of independent rows, and p of rows is below 0.05 in about half of the comparisons.
    """
    rng = np.random.default_rng(11)
    n_control, n_arms, per_arm, each = 2000, 49, 20, 15
    arms = np.concatenate([np.zeros(n_control, int), np.repeat(np.arange(1, n_arms + 1), per_arm)])
    who = np.repeat(np.arange(len(arms)), each)
    rows = {"who": who, "variant": arms[who]}
    for i in range(10):
        rows[f"x{i}"] = rng.normal(0, 1, len(arms))[who] + rng.normal(0, 1, len(who))
    options: dict[str, Any] = {"variant": "variant", "control": 0, "adjust": "none"}
    below = {
        unit: np.mean([row["p"] < 0.05 for row in ab(rows, metrics=[*rows][2:], unit=unit, **options).rows])
        for unit in (None, "who")
    }
    assert below[None] > 0.4
    # The standard error of a share of 5 % of 490 is 1 %.
    assert abs(below["who"] - 0.05) < 0.03


# ---- units in several variants --------------------------------------------------------------------


@pytest.fixture
def shared() -> pd.DataFrame:
    """Return users of whom every tenth is in both variants."""
    rng = np.random.default_rng(5)
    one = pd.DataFrame({"who": range(200), "x": rng.normal(0, 1, 200)})
    one["variant"] = np.where(one.who % 2 == 0, "A", "B")
    again = one[one.who % 10 == 0].assign(variant="B", x=7.0)
    return pd.concat([one, again])


def test_units_in_several_variants_are_refused_with_the_cure(shared: pd.DataFrame) -> None:
    with pytest.raises(InputError) as caught:
        ab(shared, metrics="x", unit="who", **OPTIONS)
    assert str(caught.value).endswith(
        ": 20 of 200 values of who are in several variants, such as 0, 10, 100; find out why, and leave "
        "them out with shared_units='drop' (--shared-units drop)"
    )


def test_units_in_several_variants_are_dropped_as_asked(shared: pd.DataFrame) -> None:
    dropped = ab(shared, metrics="x", unit="who", shared_units="drop", **OPTIONS)
    kept = shared[shared.who % 10 != 0]
    wanted = scipy.stats.ttest_ind(
        kept.x[kept.variant == "B"], kept.x[kept.variant == "A"], equal_var=False
    )  # fmt: skip
    assert dropped.row("x")["p"] == pytest.approx(wanted.pvalue, rel=1e-9)
    assert dict(dropped.sample_ratio.observed) == {"A": 80, "B": 100}
    (warned,) = dropped.warnings
    assert warned.startswith("units are in several variants: 20 of 200 values of who are in several variants")
    assert "they are left out" in warned
    assert ab(kept, metrics="x", unit="who", shared_units="drop", **OPTIONS).warnings == ()


@pytest.mark.parametrize("shared_units", ["error", "drop"])
def test_a_unit_that_was_not_assigned_is_told(shared_units: str) -> None:
    """If sessions were assigned, nearly all users are in both variants: to leave them out leaves nothing."""
    rows = "SELECT i % 40 AS who, if(i // 40 % 2 = 0, 'A', 'B') AS variant, sin(i) AS x FROM range(400) t(i)"
    with pytest.raises(
        InputError, match=r"40 of 40 values of who .* name the column of the unit that was ass"
    ):
        ab(rows, metrics="x", unit="who", shared_units=shared_units, **OPTIONS)


def test_equal_rows_of_a_unit_are_a_warning_where_they_are_summed() -> None:
    """A total of the user that stands in each of its rows would count several times."""
    rng = np.random.default_rng(1)
    one = pd.DataFrame({"user_id": range(100), "variant": ["A", "B"] * 50, "x": rng.normal(0, 1, 100)})
    twice = pd.concat([one, one])
    (warned,) = ab(twice, metrics="x", unit="user_id", **OPTIONS).warnings
    assert warned.startswith("rows are copies: all rows of one user_id are equal, and the sum counts each")
    assert "per_unit='mean'" in warned
    mean = ab(twice, metrics="x", unit="user_id", per_unit="mean", **OPTIONS)
    assert mean.warnings == ()
    assert mean.row("x")["p"] == pytest.approx(ab(one, metrics="x", **OPTIONS).row("x")["p"], rel=1e-9)


# ---- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"unit": "whom"}, InputError, "no column 'whom' for the unit; did you mean 'who'?"),
        ({"unit": "variant"}, MetricError, "unit variant: is the variant itself"),
        ({"unit": "revenue"}, MetricError, "unit revenue: is the column of a metric"),
        ({"unit": ["who"]}, MetricError, "unit=['who']: is not a column; write a name such as"),
        ({"unit": ""}, InputError, "no column '' for the unit"),
        ({"per_unit": "median"}, MetricError, "per_unit revenue: unknown function 'median'"),
        ({"per_unit": "avg"}, MetricError, "unknown function 'avg'"),
        ({"per_unit": {"revnue": "mean"}}, MetricError, "per_unit: unknown metric 'revnue'; did you mean"),
        ({"per_unit": ["mean"]}, MetricError, "per_unit: ['mean'] names no function; write 'mean', or"),
        ({"per_unit": {}}, MetricError, "per_unit: {} names no function"),
        ({"unit": None, "per_unit": "mean"}, MetricError, "no unit is named; add unit='user_id' (--unit"),
        ({"unit": None, "shared_units": "drop"}, MetricError, "shared_units: is about several rows per unit"),
        ({"shared_units": "dorp"}, MetricError, "unknown value 'dorp'; did you mean 'drop'?"),
        ({"metrics": "clicks/views", "per_unit": "mean"}, MetricError, "is a ratio of sums, and cannot read"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_together_is_refused(
    sessions: pd.DataFrame, change: dict[str, Any], error: type, message: str
) -> None:
    options = {"metrics": "revenue", "unit": "who", **OPTIONS, **change}
    with pytest.raises(error) as caught:
        ab(sessions, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("SELECT * REPLACE (nullif(who, 3) AS who)", "column 'who': 6 rows have no unit; name the unit of"),
        ("SELECT * REPLACE (CASE WHEN who <> 3 THEN variant END AS variant)", "1 unit has no variant"),
        ("SELECT * REPLACE (CASE WHEN who = 3 THEN 'inf'::DOUBLE ELSE x END AS x)", "infinite value"),
        ("SELECT * REPLACE (x::VARCHAR || '!' AS x)", "column 'x' is VARCHAR, not a number"),
    ],
)
def test_rows_that_cannot_be_put_together_are_refused(rows: str, message: str) -> None:
    table = "(SELECT i % 100 AS who, if(i % 2 = 0, 'A', 'B') AS variant, sin(i) AS x FROM range(600) t(i))"
    with pytest.raises(InputError) as caught:
        ab(f"{rows} FROM {table}", metrics="x", unit="who", **OPTIONS)
    assert message in str(caught.value)


# ---- the command line -----------------------------------------------------------------------------

COMMAND = ("ab", "rows.parquet", "--variant", "variant", "--control", "A", "--unit", "who")


@pytest.fixture
def run(
    sessions: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:  # fmt: skip
    sessions.to_parquet(tmp_path / "rows.parquet")
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


def test_the_command_puts_rows_together(run: Command, sessions: pd.DataFrame) -> None:
    per_unit = {"rating": "mean", "paid": "max"}
    known = ab(sessions, metrics="revenue,rating,paid", unit="who", per_unit=per_unit, **OPTIONS)
    words = ("-m", "revenue,rating,paid", "--per-unit", "rating=mean,paid=max")
    assert run(*COMMAND, *words) == (0, f"{known}\n", "")
    whole = ab(sessions, metrics="rating", unit="who", per_unit="mean", **OPTIONS)
    assert run(*COMMAND, "-m", "rating", "--per-unit", "mean").out == f"{whole}\n"


def test_the_command_reads_a_table_from_before(
    run: Command, sessions: pd.DataFrame, earlier: pd.DataFrame
) -> None:
    earlier.to_csv("may.csv", index=False)
    known = ab(sessions, metrics="revenue", unit="who", before="may.csv", pre={"revenue": "spent"}, **OPTIONS)
    words = ("-m", "revenue", "--before", "may.csv")
    assert run(*COMMAND, *words, "--pre", "revenue=spent") == (0, f"{known}\n", "")
    assert "has no column of a metric that is a mean (revenue)" in run(*COMMAND, *words).err


def test_the_command_refuses_what_python_refuses(run: Command) -> None:
    failed = run(*COMMAND, "-m", "rating", "--per-unit", "median")
    assert failed.code == 2
    assert failed.err.startswith("duckmetrics: per_unit rating: unknown function 'median'")
    assert run(*COMMAND, "-m", "rating", "--shared-units", "maybe").code == 2


def test_the_words_of_functions_are_those_of_the_help() -> None:
    """The help of the command line and of Python name each function."""
    from duckmetrics.cli.experiments import ab as command

    (option,) = (param for param in command.params if param.name == "per_unit")
    for function in FUNCTIONS:
        assert function in str(getattr(option, "help", ""))
        assert f'"{function}"' in str(duckmetrics.ab.__doc__)
    assert "repeated_units" in catalog().shell
