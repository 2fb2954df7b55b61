"""Properties of classifier metrics on any rows: symmetries, sums, and invariances."""

from __future__ import annotations

import math
import random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import duckmetrics
from support.classification import PLAIN, same

# Exact in doubles, and so are 1 - s, s^3 and (s + 1) / 2; few values, so they tie.
SCORES = [i / 64 for i in (0, 1, 16, 31, 32, 33, 48, 63, 64)]
LOG_LOSS = f"log_loss(eps={2**-20})"  # so that 1 - eps is exact
SPECS = [
    "auc", "auc_pairwise", "gini", "ks", "classification.average_precision", "partial_auc(max_fpr=0.25)",
    "lift(top=0.25)", "max_f1", "gauc", "base_rate", "brier", "ece", "mce", "ace", LOG_LOSS,
]  # fmt: skip
# These depend on the order of the scores only.
OF_THE_ORDER = SPECS[: SPECS.index("base_rate")]
# Changes to (label, score, weight); each variant is a system of one table.
VARIANTS: dict[str, Any] = {
    "as it is": lambda y, s, w: (y, s, w),
    "turned": lambda y, s, w: (y, 1 - s, w),
    "cubed": lambda y, s, w: (y, s**3, w),
    "squeezed": lambda y, s, w: (y, (s + 1) / 2, w),
    "exchanged": lambda y, s, w: (1 - y, 1 - s, w),
    "heavier": lambda y, s, w: (y, s, 1024 * w),
}
# A call costs more than its rows, so each example is several: the countries are slices.
rows = st.lists(
    st.tuples(
        st.sampled_from([0, 1]), st.sampled_from(SCORES), st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0]),
        st.sampled_from("abc"), st.sampled_from(["DE", "FR", "JP", "MX", "US", None]),
    ),
    min_size=1,
    max_size=60,
)  # fmt: skip
NAMES = ("label", "score", "weight", "group_id", "country")


def variants(given_rows: list[Any]) -> pa.Table:
    columns: dict[str, list[Any]] = {name: [] for name in (*NAMES, "variant")}
    for variant, change in VARIANTS.items():
        for label, score, weight, *rest in given_rows:
            values = (*change(label, score, weight), *rest, variant)
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    return pa.table(columns)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(rows)
@example([(1, 0.5, 1.0, "a", "DE"), (0, 0.5, 1.0, "a", None)])
@example([(1, 0.25, 0.0, "a", "DE")])
def test_symmetries_and_sums(given_rows: list[Any]) -> None:
    result = duckmetrics.evaluate(variants(given_rows), None, SPECS, system="variant", by="country")
    values: dict[Any, dict[str, Any]] = {}
    for row in result.rows:
        values.setdefault((row["slice"], row["country"], row["system"]), {})[row["metric"]] = row
    for (slice_, country, system), found in values.items():
        if system != "as it is":
            continue
        other = {name: values[slice_, country, name] for name in VARIANTS}
        inequalities(found)
        for spec, row in found.items():
            for name in ("cubed", "squeezed", "heavier") if spec in OF_THE_ORDER else ("heavier",):
                assert same(other[name][spec]["value"], row["value"]), (spec, name)
        area = found["auc"]["value"]
        if area is not None:
            assert same(other["turned"]["auc"]["value"], 1 - area)
            assert same(other["exchanged"]["auc"]["value"], area)
            assert same(found["gini"]["value"], 2 * area - 1)
            assert same(found["auc_pairwise"]["value"], area)
        for spec in ("brier", LOG_LOSS, "ks"):
            assert same(other["exchanged"][spec]["value"], found[spec]["value"]), spec
    for spec in SPECS:
        whole = values["", None, "as it is"][spec]
        parts = [found[spec] for (slice_, _, system), found in values.items()
                 if slice_ == "country" and system == "as it is"]  # fmt: skip
        for count in ("n", "n_positive"):
            assert whole[count] == sum(part[count] for part in parts), (spec, count)


def inequalities(found: dict[str, Any]) -> None:
    value = {spec: row["value"] for spec, row in found.items()}
    if value["ece"] is not None:
        assert value["ece"] <= value["mce"] + 1e-15
        assert value["ace"] <= value["mce"] + 1e-15
        assert value["brier"] <= value[LOG_LOSS] + 1e-15
    if value["ks"] is not None:
        # The curve is somewhere this far above or below the diagonal.
        assert abs(value["gini"]) <= value["ks"] * (2 - value["ks"]) + 1e-12


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(rows, st.integers(2, 6))
@example([(1, 0.5, 1.0, "a", None), (0, 0.25, 1.0, "a", None), (0, 0.25, 0.0, "a", "DE")], 2)
def test_tables_add_up(given_rows: list[Any], points: int) -> None:
    table = pa.table(dict(zip(NAMES, zip(*given_rows, strict=True), strict=True)))
    precision = "classification.average_precision"
    result = duckmetrics.evaluate(table, None, ["auc", "brier", precision], by="country")
    tables = {
        spec: by_slice(result.table(spec))
        for spec in ("roc_curve", "pr_curve", f"roc_curve(points={points})", f"pr_curve(points={points})",
                     "calibration_curve", "brier_decomposition", "brier_decomposition(bins=3, binning=mass)")
    }  # fmt: skip
    for row in result.rows:
        slice_, metric = (row["slice"], row["country"]), row["metric"]
        found = {spec: rows_of.get(slice_, []) for spec, rows_of in tables.items()}
        if metric == "brier":
            bins = found["calibration_curve"]
            assert sum(part["n"] for part in bins) == row["n"]
            assert len(bins) == (10 if row["n"] else 0)
            brier_parts(found["brier_decomposition"], row["value"])
            brier_parts(found["brier_decomposition(bins=3, binning=mass)"], row["value"])
            continue
        name = "roc_curve" if metric == "auc" else "pr_curve"
        whole, thin = found[name], found[f"{name}(points={points})"]
        assert same(whole[-1]["area"] if whole else None, row["value"]), name
        assert len(thin) == len(whole) if len(whole) <= points else len(thin) <= points
        assert [point for point in whole if point in thin] == thin
        assert not whole or (thin[0], thin[-1]) == (whole[0], whole[-1])


