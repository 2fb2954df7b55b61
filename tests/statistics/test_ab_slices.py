"""`ab(by=)`: each slice is the experiment of its units; Cochran's Q tests whether the slices differ."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from duckmetrics import Experiment, InputError, MetricError, UnsupportedError, ab
from duckmetrics.cli.output import write_experiment
from duckmetrics.reference.estimates import heterogeneity
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"variant": "variant", "control": "A"}
METRICS = ["revenue", "clicks/views", "paid"]
NUMBERS = ("control_value", "value", "delta_lower", "delta_upper", "relative_lower", "p", "n", "n_control")


@pytest.fixture(scope="module")
def users() -> pd.DataFrame:
    """Return users of three countries and of none, with an effect in one of them only."""
    rng = np.random.default_rng(4)
    n = 900
    frame = pd.DataFrame({"variant": np.where(rng.random(n) < 0.5, "A", "B")})
    frame["country"] = rng.choice(["DE", "US", "it's", None], n)
    frame["age"] = rng.integers(18, 58, n)
    moved = (frame.variant == "B") & (frame.country == "US")
    frame["before"] = rng.gamma(3, 10, n)
    frame["revenue"] = frame.before + rng.normal(0, 5, n) + 4 * moved
    frame["views"] = rng.integers(1, 9, n)
    frame["clicks"] = rng.binomial(frame["views"], 0.3)
    frame["paid"] = rng.random(n) < 0.2
    frame.loc[rng.random(n) < 0.05, "revenue"] = np.nan
    return frame


@pytest.fixture(scope="module")
def result(users: pd.DataFrame) -> Experiment:
    return ab(users, metrics=METRICS, by="country", pre={"revenue": "before"}, **OPTIONS)


def of_slice(result: Experiment, metric: str, **values: Any) -> dict[str, Any]:
    (row,) = (row for row in result.rows if row["slice"] and row["metric"] == metric
              and all(row[name] == value for name, value in values.items()))  # fmt: skip
    return row


def own(users: pd.DataFrame, country: str | None) -> pd.DataFrame:
    return users[users.country.isna() if country is None else users.country == country]


@pytest.mark.parametrize("country", ["US", "it's", None])
def test_a_slice_is_the_experiment_of_its_units(
    users: pd.DataFrame, result: Experiment, country: str | None
) -> None:
    alone = ab(own(users, country), metrics=METRICS, pre={"revenue": "before"}, **OPTIONS)
    for metric in METRICS:
        row, wanted = of_slice(result, metric, country=country), alone.row(metric)
        assert row["statistic"] == wanted["statistic"]
        for name in NUMBERS:
            assert row[name] == pytest.approx(wanted[name], rel=1e-9), (metric, name)


def test_a_slice_of_means_as_scipy(users: pd.DataFrame) -> None:
    row = of_slice(ab(users, metrics="revenue", by="country", **OPTIONS), "revenue", country="US")
    arms = [own(users, "US").query("variant == @name").revenue.dropna() for name in "AB"]
    wanted = scipy.stats.ttest_ind(arms[1], arms[0], equal_var=False)
    assert row["p"] == pytest.approx(wanted.pvalue, rel=1e-9)


def test_the_overall_rows_are_those_without_slices(users: pd.DataFrame, result: Experiment) -> None:
    plain = ab(users, metrics=METRICS, pre={"revenue": "before"}, **OPTIONS)
    assert [{name: row[name] for name in plain.rows[0]} for row in result.overall] == list(plain.rows)
    assert result.row("paid")["slice"] == ""
    assert result.verdicts == plain.verdicts
    assert result.detectable == plain.detectable
    assert plain.method in result.method


def test_p_values_of_a_slicing_are_adjusted_together(result: Experiment) -> None:
    sliced = [row for row in result.rows if row["slice"]]
    assert len(sliced) == 12
    wanted = multipletests([row["p"] for row in sliced], method="holm")[1]
    assert [row["p_adjusted"] for row in sliced] == pytest.approx(list(wanted), rel=1e-9)
    assert of_slice(result, "revenue", country="US")["verdict"] == "better"


def test_heterogeneity_as_numpy_and_the_reference(users: pd.DataFrame, result: Experiment) -> None:
    """Q from Welch's standard errors, also of a proportion; p from the reference in plain Python."""
    plain = ab(users, metrics="revenue,paid", by="country", **OPTIONS)
    found = {row["metric"]: row for row in plain.heterogeneity.to_pylist()}
    for metric in ("revenue", "paid"):
        estimates = []
        for place, country in enumerate(("DE", "US", "it's", None)):
            arms = [own(users, country).query("variant == @name")[metric].dropna().astype(float)
                    for name in "AB"]  # fmt: skip
            errors = [arm.var(ddof=1) / len(arm) for arm in arms]
            df = sum(errors) ** 2 / sum(e**2 / (len(arm) - 1) for e, arm in zip(errors, arms, strict=True))
            delta = arms[1].mean() - arms[0].mean()
            estimates.append(("f", str(place), float(delta), float(np.sqrt(sum(errors))), float(df)))
        x, se = np.array([row[2] for row in estimates]), np.array([row[3] for row in estimates])
        mean = (x / se**2).sum() / (1 / se**2).sum()
        row = found[metric]
        assert row["q"] == pytest.approx((((x - mean) / se) ** 2).sum(), rel=1e-9)
        (wanted,) = heterogeneity(estimates)
        assert row["p"] == pytest.approx(wanted[4], rel=1e-9)
        assert (row["variant"], row["slice"], row["n_slices"], row["df"]) == ("B", "country", 4, 3)
    with_cuped = {row["metric"]: row["p"] for row in result.heterogeneity.to_pylist()}
    assert with_cuped["revenue"] < 0.01 < 0.05 < with_cuped["paid"]


