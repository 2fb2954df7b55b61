"""No p depends on the unit of the values: values in cents give the same p as values in euros."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics import run_test
from duckmetrics.engines.duckdb import DuckDBEngine
from support.cases import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator

# Columns that have a unit, by input.
VALUES = {
    "per_query": ("value",), "observations": ("value",), "arm_values": ("value",),
    "adjusted": ("value", "covariate"), "ratios": ("numerator", "denominator"), "scores": ("score",),
}  # fmt: skip
TESTS = [
    name for name, definition in CATALOG.statistics.items()
    if {*definition.inputs} & VALUES.keys() and "p" in definition.query.named_selects and name != "mcnemar"
]  # fmt: skip
FEW = {"resamples": 300}
FACTORS = (1e-9, 1e6, 1e8)


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine()
    yield engine
    engine.release()


def made(table: str, seed: int, factor: float) -> str:
    """Return few values, with ties, so that a tolerance matters."""
    source = random.Random(seed)
    rows = []
    for system in "ABC":
        for unit in range(9):
            value, other = source.choice([0.1, 0.2, 0.3, 0.7]), source.choice([0.1, 0.3, 0.9])
            rows.append((system, unit, value + 0.1 * "ABC".index(system), other, source.randrange(2)))
    values = ", ".join(f"('{s}', {u}, {v!r}::DOUBLE, {o!r}::DOUBLE, {label})" for s, u, v, o, label in rows)
    columns = {
        "per_query": f"s AS system, 'm' AS metric, u AS query_id, v * {factor} AS value",
        "observations": f"s AS arm, v * {factor} AS value",
        "arm_values": f"s AS arm, v * {factor} AS value, u // 2 AS cluster_id",
        "adjusted": f"s AS arm, v * {factor} AS value, o * {factor} AS covariate",
        "ratios": f"s AS arm, v * {factor} AS numerator, o * {factor} AS denominator",
        "scores": f"s AS system, u AS row_id, l AS label, v * {factor} AS score",
    }
    return f"SELECT {columns[table]} FROM (VALUES {values}) AS t(s, u, v, o, l)"


def p_values(engine: DuckDBEngine, name: str, seed: int, factor: float, **more: Any) -> list[Any]:
    definition = CATALOG.statistics[name]
    (table,) = definition.inputs
    own = definition.own_params
    given = {key: "A" for key in ("baseline", "control") if key in own}
    given |= FEW if "resamples" in own else {}
    found = run_test(name, made(table, seed, factor), connection=engine, **given, **more)
    counted = ("p", "wins", "ties", "losses", "w_plus", "effect_size", "relative_change")
    return [{n: row[n] for n in counted if row.get(n) is not None} for row in found.rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_no_p_depends_on_the_unit(engine: DuckDBEngine, name: str) -> None:
    methods = ("studentized", "percentile") if name == "paired_bootstrap" else (None,)
    for method in methods:
        more = {} if method is None else {"method": method}
        usual = p_values(engine, name, 1, 1.0, **more)
        assert usual
        for factor in FACTORS:
            for row, same in zip(p_values(engine, name, 1, factor, **more), usual, strict=True):
                assert row == pytest.approx(same, rel=1e-6), factor


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["paired_t", "sign_test", "wilcoxon", "randomization_test"])
def test_rounding_is_no_difference(engine: DuckDBEngine, name: str) -> None:
    """Sums in another order differ by 1e-16 of the size of the values, all on one side."""
    for factor in (1e-9, 1.0, 1e8):
        rows = (
            f"SELECT s AS system, 'm' AS metric, u AS query_id, {factor} * (u + CASE s WHEN 'B' THEN 1e-15 "
            "ELSE 0 END) AS value FROM range(1, 30) AS t(u), (VALUES ('A'), ('B')) AS v(s)"
        )
        (row,) = run_test(name, rows, connection=engine, baseline="A").rows
        assert row["p"] == 1, factor


def test_tukey_of_large_values_is_exact(engine: DuckDBEngine) -> None:
    """Three systems by two queries have 36 permutations; values times a million have the same p."""
    rows = (
        "SELECT s AS system, 'm' AS metric, q AS query_id, {} * v AS value FROM (VALUES ('A', 1, 0.1), "
        "('B', 1, 0.2), ('C', 1, 0.3), ('A', 2, 0.2), ('B', 2, 0.1), ('C', 2, 0.4)) AS t(s, q, v)"
    )
    usual, large = (
        [row["p"] for row in run_test("tukey_hsd", rows.format(f), connection=engine).rows] for f in (1, 1e6)
    )
    assert large == usual


def test_p_values_are_probabilities(engine: DuckDBEngine) -> None:
    from duckmetrics import InputError

    rows = "FROM (VALUES ('a', {}::DOUBLE), ('b', 0.02)) AS t(test, p)"
    for wrong in ("-0.1", "1.5", "'inf'"):
        with pytest.raises(InputError, match=r"1 p-value outside of \[0, 1\]"):
            run_test("adjusted_p", rows.format(wrong), connection=engine)
    found = run_test("adjusted_p", rows.format("'nan'"), connection=engine).rows
    assert [(row["test"], row["p_adjusted"]) for row in found] == [("a", None), ("b", 0.02)]
