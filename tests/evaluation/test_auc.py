"""AUC is the same by every plan, for many rows and heavy weights; bins give bounds."""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.engine import Feature
from duckmetrics.large_tables import numbered_scores
from duckmetrics.summaries import plans as plan_rules
from duckmetrics.summaries.plans import GROUPED, PLAN, SORTED, planned, plans
from support.cases import CATALOG
from support.classification import PROBABILITIES, UNBOUNDED, open_together
from support.footers import write_with_wrong_ends

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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


@pytest.mark.some(1)
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


# --- whole numbers in place of scores --------------------------------------------------------------

# The scores of 2,000 rows; i is the number of the row, r a number from 0 to 1, about the same for some rows.
SCORES = {
    "of 52 bits": "r",
    "of 23 bits": "CAST(r AS FLOAT)",
    "logits": "(r - 0.5) * 40",
    "tied": "CAST(floor(r * 40) / 40 AS DOUBLE)",
    "equal": "0.25e0",
    "rounded": "CASE WHEN i = 7 THEN 1e0 ELSE 0.001e0 + i % 9 * 1e-19 END",
    "zero with a sign": "CASE WHEN i % 3 = 0 THEN 0e0 WHEN i % 5 = 0 THEN -0e0 ELSE (r - 0.5) * 1e-18 END",
    "below and above one": "CASE WHEN i = 7 THEN 1e9 ELSE (i % 50) * 5e-324 END",
    "without a scale": "(i % 50) * 5e-324",
    "large": "(r - 0.5) * 1.7e308",
    "of many sizes": "power(10e0, r * -300)",
}
ROWS = """
SELECT {label} AS label, {score} AS score
FROM (SELECT i, i * 7919 % 2003 / 2003e0 AS r FROM range(2000) AS rows(i))"""
LABELS = {"0 and 1": "CAST(i * i % 7 < 2 AS INT)", "-1 and 1": "if(i % 11 < 5, 1, -1)", "1": "1"}


def numbered(
    monkeypatch: pytest.MonkeyPatch, table: Any, fewest_rows: int, **options: Any
) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Evaluate rows that are all sorted; return the results, and whether they come from whole numbers."""
    monkeypatch.setattr(numbered_scores, "FEWEST_ROWS", fewest_rows)
    monkeypatch.setattr(DuckDBEngine, "features", DuckDBEngine.features | {Feature.NUMBER_SORTS})
    in_order = {"auc": {PLAN: SORTED}, "gini": {PLAN: SORTED}}
    monkeypatch.setattr(plan_rules, "plans", lambda *_: in_order)
    result = duckmetrics.evaluate(table, None, ["auc", "gini"], **options)
    return result.rows, "placed_numbers" in result.sql


@pytest.mark.some(4)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("scores", SCORES)
def test_numbers_in_place_of_scores_change_nothing(
    scores: str, labels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ROWS.format(score=SCORES[scores], label=LABELS[labels])
    (rows, by_numbers), (same, by_ranks) = (numbered(monkeypatch, table, n) for n in (1, 10**9))
    assert (by_numbers, by_ranks) == (scores != "without a scale", False)
    assert rows == same
    observations = duckdb.sql(table).fetchall()
    positives, negatives = ([s for label, s in observations if (label > 0) == one] for one in (True, False))
    if negatives:
        negatives.sort()
        won = sum(bisect_left(negatives, score) + bisect_right(negatives, score) for score in positives)
        assert rows[0]["value"] == won / 2 / (len(positives) * len(negatives))
    else:
        assert rows[0]["value"] is None


@pytest.mark.parametrize(
    ("most", "least"), [(2.0, 1.0), (1.5, 1.0), (0.001, 0.0005), (8.0, -16.0), (1e300, -1.0)]
)
def test_wrong_statistics_of_a_file_change_no_auc(
    most: float, least: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = [1 + i * 7919 % 2003 / 2002 for i in range(2003)]
    table = pa.table({"label": [i * i % 7 < 2 for i in range(2003)], "score": scores})
    write_with_wrong_ends(table, tmp_path / "rows.parquet", {2.0: most, 1.0: least})
    found, by_numbers = numbered(monkeypatch, tmp_path / "rows.parquet", 1)
    assert by_numbers
    assert found == numbered(monkeypatch, table, 10**9)[0]


@pytest.mark.parametrize(
    "options",
    [
        {"by": "part", "weighted": False},
        {"system": "part", "weighted": False},
        {"cluster": "part", "interval": 0.9, "weighted": False},
    ],
    ids=str,
)
def test_rows_that_have_no_numbers(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "i % 2 AS label, i * 7 % 31 / 7e0 AS score, i % 3 AS part, 1 + i % 4 AS weight"
    table = f"SELECT {columns} FROM range(90) rows(i)"
    (rows, by_numbers), (same, _) = (numbered(monkeypatch, table, n, **options) for n in (1, 10**9))
    assert not by_numbers
    assert rows == same


@pytest.mark.slow
@pytest.mark.parametrize("digits", [2, 4, 15])
def test_numbers_are_stored_by_many_threads(digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = f"SELECT i % 13 < 3 AS label, round(sin(i * i), {digits}) AS score FROM range(700_000) t(i)"
    found = []
    for fewest_rows in (1, 10**9):
        with duckdb.connect() as connection:
            connection.execute("SET threads = 8; SET preserve_insertion_order = false")
            connection.execute(f"CREATE TABLE clicks AS {rows}")
            found.append(numbered(monkeypatch, "clicks", fewest_rows, connection=connection))
    assert found[0][0] == found[1][0]
    assert [by_numbers for _, by_numbers in found] == [True, False]


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