def test_the_screen_shows_the_slices_and_whether_they_differ(result: Experiment) -> None:
    text = repr(result)
    assert re.search(r"^country +metric", text, re.MULTILINE)
    assert re.search(r"^NULL +revenue", text, re.MULTILINE)
    assert re.search(r"^revenue: the differences by country differ by more than chance", text, re.MULTILINE)
    assert "--format plain shows the slices of the other metrics" in text
    assert result.shown().markdown().count("| it's |") == 3
    assert [row["metric"] for row in result.to_dict()["heterogeneity"]] == METRICS


@pytest.mark.parametrize("format_", ["csv", "json", "parquet", "plain", "markdown"])
def test_files_have_the_slices(result: Experiment, tmp_path: Path, format_: str) -> None:
    path = tmp_path / f"out.{format_}"
    write_experiment(result, format_, path)
    if format_ == "parquet":
        assert pq.read_table(path).to_pylist() == list(result.rows)
    elif format_ == "json":
        assert json.loads(path.read_text("utf-8"))["rows"] == list(result.rows)
    else:
        assert path.read_text("utf-8").count("it's") == 3


def test_expressions_and_several_groupings(users: pd.DataFrame) -> None:
    decade = "age // 10 * 10 AS decade"
    both = ab(users, metrics="paid", by=[["country"], ["country", decade]], **OPTIONS)
    assert both.slicing_columns == ["country", "decade"]
    assert list(dict.fromkeys(row["slice"] for row in both.rows)) == ["", "country", "country,decade"]
    row = of_slice(both, "paid", country="US", decade="30")
    part = own(users, "US").query("30 <= age < 40")
    assert row["n"] == (part.variant == "B").sum()
    assert row["value"] == pytest.approx(part[part.variant == "B"].paid.mean())
    decades = [row["decade"] for row in both.rows if row["country"] == "DE" and row["decade"]]
    assert decades == ["10", "20", "30", "40", "50"]
    assert len(both.heterogeneity) == 2


def test_an_expression_of_the_unit_slices(users: pd.DataFrame) -> None:
    table = users.assign(who=users.index)
    found = ab(table, metrics="paid", by="who % 2 AS half", unit="who", per_unit="max", **OPTIONS)
    row = of_slice(found, "paid", half="1")
    assert row["n"] == ((users.index % 2 == 1) & (users.variant == "B")).sum()


def test_a_slice_without_a_variant_is_told(users: pd.DataFrame) -> None:
    """No unit of B, or of A, is in one slice each; both have few units."""
    users = users.assign(place=np.where(users.age < 20, users.variant, "elsewhere"))
    result = ab(users, metrics="revenue,paid,clicks/views", by="place", **OPTIONS)
    for metric in ("revenue", "paid", "clicks/views"):
        for place, missing in (("A", "B"), ("B", "A")):
            row = of_slice(result, metric, place=place)
            assert (row["verdict"], row["reason"]) == ("not tested", f"no unit of {missing} has a value")
    assert result.sliced == ()
    assert any(
        text.startswith("by place: in 2 of 3 slices, a variant has fewer than 30") for text in result.warnings
    )


