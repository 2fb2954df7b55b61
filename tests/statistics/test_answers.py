"""The files under sql/answers: their rules, written here again in plain Python, over random rows."""

from __future__ import annotations

import math
import random
import re
from statistics import NormalDist
from typing import Any

import duckdb
import pytest

from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.statistics.answers import OF_EXPERIMENT, REASON, VERDICT, answers
from support.cases import CATALOG, ROOT

ANSWERS = sorted(path.stem for path in (ROOT / "sql/answers").glob("*.sql"))


def improvement(row: dict[str, Any]) -> float | None:
    """Return how much better a value is; of values near a target, only if the data show which is nearer."""
    if row["better"] in ("higher", "lower"):
        sign = 1 if row["better"] == "higher" else -1
        return None if row["delta"] is None else sign * row["delta"]
    value, base, delta, target = (row[name] for name in ("value", "base", "delta", "target"))
    if None in (value, base, delta, target):
        return None
    end = "lower" if value + base > 2 * target else "upper"
    ends = row[end], row[f"base_{end}"]
    if None in ends:
        return None
    normal = NormalDist()
    wider = -normal.inv_cdf(row["alpha"] / row["n_tests"] / 2) / normal.inv_cdf((1 + row["level"]) / 2)
    if abs(value + base - 2 * target) <= wider * (abs(value - ends[0]) + abs(base - ends[1])):
        return None
    return float(abs(value - delta - target) - abs(value - target))


def verdict(row: dict[str, Any]) -> str:
    """Return the verdict of a row."""
    if row["is_baseline"]:
        return "baseline"
    if row["p_adjusted"] is None:
        return "not tested"
    if row["p_adjusted"] >= row["alpha"] or (row["of_means"] and not row["delta"]):
        return "unclear"
    gained = improvement(row)
    if gained is None:
        return "different"
    wins = None if None in (row["wins"], row["losses"]) else row["wins"] - row["losses"]
    if not row["of_means"] and wins is not None and gained * wins <= 0:
        return "different"
    return "better" if gained > 0 else "worse"