def by_slice(table: pa.Table) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        found.setdefault((row["slice"], row["country"]), []).append(row)
    return found


def brier_parts(rows_of: list[dict[str, Any]], brier: float | None) -> None:
    assert len(rows_of) == (brier is not None)
    for row in rows_of:
        whole = row["reliability"] - row["resolution"] + row["uncertainty"]
        whole += row["within_variance"] - row["within_covariance"]
        assert same(row["brier"], whole)
        assert same(row["brier"], brier)
        assert all(row[name] >= -1e-15 for name in ("reliability", "resolution", "within_variance"))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.floats(allow_nan=False)), min_size=1, max_size=12),
)
def test_any_number_is_a_score(given_rows: list[Any]) -> None:
    """Equal scores tie and others do not, even if infinite, denormal or next to each other."""
    table = pa.table({"label": [y for y, _ in given_rows], "score": [s for _, s in given_rows]})
    found = duckmetrics.evaluate(table, None, "auc")["auc"]
    pairs = [(p, n) for y, p in given_rows for z, n in given_rows if y and not z]
    won = math.fsum((p > n) + (p == n) / 2 for p, n in pairs)
    assert same(found, won / len(pairs) if pairs else None)


# --- invariances -----------------------------------------------------------------------------------


def big_table(seed: int, n: int = 20_000) -> pa.Table:
    chance = random.Random(seed)
    scores = [chance.choice([chance.random(), chance.randint(0, 50) / 50]) for _ in range(n)]
    return pa.table(
        {
            "label": [int(chance.random() < s) for s in scores],
            "score": scores,
            "weight": [chance.random() for _ in range(n)],
            "group_id": [chance.randrange(n // 20) for _ in range(n)],
        }
    )


@pytest.mark.slow
def test_row_order_and_threads_change_nothing(tmp_path: Any) -> None:
    specs = [spec for spec in PLAIN if "pairwise" not in spec]
    table = big_table(3)
    order = random.Random(1).sample(range(table.num_rows), table.num_rows)
    path = tmp_path / "rows.parquet"
    with duckdb.connect() as connection:
        connection.register("frame", table)
        connection.execute(f"COPY frame TO '{path}' (ROW_GROUP_SIZE 2048)")
    expected = duckmetrics.evaluate(table, None, specs, threads=1)
    others = {
        "row order": duckmetrics.evaluate(table.take(order), None, specs, threads=1),
        "threads": duckmetrics.evaluate(path, None, specs, threads=4),
    }
    for about, other in others.items():
        for row, found in zip(expected.rows, other.rows, strict=True):
            assert same(found["value"], row["value"], 1e-11), (about, row["metric"])
            assert {**found, "value": None} == {**row, "value": None}


@pytest.mark.slow
def test_a_row_of_weight_zero_is_not_there() -> None:
    """The columns that count every row as one are an exception."""
    specs = [spec for spec in PLAIN if not any(name in spec for name in ("hosmer", "spiegelhalter"))]
    table = big_table(4, 300)
    ghosts = pa.table(
        {
            "label": [0, 1, 0, 1],
            "score": [0.999, 0.001, 0.5, 0.123],
            "weight": [0.0] * 4,
            "group_id": [10**6, 10**6, 1, 10**6 + 1],
        }
    )
    expected = duckmetrics.evaluate(table, None, specs)
    found = duckmetrics.evaluate(pa.concat_tables([ghosts, table]), None, specs)
    for row, other in zip(expected.rows, found.rows, strict=True):
        assert same(other["value"], row["value"]), row["metric"]
        assert {**other, "value": None} == {**row, "value": None}
    for name in (
        "roc_curve",
        "calibration_curve(binning=mass)",
        "group_auc",
        "gains_curve",
        "score_histogram",
    ):
        for row, other in zip(expected.table(name).to_pylist(), found.table(name).to_pylist(), strict=True):
            assert all(same(other[column], value) for column, value in row.items()), name


@pytest.mark.parametrize("constant", [0.0, 0.3, 1.0])
def test_scores_that_are_all_equal_say_nothing(constant: float) -> None:
    rows = f"SELECT i % 4 = 0 AS label, {constant}::DOUBLE AS score FROM range(1000) AS _(i)"
    specs = [
        "auc",
        "gini",
        "ks",
        "classification.average_precision",
        "lift(top=0.1)",
        "partial_auc(max_fpr=0.1)",
    ]
    result = duckmetrics.evaluate(rows, None, specs)
    assert [result[spec] for spec in specs] == [0.5, 0.0, 0.0, 0.25, pytest.approx(1), pytest.approx(0.5)]