def test_a_mean_stays_a_mean_where_a_slice_has_only_0_and_1(users: pd.DataFrame) -> None:
    users = users.assign(orders=np.where(users.country == "DE", users.paid, users.clicks))
    row = of_slice(ab(users, metrics="orders", by="country", **OPTIONS), "orders", country="DE")
    assert row["statistic"] == "welch_t"


def test_a_slice_that_the_experiment_changes_is_a_warning(users: pd.DataFrame) -> None:
    """More units of B are in the slice `new`, as if the treatment had moved them."""
    moved = np.where((users.variant == "B") & (users.age < 40), "new", "old")
    table = users.assign(kind=np.where(users.age < 25, "new", moved))
    counts = pd.crosstab(table.variant, table.kind)
    assert scipy.stats.chi2_contingency(counts, correction=False).pvalue < 0.001
    (warned,) = ab(table, metrics="paid", by="kind", **OPTIONS).warnings
    assert warned.startswith("by kind: the variants have other shares in some slices (p < 0.001)")
    assert ab(users, metrics="paid", by="country", **OPTIONS).warnings == ()


def test_slices_of_units_and_of_capped_values(users: pd.DataFrame) -> None:
    """The cap is that of all slices together."""
    rows = pd.concat([users, users.assign(revenue=users.revenue / 2)]).reset_index(names="who")
    options: dict[str, Any] = {"metrics": "revenue", "by": "country", "cap": {"revenue": "95%"}}
    by_rows = ab(rows, unit="who", **options, **OPTIONS)
    by_hand = ab(users.assign(revenue=users.revenue * 1.5), **options, **OPTIONS)
    for found, wanted in zip(by_rows.rows, by_hand.rows, strict=True):
        assert found["country"] == wanted["country"]
        assert found["p"] == pytest.approx(wanted["p"], rel=1e-9)
    assert len(by_rows.rows) == 5


def test_a_mismatch_withholds_the_slices_too(users: pd.DataFrame) -> None:
    shares = {"A": 0.8, "B": 0.2}
    result = ab(users, metrics="paid", by="country", shares=shares, **OPTIONS)
    assert {row["reason"] for row in result.rows} == {"sample ratio mismatch"}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"by": "contry"}, InputError, "no column 'contry' to slice by; did you mean 'country'?"),
        ({"by": "variant"}, MetricError, "by variant: variant is the variant itself; slice by what"),
        ({"by": "paid"}, MetricError, "by paid: paid is the column of a metric; slice by what was known"),
        ({"by": "paid AND age > 30 AS x"}, MetricError, "paid is the column of a metric"),
        ({"by": "who", "unit": "who"}, MetricError, "by who: who is the unit itself"),
        ({"by": "age AS paid"}, MetricError, "by paid: paid is the column of a metric"),
        ({"by": "who"}, InputError, "'who' has more than 50 slices; group its values, as in by='age // 10"),
        ({"by": "age AS value"}, InputError, "'value' is also a column of the results; give it another name"),
        ({"by": "age // 10"}, InputError, "no column 'age // 10' to slice by"),
        ({"by": "max(age) AS oldest"}, MetricError, "an aggregate in a slice"),
        ({"by": ["country", ["age"]]}, MetricError, "mixes columns and lists"),
        ({"by": 3}, MetricError, "by=3: is not a column"),
        ({"by": "country", "sequential": True}, UnsupportedError, "does not hold at every look"),
        ({"by": "age // 30 AS old", "unit": "pair"}, InputError, "'old' differs between the rows of"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_sliced_is_refused(
    users: pd.DataFrame, change: dict[str, Any], error: type, message: str
) -> None:
    table = users.assign(who=users.index, pair=users.index // 4)
    with pytest.raises(error) as caught:
        ab(table, **{"metrics": "paid", **OPTIONS, **change})
    assert message in str(caught.value)


def test_the_command_slices(
    users: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    users.to_parquet(tmp_path / "users.parquet")
    monkeypatch.chdir(tmp_path)
    run = Command(capsys)
    command = ("ab", "users.parquet", "--variant", "variant", "--control", "A", "-m", "paid")
    known = ab(users, metrics="paid", by="country", **OPTIONS)
    assert run(*command, "--by", "country").out == f"{known}\n"
    each = run(*command, "--by-each", "country", "--by-each", "age // 30 AS old", "--format", "csv").out
    assert len(each.splitlines()) == 1 + 1 + 4 + 2