def a_row(chance: random.Random) -> dict[str, Any]:
    value, base = chance.choice([0.0, 0.5, chance.random()]), chance.choice([0.5, chance.random(), None])
    missing = (None,) * chance.choice([0, 0, 1])
    return {
        "is_baseline": chance.random() < 0.1, "of_means": chance.random() < 0.6,
        "better": chance.choice(["higher", "lower", "target", None]),
        "target": chance.choice([0.5, None, 1.0]),
        "value": chance.choice([value, *missing]), "base": base,
        "delta": chance.choice([0.0, None if base is None else value - base]),
        "lower": chance.choice([value - 0.01, *missing]), "upper": value + 0.02,
        "base_lower": None if base is None else base - 0.015, "base_upper": chance.choice([0.9, None]),
        "p_adjusted": chance.choice([None, 0.05, 0.0499, 1e-300, 1.0]), "alpha": 0.05, "level": 0.95,
        "n_tests": chance.choice([1, 2, 40]), "wins": chance.choice([None, 0, 3]),
        "losses": chance.choice([None, 3, 9]),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_follow_the_rules(seed: int) -> None:
    chance = random.Random(seed)
    rows = [a_row(chance) for _ in range(1000)]
    found = [row["verdict"] for row in answers(CATALOG, DuckDBEngine(), VERDICT, rows)]
    assert found == [verdict(row) for row in rows]
    assert set(found) == {"baseline", "not tested", "unclear", "different", "better", "worse"}


USUAL = {
    "p": None, "reason": None, "is_constant": False, "relative_change": 0.1, "value": 0.5, "has_base": True,
    "base_value": 0.4, "base_reason": None, "without": None, "units": "queries", "n_units": 9,
    "n_effective": 9.0, "is_sum": False,
}  # fmt: skip
REASONS: list[tuple[dict[str, Any], str | None]] = [
    ({"p": 0.01}, None),
    ({"p": 0.01, "relative_change": None}, "the baseline is 0, so there is no relative change"),
    (
        {"p": 0.01, "reason": "a", "is_constant": True, "relative_change": None},
        "a; all differences are equal; p is that of the sign test; the baseline is 0, so there is no "
        "relative change",
    ),
    ({"value": None}, "it has no value"),
    ({"value": None, "reason": "no query has a value"}, "no query has a value"),
    ({"has_base": False, "base_value": None}, "the baseline has no row in this slice"),
    ({"base_value": None}, "the baseline has no value"),
    ({"base_value": None, "base_reason": "b"}, "the baseline has no value: b"),
    ({"without": "it has no test"}, "it has no test"),
    (
        {"n_effective": 1.5, "units": "clusters of u"},
        "the clusters of u are worth fewer than two of equal weight",
    ),
    (
        {"is_sum": True, "units": "clusters of u"},
        "no more than one unit of the clusters of u has rows that it depends on",
    ),
    ({"n_units": 1}, "only one query has a value in both"),
    ({"n_units": 1, "units": "clusters of clusters"}, "only one cluster of clusters has a value in both"),
    ({"n_units": 0}, "no queries have a value in both"),
    ({"n_units": 0, "units": "clusters of u"}, "no clusters of u have a value in both"),
]  # fmt: skip


def test_the_first_reason_is_told() -> None:
    found = answers(CATALOG, DuckDBEngine(), REASON, [USUAL | case for case, _ in REASONS])
    assert [row["verdict_reason"] for row in found] == [why for _, why in REASONS]


A_TEST = {"control": "it's A", "variant": "B", "n_control": 9, "n": 8, "better": "lower", "of_means": True}
EXPERIMENTS: list[tuple[dict[str, Any], str | None]] = [
    ({"p": 0.5}, None),
    ({"p": 0.5, "withheld": "2 units are in several variants"}, "2 units are in several variants"),
    ({"n_control": 0, "n": 0}, "no unit of it's A has a value"),
    ({"n_control": 1, "n": 0}, "no unit of B has a value"),
    ({"n_control": 1, "n": 1}, "only one unit of it's A has a value"),
    ({"n": 1, "denominator": "sessions"}, "only one unit of B has a value"),
    ({"denominator": "sessions"}, "the sum of sessions is 0, or one unit has all of it"),
    ({"q": 0.99, "delta_lower": -1.0}, "too few units for this quantile: a bound is beyond the values"),
    ({"q": 0.99, "delta_upper": 1.0}, "too few units for this quantile: a bound is beyond the values"),
    ({"q": 0.5, "delta_lower": 1.0, "delta_upper": 1.0},
     "the values near the quantile are all equal; compare a mean or a share"),
    ({}, "the values do not vary within the variants"),
]  # fmt: skip


def test_an_experiment_says_why() -> None:
    found = answers(CATALOG, DuckDBEngine(), OF_EXPERIMENT, [A_TEST | case for case, _ in EXPERIMENTS])
    assert [row["experiment_reason"] for row in found] == [why for _, why in EXPERIMENTS]


def test_no_rows_have_no_answers() -> None:
    assert answers(CATALOG, DuckDBEngine(), VERDICT, []) == []


@pytest.mark.parametrize("name", ANSWERS)
def test_an_example_holds_and_the_file_runs_as_it_stands(name: str) -> None:
    definition = CATALOG.functions[name]
    assert {"title", "formula", "oracle", "example"} <= definition.header.keys()
    call, wanted = re.split(r"\) =\s+", definition.header["example"])
    with duckdb.connect() as connection:
        for quantile in ("normal_quantile",):
            connection.execute(f"CREATE MACRO {quantile}(p) AS CASE p WHEN 0.975 THEN 1.96 ELSE 2 END")
        arguments = call.partition("(")[2]
        values = connection.execute(f"SELECT {arguments}").fetchone()
        assert values is not None
        bound = dict(zip(definition.own_params, values, strict=True))
        found = connection.execute(definition.text, bound).fetchone()
        (expected,) = connection.execute(f"SELECT {wanted}").fetchall()[0]
    assert found is not None
    if isinstance(expected, str):
        assert found[0] == expected
    else:
        assert math.isclose(found[0], float(expected), rel_tol=1e-12)
