"""AUC is the same by every plan, for many rows and heavy weights; bins give bounds."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.engines import plans as plan_rules
from duckmetrics.engines.plans import GROUPED, PLAN, SORTED, planned, plans
from support.cases import CATALOG
from support.classification import PROBABILITIES, UNBOUNDED, open_together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

PLANNED = ["auc", "gini", *(f"gauc(average={a})" for a in ("impressions", "positives", "pairs", "uniform"))]
HUGE = 1.7976931348623157e308


# --- plans -----------------------------------------------------------------------------------------


def by_plan(
    monkeypatch: pytest.MonkeyPatch, plan: str, predictions: Any, **options: Any
) -> tuple[Evaluation, list[dict[str, Any]]]:
    """Evaluate with all pairs counted one way, whatever the engine would choose."""
    with monkeypatch.context() as patch:
        patch.setattr(plan_rules, "plans", lambda _, measures, *__: {m.text: {PLAN: plan} for m in measures})
        result = duckmetrics.evaluate(predictions, None, PLANNED, weighted=False, **options)
        return result, result.table("group_auc").to_pylist()


def random_rows(seed: int, n: int) -> pa.Table:
    """Return rows in two slices, with and without ties, and 50 groups."""
    chance = random.Random(seed)
    scores = [chance.choice([chance.random(), chance.randint(0, 30) / 30, -0.0, math.inf]) for _ in range(n)]
    return pa.table(
        {
            "label": [chance.random() < 0.3 for _ in range(n)],
            "score": scores,
            "group_id": [chance.randrange(50) for _ in range(n)],
            "name": [chance.choice("ab") for _ in range(n)],
        }
    )


@pytest.mark.some(1)
@pytest.mark.parametrize("source", [random_rows(1, 5000), PROBABILITIES, UNBOUNDED], ids=type)
@pytest.mark.parametrize("by", ["name", None])
def test_both_plans_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, source: Any, by: str | None) -> None:
    connection, table = None, source
    if isinstance(source, tuple):
        connection, table = open_together(source), "predictions"
    (one, groups), (other, same_groups) = (
        by_plan(monkeypatch, plan, table, connection=connection, by=by) for plan in (SORTED, GROUPED)
    )
    assert "rank()" in one.sql.lower()
    assert "rank()" not in other.sql.lower()
    assert groups == same_groups
    assert any(group["auc"] not in (None, 0.0, 0.5, 1.0) for group in groups)
    for row, same_row in zip(one.rows, other.rows, strict=True):
        if row["metric"].startswith("gauc"):  # the same groups, added up in another order
            row["value"] = same_row["value"] = pytest.approx(same_row["value"], abs=1e-15)
        assert row == same_row


@pytest.mark.some(0)
@pytest.mark.parametrize("cluster", ["group_id", None])
@pytest.mark.parametrize("by", [None, "name"])
def test_both_plans_give_the_same_intervals(
    monkeypatch: pytest.MonkeyPatch, cluster: str | None, by: str | None
) -> None:
    rows = random_rows(2, 2000)
    if cluster is None:
        rows = rows.drop_columns("group_id")
    found = []
    for plan in (SORTED, GROUPED):
        with monkeypatch.context() as patch:
            patch.setattr(
                plan_rules,
                "plans",
                lambda _, measures, *__, plan=plan: {m.text: {PLAN: plan} for m in measures},
            )
            options: dict[str, Any] = {"interval": 0.9, "cluster": cluster, "by": by}
            found.append(duckmetrics.evaluate(rows, None, ["auc", "gini"], weighted=False, **options).rows)
    for row, same in zip(*found, strict=True):
        assert row["lower"] is not None
        for column in ("value", "lower", "upper", "n_units", "n_effective"):
            assert row[column] == pytest.approx(same[column], rel=1e-12)


# --- the choice of the plan ------------------------------------------------------------------------


def chosen(specs: Sequence[str], weighted: bool = False, distinct: Any = None) -> dict[str, str]:
    measures = [parse_measure(CATALOG, spec).bound(weighted=weighted) for spec in specs]
    found = plans(CATALOG, measures, distinct)
    return {text: str(values[PLAN]) for text, values in found.items()}


def test_the_plan_follows_the_rows() -> None:
    """Many distinct scores and groups are sorted; weights, bins and shared steps are grouped."""
    many, few, repeated = (500_000, 2_000_000), (50_000, 60_000), (200_000, 100_000_000)
    assert chosen(["auc"], distinct=many) == {"auc": SORTED}
    assert chosen(["auc"], distinct=few) == {"auc": GROUPED}
    assert chosen(["auc"], distinct=repeated) == {"auc": GROUPED}
    assert chosen(["auc"], weighted=True, distinct=many) == {"auc": GROUPED}
    assert chosen(["auc(approx=100)"], distinct=many) == {"auc(approx=100)": GROUPED}
    assert chosen(["auc", "ks"], distinct=many)["auc"] == GROUPED
    assert chosen(["auc", "log_loss"], distinct=many)["auc"] == SORTED
    assert chosen(["gauc"], distinct=few) == {"gauc": SORTED}
    assert chosen(["gauc"], weighted=True) == {"gauc": GROUPED}


def test_a_plan_is_chosen_for_what_counts_pairs() -> None:
    specs = (*PLANNED, "ks", "log_loss", "auc_pairwise")
    measures = [parse_measure(CATALOG, spec, {}, lambda: "classification") for spec in specs]
    assert [planned(CATALOG, measure) for measure in measures] == [True] * len(PLANNED) + [False] * 3


def test_many_distinct_scores_are_sorted_and_few_are_grouped() -> None:
    """The engine counts distinct scores; 120,000 are more than it groups."""
    for n, plan in ((120_000, True), (1000, False)):
        rows = f"SELECT i % 7 = 0 AS label, i AS score FROM range({n}) AS _(i)"
        result = duckmetrics.evaluate(rows, None, "auc")
        assert ("rank()" in result.sql.lower()) == plan
        positives = range(0, n, 7)
        p = len(positives)
        won = sum(positives) - p * (p - 1) // 2
        assert result["auc"] == float(Fraction(won, p * (n - p)))


# --- many rows -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("plan", [SORTED, GROUPED])
def test_one_positive_in_a_million_rows(monkeypatch: pytest.MonkeyPatch, plan: str) -> None:
    """The positive is above 777,777 rows and tied with none, or, reversed, below them."""
    monkeypatch.setattr(
        plan_rules, "plans", lambda _, measures, *__: {m.text: {PLAN: plan} for m in measures}
    )
    rows = "SELECT i = 777777 AS label, i * 1e-7 AS score FROM range(1000000) AS _(i)"
    result = duckmetrics.evaluate(rows, None, ["auc", "gini"])
    assert result["auc"] == float(Fraction(777_777, 999_999))
    turned = "SELECT i <> 777777 AS label, i * 1e-7 AS score FROM range(1000000) AS _(i)"
    assert duckmetrics.evaluate(turned, None, "auc")["auc"] == float(Fraction(222_222, 999_999))
    assert (result.rows[0]["n"], result.rows[0]["n_positive"]) == (1_000_000, 1)


def test_weights_in_the_billions_do_not_overflow() -> None:
    """5e9 positives and 5e9 negatives make 2.5e19 pairs, more than 64 bits hold."""
    rows = [(1, 0.9, 4e9), (0, 0.9, 1e9), (1, 0.2, 1e9), (0, 0.1, 4e9)]
    table = pa.table(dict(zip(("label", "score", "weight"), zip(*rows, strict=True), strict=True)))
    result = duckmetrics.evaluate(table, None, ["auc", "auc_pairwise", "gini", "ks", "average_precision"])
    expected = Fraction(4 * 4 + 1 * 4, 25) + Fraction(4, 50)
    assert result["auc"] == result["auc_pairwise"] == float(expected)
    assert result["gini"] == pytest.approx(float(2 * expected - 1), abs=1e-15)
    assert result["ks"] == 0.8
    assert result["average_precision"] == pytest.approx(0.8 * 4 / 5 + 0.2 * 5 / 6, abs=1e-15)
    area = result.table("roc_curve").to_pylist()[-1]["area"]
    assert area == float(expected)


def test_as_many_rows_as_a_count_of_32_bits_cannot_pair() -> None:
    """144,720 rows overflow the pairs of other tools: pROC issue 19."""
    rows = "SELECT i % 2 AS label, (i % 2) + i % 3 AS score FROM range(144720) AS _(i)"
    pairs = list(itertools.product((1, 2, 3), (0, 1, 2)))
    expected = sum((p > n) + (p == n) / 2 for p, n in pairs) / len(pairs)
    assert duckmetrics.evaluate(rows, None, "auc")["auc"] == pytest.approx(expected, abs=1e-15)


# --- bins ------------------------------------------------------------------------------------------

HOSTILE: dict[str, list[float]] = {
    "infinite": [-math.inf, math.inf, -math.inf, math.inf, 0.0, 1.0, math.inf],
    "only infinite": [-math.inf, math.inf, math.inf, -math.inf, math.inf],
    "huge": [HUGE, -HUGE, HUGE / 2, 0.0, 1.0, -1.0, -HUGE / 3, HUGE],
    "huge and one": [HUGE, 1.0, 2.0, 3.0, 2.0, 1.0],
    "denormal": [5e-324, 1e-323, 0.0, -5e-324, 1.5e-323, 0.0, 5e-324],
    "denormal and infinite": [5e-324, math.inf, 0.0, -math.inf, 1e-323],
    "equal": [0.7] * 6,
    "equal and infinite": [3.0, 3.0, math.inf, -math.inf, 3.0, 3.0],
    "zeros": [0.0, -0.0, 0.0, -0.0, 0.0],
    "neighbours": [1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0), 1.0, 1.0000000000000004],
    "edges": [i / 10 for i in range(11)] * 2,
    "skewed": [1e-9 * i for i in range(20)] + [1.0],
}
BINS = (2, 3, 7, 1000)


def test_the_exact_value_lies_within_the_bounds() -> None:
    columns: dict[str, list[Any]] = {"label": [], "score": [], "weight": [], "name": []}
    for (name, scores), seed in itertools.product(HOSTILE.items(), range(3)):
        chance = random.Random(f"{name} {seed}")
        labels = [0.0, 1.0, *(float(chance.random() < 0.5) for _ in scores[2:])]
        columns["label"] += chance.sample(labels, len(labels))
        columns["score"] += scores
        columns["weight"] += [chance.choice([0.5, 1.0, 3.0]) for _ in scores]
        columns["name"] += [f"{name} {seed}"] * len(scores)
    specs = ["auc", *(f"auc(approx={bins})" for bins in BINS)]
    result = duckmetrics.evaluate(pa.table(columns), None, specs, by="name")
    exact = {row["name"]: row["value"] for row in result.rows if row["metric"] == "auc"}
    assert len(exact) == 3 * len(HOSTILE) + 1
    assert None not in exact.values()
    for row in result.rows:
        if row["metric"] == "auc":
            assert (row["lower"], row["upper"]) == (None, None)
            continue
        about = (row["name"], row["metric"])
        assert 0 <= row["lower"] <= row["value"] <= row["upper"] <= 1, about
        assert row["lower"] <= exact[row["name"]] <= row["upper"], about
        assert row["value"] == pytest.approx((row["lower"] + row["upper"]) / 2, abs=1e-15), about


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.floats(allow_nan=False),
            st.sampled_from([0.25, 1.0, 3.0]),
            st.sampled_from("ab"),
        ),
        min_size=2,
        max_size=40,
    ),
    st.integers(2, 50),
)
def test_any_scores_lie_within_the_bounds(rows: list[Any], bins: int) -> None:
    rows = [*rows, (True, 0.0, 1.0, "a"), (False, 1.0, 1.0, "a")]
    table = pa.table(dict(zip(("label", "score", "weight", "name"), zip(*rows, strict=True), strict=True)))
    spec = f"auc(approx={bins})"
    result = duckmetrics.evaluate(table, None, ["auc", "auc_pairwise", spec], by="name")
    for exact, pairwise, row in zip(*(iter(result.rows),) * 3, strict=True):
        if exact["value"] is None:
            assert row["value"] is row["lower"] is row["upper"] is None
            continue
        assert exact["value"] == pytest.approx(pairwise["value"], abs=1e-15)
        assert row["lower"] <= exact["value"] <= row["upper"]


def test_more_bins_bound_closer() -> None:
    chance = random.Random(5)
    scores = [chance.random() for _ in range(2000)]
    table = pa.table({"label": [chance.random() < s for s in scores], "score": scores})
    specs = [f"auc(approx={bins})" for bins in (10, 100, 1000, 10_000)]
    result = duckmetrics.evaluate(table, None, [*specs, "auc"])
    widths = [row["upper"] - row["lower"] for row in result.rows[:4]]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 0.01 > 0.001 > widths[2]
    for row in result.rows[:4]:
        assert row["lower"] <= result["auc"] <= row["upper"]


def test_bins_of_slices_are_their_own() -> None:
    """The bins divide the range of each slice, not the range of all rows."""
    rows = """SELECT * FROM (VALUES (0, 0.0, 'a'), (1, 1.0, 'a'), (0, 2.0, 'a'), (1, 3.0, 'a'),
        (0, 1000.0, 'b'), (1, 2000.0, 'b')) AS _(label, score, name)"""
    result = duckmetrics.evaluate(rows, None, ["auc(approx=4)"], by="name")
    bounds = {row["name"]: (row["lower"], row["upper"]) for row in result.rows}
    assert bounds["a"] == (0.75, 0.75)
    assert bounds["b"] == (1.0, 1.0)
    assert bounds[None][0] < bounds[None][1]
