"""Chi-square and G: the textbooks, scipy and the plain reference; every shape, and every refusal."""

from __future__ import annotations

import ast
import dataclasses
import json
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

import duckmetrics
from duckmetrics import ChiSquare, InputError, MetricError, chi_square
from duckmetrics.checks.counting import singular
from duckmetrics.compose.functions import PREFIX, linked, macro
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.reference import statistics as reference
from support.cases import CATALOG, ROOT
from support.command_line import Command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duckmetrics.catalog.definition import Definition

pytestmark = pytest.mark.engine

TEXTBOOK = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))
PREFERENCES = [[90, 60, 104, 95], [30, 50, 51, 20], [30, 40, 45, 35]]
KEYS = {"name", "title", "meaning", "use", "beware", "inputs", "params", "grain", "range", "formula",
        "source", "oracle", "example", "related"}  # fmt: skip
OPTIONAL = {"values", "alias", "note", "optional", "requires", "warning", "reading", "tex", "symbols",
            "small", "categorical"}  # fmt: skip
METHODS = {"pearson": "pearson", "g": "log-likelihood"}
COUNT = st.integers(0, 60) | st.sampled_from([10**6, 123_456_789])


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    """Create one engine for tests that do not examine the connection, because defining functions is slow."""
    engine = DuckDBEngine()
    yield engine
    engine.release()


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Create a log of impressions, and the counts of a coin."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE log AS SELECT CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END AS variant, "
            "i % 10 < 4 + i % 3 AS clicked FROM range(300) AS t(i)"
        )
        connection.execute("CREATE TABLE coin AS FROM (VALUES ('heads', 3), ('tails', 7)) AS t(side, clicks)")
        yield connection


def close(result: ChiSquare, expected: Any) -> None:
    assert (result.cramers_v is None) == (expected.cramers_v is None)
    for name in ("statistic", "df", "p", "n", "min_expected", "cramers_v"):
        value = getattr(expected, name) or 0.0
        assert (getattr(result, name) or 0.0) == pytest.approx(value, rel=1e-11, abs=1e-12), name


# ---- values -------------------------------------------------------------------------------------


def test_the_fair_coin() -> None:
    result = duckmetrics.chi_square([3, 7])
    assert (result.statistic, result.df, result.n, result.min_expected) == (1.6, 1, 10, 5)
    assert result.p == pytest.approx(0.20590321073206830, rel=1e-14)
    assert result.cramers_v is None
    assert result.warnings == ()


@pytest.mark.parametrize("name", ["chi2_gof_coin_50", "chi2_gof_coin_100", "srm_chi2"])
def test_the_coins_of_the_textbooks(name: str, engine: DuckDBEngine) -> None:
    inputs, expected = TEXTBOOK[name]["inputs"], TEXTBOOK[name]["expected"]
    shares = inputs.get("expected", inputs.get("ratio"))
    result = chi_square(inputs["observed"], shares, connection=engine)
    assert result.statistic == pytest.approx(expected["chi2"], rel=1e-13)
    assert result.p == pytest.approx(expected["p"], rel=1e-12)
    if "g" in expected:
        likelihood = chi_square(inputs["observed"], shares, statistic="g", connection=engine)
        assert (likelihood.statistic, likelihood.p) == pytest.approx(
            (expected["g"], expected["p_g"]), rel=1e-12
        )


def test_three_arms(engine: DuckDBEngine) -> None:
    arms = TEXTBOOK["srm_chi2"]["three_arm"]
    result = chi_square(arms["observed"], connection=engine)
    assert (result.statistic, result.p) == pytest.approx((arms["chi2"], arms["p"]), rel=1e-13)


def test_the_table_of_the_textbooks(engine: DuckDBEngine) -> None:
    expected = TEXTBOOK["chi2_independence"]["expected"]
    result = chi_square(TEXTBOOK["chi2_independence"]["inputs"]["table"], connection=engine)
    likelihood = chi_square(PREFERENCES, statistic="g", connection=engine)
    assert result.df == likelihood.df == expected["df"]
    assert result.statistic == pytest.approx(expected["chi2"], rel=1e-13)
    assert result.p == pytest.approx(expected["p"], rel=1e-12)
    assert (likelihood.statistic, likelihood.p) == pytest.approx((expected["g"], expected["p_g"]), rel=1e-12)
    assert result.cramers_v == likelihood.cramers_v == pytest.approx(expected["cramers_v"], rel=1e-13)
    assert result.min_expected == pytest.approx(expected["min_expected"], rel=1e-13)


@pytest.mark.some(2)
@pytest.mark.parametrize("statistic", METHODS)
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize(
    "table", [[[10, 20], [30, 20]], [[12, 5], [3, 14]], [[50, 50], [50, 51]], [[1000, 3], [990, 9]]]
)
def test_two_by_two_as_scipy(
    engine: DuckDBEngine, table: list[list[int]], correction: bool, statistic: str
) -> None:
    expected = scipy.stats.chi2_contingency(table, correction=correction, lambda_=METHODS[statistic])
    result = chi_square(table, correction=correction, statistic=statistic, connection=engine)
    assert (result.statistic, result.p) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-11, abs=1e-13
    )
    assert result.cramers_v == pytest.approx(scipy.stats.contingency.association(table), rel=1e-11, abs=1e-13)
    assert result.correction is correction


@pytest.mark.some(0)
@pytest.mark.parametrize("statistic", METHODS)
def test_random_tables_as_scipy(engine: DuckDBEngine, statistic: str) -> None:
    random = np.random.default_rng(7)
    for rows, columns, mean in ((2, 3, 4), (5, 2, 30), (7, 9, 900), (40, 30, 12)):
        table = random.poisson(mean, (rows, columns)) + 1
        expected = scipy.stats.chi2_contingency(table, correction=False, lambda_=METHODS[statistic])
        result = chi_square(table, statistic=statistic, connection=engine)
        assert result.df == expected.dof
        assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-10)
        observed, shares = table[0], random.random(columns) + 0.1
        one = scipy.stats.power_divergence(
            observed, shares / shares.sum() * observed.sum(), lambda_=METHODS[statistic]
        )
        result = chi_square(observed, shares, statistic=statistic, connection=engine)
        assert (result.statistic, result.p) == pytest.approx((one.statistic, one.pvalue), rel=1e-10)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(COUNT, st.sampled_from([0.0, 0.1, 0.25, 1.0, 7.0, 1e5])), min_size=2, max_size=9),
    st.sampled_from(list(METHODS)),
)
def test_categories_as_the_reference(pairs: list[tuple[int, float]], statistic: str) -> None:
    assume(sum(o for o, _ in pairs) > 0)
    assume(sum(1 for _, e in pairs if e) >= 2)
    assume(all(e or not o for o, e in pairs))
    result = chi_square([o for o, _ in pairs], [e for _, e in pairs], statistic=statistic, connection=SHARED)
    close(result, reference.chi_square(pairs, statistic))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(COUNT, min_size=n, max_size=n), min_size=2, max_size=5)
    ),
    st.sampled_from(list(METHODS)),
)
def test_tables_as_the_reference(table: list[list[int]], statistic: str) -> None:
    assume(sum(map(any, table)) >= 2)
    assume(sum(map(any, zip(*table, strict=True))) >= 2)
    cells = [(i, j, n) for i, row in enumerate(table) for j, n in enumerate(row)]
    result = chi_square(table, statistic=statistic, connection=SHARED)
    close(result, reference.chi_square_independence(cells, statistic))
    if result.df == 1:
        corrected = chi_square(table, statistic=statistic, correction=True, connection=SHARED)
        close(corrected, reference.chi_square_independence(cells, statistic, correction=True))


SHARED = DuckDBEngine()


def test_g_does_not_cancel(engine: DuckDBEngine) -> None:
    """2 * sum(o * ln(o / e)) of doubles would have an error larger than the statistic."""
    o = 10**15
    result = chi_square([o + 10**6, o - 10**6], statistic="g", connection=engine)
    assert result.statistic == pytest.approx(2 * 10**12 / o, rel=1e-9)


def test_a_p_value_is_never_shown_as_0(engine: DuckDBEngine) -> None:
    small = chi_square([600, 0], connection=engine)
    assert small.p == pytest.approx(scipy.stats.chi2.sf(600, 1), rel=1e-11)
    assert small.p_text == "1.674e-132"
    gone = chi_square([12_000, 0], connection=engine)
    assert gone.p == 1e-300
    assert gone.p_text == "<1e-300"
    assert "p             <1e-300\n" in repr(gone)
    (row,) = gone.to_dict()["rows"]
    assert (row["p"], row["p_text"]) == (1e-300, "<1e-300")


# ---- the files ----------------------------------------------------------------------------------


@pytest.fixture(params=CATALOG.statistics.values(), ids=lambda definition: definition.name)
def statistic(request: pytest.FixtureRequest) -> Definition:
    return request.param


def test_every_statistic_has_a_reference_function() -> None:
    assert all(callable(getattr(reference, name)) for name in CATALOG.statistics)


def test_a_statistic_declares_what_readers_need(statistic: Definition) -> None:
    assert KEYS <= statistic.header.keys() | {"params"} <= KEYS | OPTIONAL
    read = {table for part in (statistic, *CATALOG.foundations(statistic)) for table in part.tables}
    assert read - CATALOG.relations.keys() == statistic.inputs.keys()
    assert len(statistic.inputs) == 1
    assert CATALOG.placeholders(statistic) == statistic.own_params.keys()
    columns = statistic.header["grain"].partition(": ")[2].split(", ")
    assert columns == statistic.query.named_selects
    for _, bound in statistic.aliases():
        assert all(value in statistic.own_params[name].choices for name, value in bound.items())
    lines = statistic.text.splitlines()
    assert max(map(len, lines)) <= 120
    assert sum(not line.startswith("--") for line in lines) <= 60


def test_every_denominator_is_guarded(statistic: Definition) -> None:
    for division in statistic.query.find_all(exp.Div):
        assert isinstance(division.expression, exp.Nullif), division.sql()


EXAMPLE = re.compile(r"(?P<name>\w+)\(VALUES (?P<rows>.*?)(; (?P<params>.*))?\) = (?P<result>.*)")
WORDS = {"NULL": None, "TRUE": True, "FALSE": False}


def constant(text: str) -> Any:
    """Return a value of an example: a number, text in quotes, NULL, TRUE or FALSE."""
    return WORDS[text] if text in WORDS else ast.literal_eval(text)


def example_of(statistic: Definition) -> tuple[str, dict[str, Any], list[tuple[Any, ...]]]:
    """Return rows, parameters and result of ``name(VALUES rows; param := value) = row; row``."""
    example = EXAMPLE.fullmatch(statistic.header["example"])
    assert example is not None, statistic.path
    assert example["name"] == statistic.name
    given = (pair.split(" := ") for pair in (example["params"] or "").split(", ") if pair)
    params = {name: constant(value) for name, value in given}
    assert params.keys() >= {name for name, param in statistic.own_params.items() if param.required}
    rows = [tuple(map(constant, row.split(", "))) for row in example["result"].split("; ")]
    return example["rows"], params, rows


@pytest.mark.some(2)
def test_a_statistic_runs_as_it_stands(statistic: Definition) -> None:
    """A shell has its functions and relations; with bound parameters it gives the result of the header."""
    rows, params, expected = example_of(statistic)
    ((table, columns),) = statistic.inputs.items()
    values = {name: param.default for name, param in statistic.own_params.items()} | params
    with duckdb.connect() as connection:
        parts = [statistic, *CATALOG.foundations(statistic)]
        for definition in (d for part in parts for d in linked(CATALOG, part.query)[1]):
            name = definition.this.this.name.removeprefix(PREFIX)
            connection.execute(macro(CATALOG, CATALOG.functions[name], prefix="").sql("duckdb"))
        connection.execute(f"CREATE TABLE {table} AS FROM (VALUES {rows}) AS t({', '.join(columns)})")
        for part in sorted(CATALOG.foundations(statistic), key=lambda d: len([*CATALOG.foundations(d)])):
            bound = {name: values[name] for name in part.placeholders}
            connection.execute(f"CREATE TABLE {part.name} AS {part.text}", bound)
        found = connection.execute(
            statistic.text, {name: values[name] for name in statistic.placeholders}
        ).fetchall()
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        assert len(row) == len(wanted)
        for value, one in zip(row, wanted, strict=True):
            known = isinstance(one, float | int) and not isinstance(one, bool)
            assert value == (pytest.approx(one, rel=1e-13) if known else one), statistic.name


def test_a_check_declares_what_readers_need() -> None:
    for check in CATALOG.count_checks.values():
        keys = {"name", "title", "severity", "why", "inputs", "advice"}
        assert check.header.keys() - {"column"} == keys, check.path
        assert check.header["severity"] in ("error", "warning")
        assert check.tables == check.inputs.keys()
        ((table, columns),) = check.inputs.items()
        read = {column.name for column in check.query.find_all(exp.Column)}
        assert read - set(check.query.named_selects) <= set(columns)
        assert check.header.get("column", f"{table}.").startswith(f"{table}.")


# ---- the shapes ---------------------------------------------------------------------------------

COIN = {"observed": [3, 7]}
CELLS = {"row": ["A", "A", "B", "B"], "column": [True, False, True, False], "n": [10, 20, 30, 20]}


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "observed",
    [
        [3, 7], (3, 7), [3.0, np.int64(7)], [Decimal(3), Decimal(7)], np.array([3, 7]), pd.Series([3, 7]),
        pl.Series([3, 7]), pa.array([3, 7]), pd.DataFrame(COIN), pl.DataFrame(COIN), pa.table(COIN),
        "SELECT unnest([3, 7]) AS observed", "SELECT unnest([3, 7]::DECIMAL(4, 1)[]) AS OBSERVED",
    ],
    ids=lambda observed: type(observed).__name__,
)  # fmt: skip
def test_a_coin_in_every_shape(engine: DuckDBEngine, observed: Any) -> None:
    assert chi_square(observed, connection=engine).statistic == 1.6


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "observed",
    [
        [[10, 20], [30, 20]], ([10, 20], (30, 20)), np.array([[10, 20], [30, 20]]), pd.DataFrame(CELLS),
        pl.DataFrame(CELLS), pa.table(CELLS),
        "SELECT * FROM (VALUES (1, 'x', 10), (1, 'y', 20), (2, 'x', 30), (2, 'y', 15), (2, 'y', 5)) "
        "AS t(row, \"column\", n)",
    ],
    ids=lambda observed: type(observed).__name__,
)  # fmt: skip
def test_a_table_in_every_shape(engine: DuckDBEngine, observed: Any) -> None:
    result = chi_square(observed, connection=engine)
    assert result.statistic == pytest.approx(16 / 3, rel=1e-14)
    assert result.test == "independence"


def test_expectations_are_shares_or_counts(engine: DuckDBEngine) -> None:
    shares = ([3, 1], [0.75, 0.25], (30, 10), np.array([1.5, 0.5]), pd.Series([75, 25]))
    results = {chi_square([30, 10], expected, connection=engine).statistic for expected in shares}
    assert results == {0.0}
    frame = pd.DataFrame({"clicks": [3, 7], "plan": [50, 50]})
    assert (
        chi_square(frame, columns={"observed": "clicks", "expected": "plan"}, connection=engine).statistic
        == 1.6
    )


def test_tables_of_a_connection(database: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    coin = {"observed": "clicks"}
    log = {"row": "variant", "column": "clicked"}
    database.execute(f"COPY log TO '{tmp_path}/log.parquet'; COPY coin TO '{tmp_path}/coin.csv'")
    assert chi_square("coin", columns=coin, connection=database).statistic == 1.6
    assert chi_square(database.table("coin"), columns=coin, connection=database).statistic == 1.6
    assert chi_square(tmp_path / "coin.csv", columns=coin).statistic == 1.6
    by_row = chi_square(f"{tmp_path}/log.parquet", columns=log)
    counted = "SELECT variant, clicked, count(*) AS n FROM log GROUP BY ALL"
    by_cell = chi_square(counted, columns=log, connection=database)
    weighted = chi_square("SELECT *, 2 AS times FROM log", columns={**log, "n": "times"}, connection=database)
    expected = scipy.stats.chi2_contingency(
        pd.crosstab(*(database.table("log").df()[name] for name in log.values())), correction=False
    )
    assert by_row.n == by_cell.n == 300
    assert by_row.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert by_cell == by_row
    assert weighted.statistic == pytest.approx(2 * by_row.statistic, rel=1e-12)


def test_a_cell_that_is_not_there_is_0(engine: DuckDBEngine) -> None:
    rows = "(VALUES ('a', 1, 30), ('b', 1, 10), ('b', 2, 20)) AS t(row, \"column\", n)"
    result = chi_square(f"SELECT * FROM {rows}", connection=engine)
    filled = chi_square([[30, 0], [10, 20]], connection=engine)
    assert result.statistic == pytest.approx(filled.statistic, rel=1e-14)


@pytest.mark.slow
def test_a_connection_is_left_as_it_was(tmp_path: Path) -> None:
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE counts AS SELECT unnest([3, 7]) AS observed")
        connection.execute("CREATE TABLE cells AS SELECT 1 AS x; CREATE MACRO deviance(o, e) AS 42")
    assert chi_square("counts", connection=path).statistic == 1.6
    with duckdb.connect(path, read_only=True) as connection:
        before = connection.execute("SHOW ALL TABLES").fetchall()
        assert chi_square("counts", statistic="g", connection=connection).p == pytest.approx(
            0.1996154, rel=1e-3
        )
        with pytest.raises(InputError):
            chi_square([0, 0], connection=connection)
        assert connection.execute("SHOW ALL TABLES").fetchall() == before
        ours = "SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE 'duckmetrics%'"
        assert connection.execute(ours).fetchone() == (0,)


def test_the_sql_of_a_result_runs_again() -> None:
    result = chi_square("SELECT unnest([3, 7]) AS observed", statistic="g")
    last = result.sql.rstrip(";").split(";\n\n")
    assert last[-1].startswith("WITH counts AS NOT MATERIALIZED (")
    assert any(text.startswith("CREATE TEMPORARY TABLE duckmetrics_counts_") for text in last)
    assert any(text.startswith("CREATE OR REPLACE TEMPORARY MACRO duckmetrics_deviance") for text in last)


# ---- the result ---------------------------------------------------------------------------------


def test_a_result_reads_well(engine: DuckDBEngine) -> None:
    assert repr(chi_square([3, 7], connection=engine)) == (
        "Chi-square test of goodness of fit\n  statistic     1.6\n  df            1\n  p             0.2059\n"
        "  n             10\n  min_expected  5"
    )
    assert repr(chi_square([[9, 2], [3, 14]], correction=True, statistic="g", connection=engine)) == (
        "G-test of independence, with Yates' correction\n  statistic     9.16444\n  df            1\n"
        "  p             0.002468\n  n             28\n  min_expected  4.71429\n  cramers_v     0.6333\n"
        "warning: the smallest expected count is 4.71; below 5 the p-value is rough"
    )


def test_a_result_is_a_value(engine: DuckDBEngine) -> None:
    result = chi_square([3, 7], connection=engine)
    assert result == chi_square([3, 7], [1, 1], connection=engine)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.p = 1.0  # type: ignore[misc]
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    params = {"statistic": "pearson", "correction": False}
    assert (document["command"], document["name"], document["params"]) == ("test", "chi_square", params)
    (row,) = document["rows"]
    assert list(row) == ["statistic", "df", "p", "n", "min_expected", "cramers_v", "p_text"]


# ---- refusals and warnings ----------------------------------------------------------------------

BAD = "rows whose count is missing, negative, NaN or infinite"
MEND = "a count is a number of 0 or more; correct them"
UNEXPECTED = "categories observed although none is expected"
HOW = "(on the command line --column observed=...)"
REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    ([3, -7], {}, f"observed: column 'observed': 1 {singular(BAD)} (observed=-7); {MEND}"),
    ([3, None], {}, f"(observed=NULL); {MEND}"),
    ([3, math.nan], {}, f"(observed=nan); {MEND}"),
    ([math.inf, 1], {}, f"(observed=inf); {MEND}"),
    ([-5, 5], {}, "(observed=-5)"),
    ([[3, 4], [None, -1]], {},
     f"observed: column 'n': 2 {BAD} (row=2, column=1, n=NULL; row=2, column=2, n=-1); {MEND}"),
    ([5], {}, "observed: fewer than two categories with an expectation (categories=1); the test needs at "
              "least two categories"),
    ([[5, 6]], {}, "observed: a table with fewer than two rows or columns (n_rows=1, n_columns=2); the test "
                   "needs at least two rows and two columns"),
    ([[5, 0], [6, 0]], {}, "(n_rows=2, n_columns=1)"),
    ([[5]], {}, "(n_rows=1, n_columns=1)"),
    ([], {}, "observed: no rows; give the counts of two categories or more"),
    ([[], []], {}, "observed: no rows; give the counts of two categories or more"),
    ([0, 0, 0], {}, "observed: nothing was observed, all counts are 0 (total=0); check the counts"),
    ([[0, 0], [0, 0]], {}, "observed: nothing was observed, all counts are 0 (total=0); check the counts"),
    ([3, 7, 1], {"expected": [1, 1, 0]},
     f"observed: column 'expected': 1 {singular(UNEXPECTED)} (observed=1, expected=0); no test is "
     "needed to reject such a hypothesis"),
    ([3, 7], {"expected": [0, 0]}, f"2 {UNEXPECTED}"),
    ([3, 7], {"expected": [1, None]}, "1 row whose expectation is missing, negative, NaN or infinite "
     "(observed=7, expected=NULL); give every category a count or share of 0 or more, or none of them"),
    ([3, 7], {"expected": [math.inf, -1]}, "2 rows whose expectation is missing"),
    ([3, 7], {"expected": [1, 1, 1]}, "expected: 3 values for 2 counts; give one per category"),
    ([3, 7], {"expected": 5}, "expected: 5 is not a list; give one count or share per category"),
    ([3, 7], {"expected": ["a", "b"]}, "expected: ['a', 'b'] is not a list"),
    ([3, 7], {"expected": [1, "b"]}, "expected: 'b' is not a number; give counts such as [3, 7]"),
    ([[3, 7], [1, 2]], {"expected": [1, 1]},
     "expected: is for one list of counts; a table of rows has expectations of its own"),
    ("coin", {"expected": [1, 1]},
     "expected: is given with a table, whose rows have no order; "
     "map a column with columns={'expected': ...}"),
    ([3, "x"], {}, "observed: 'x' is not a number; give counts such as [3, 7], or rows of them"),
    ([True, 3], {}, "observed: True is not a number"),
    ([[1, [2]], [3, 4]], {}, "observed: [2] is not a number"),
    ([1e200, 1], {}, "observed: counts or expectations differ by too many orders of magnitude for doubles; "),
    ([1e308, 1e308], {}, "observed: counts or expectations differ by too many orders of magnitude"),
    ([[1e200, 1], [1, 1e200]], {}, "observed: counts or expectations differ by too many orders of magnitude"),
    ([3, 10**400], {}, "observed: a count is too large for a double; give smaller ones"),
    ([[1, 2], [3], 4], {}, "observed: rows of 1 and 2 counts; give rows of one length"),
    ([3, 7], {"columns": {"observed": "x"}}, "columns: are for tables, and a list has none; leave them out"),
    (5, {}, "counts (int): not a table; give a path, a table name, SQL, a relation or a frame"),
    ("nowhere", {}, "nowhere: no such table, view or file; check the name"),
    ("nowhere.parquet", {}, "nowhere.parquet: no such file; check the path"),
    ("coin", {}, "coin: no column 'observed', nor 'row' and 'column'; found side, clicks; map them with "
     "columns={'observed': ...} or columns={'row': ..., 'column': ...} (on the command line --column)"),
    ("coin", {"columns": {"observed": "klicks"}},
     "coin: no column 'klicks' for observed; found side, clicks; "
     f"map it with columns={{'observed': ...}} {HOW}"),
    ("coin", {"columns": {"expected": "clicks"}}, "coin: no column 'observed'; found side, clicks; map it "
     f"with columns={{'observed': ...}} {HOW}"),
    ("coin", {"columns": {"observed": "side"}}, "coin: column 'side' is VARCHAR, not a number; give one row "
     'per category with its count, as in "SELECT side, count(*) AS observed FROM ... GROUP BY side"; if it '
     "holds counts, cast it"),
    ("coin", {"columns": {"clicks": "observed"}},
     "columns: 'clicks': 'observed' maps no column of a test; known: column, expected, n, observed, row"),
    ("coin", {"columns": {"obseved": "clicks"}},
     "columns: 'obseved': 'clicks' maps no column of a test; did you mean 'observed'?"),
    ("log", {"columns": {"row": "variant"}}, "log: no column 'column'; found variant, clicked; map it with"),
    ("log", {"columns": {"row": "variant", "expected": "n"}}, "columns: observed and expected are for one "
     "list of categories, row, column and n for a table of two; map either"),
    ("SELECT 1 AS row, 2 AS column, 3 AS observed", {}, "column 'observed' is next to 'row' and 'column'; "
     "map it with columns={'n': 'observed'}, or leave it out if every row counts 1"),
    ("SELECT nullif(variant, 'A') AS row, clicked AS column FROM log", {},
     "column 'row': 100 rows without a value (row=NULL, column=False, n=1; "),
    ("SELECT variant AS row, nullif(clicked, true) AS column FROM log", {}, "column 'column': "),
    ("SELECT CAST(x AS INTEGER) AS observed FROM (VALUES ('3'), ('7'), ('x')) AS t(x)", {},
     "cannot be read: DuckDB: Conversion Error: Could not convert string 'x' to INT32"),
    ("SELECT 3 AS observed WHERE false", {}, "no rows; give the counts of two categories or more"),
    ("SELECT 3 AS observed; DROP TABLE coin", {}, "not one SELECT; give a single query"),
]  # fmt: skip


@pytest.mark.some(13)
@pytest.mark.parametrize(("observed", "options", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_cannot_be_tested_is_refused(
    database: duckdb.DuckDBPyConnection, observed: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as refusal:
        chi_square(observed, connection=database, **options)
    assert message in str(refusal.value)
    for line in str(refusal.value).splitlines():
        assert re.match(r"(?s)[^:]+.*: .+; .+", line), "where: what; what next"


@pytest.mark.parametrize(
    ("observed", "options", "message"),
    [
        ([3, 7], {"statistic": "G"}, "statistic: unknown statistic 'G'; did you mean 'g'?"),
        ([3, 7], {"statistic": "chi2"}, "statistic: unknown statistic 'chi2'; known: g, pearson"),
        (
            [3, 7],
            {"correction": True},
            "correction: is for tables of 2 by 2, not for one list of counts; leave it out",
        ),
        (
            PREFERENCES,
            {"correction": True},
            "correction: is for tables of 2 by 2, and df is 6 here; leave it out",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(observed: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError, match=re.escape(message)):
        chi_square(observed, **options)


LEFT_OUT = "they are left out, and df counts the others"
BROKEN = "the test is for counts; for shares or weights its p-value is meaningless"
WARNED: list[tuple[Any, dict[str, Any], list[str]]] = [
    ([[90, 60], [30, 50]], {}, []),
    ([0, 70], {}, []),
    ([3, 6], {}, ["the smallest expected count is 4.5; below 5 the p-value is rough"]),
    ([30, 70, 0], {"expected": [1, 1, 0]}, [
        "observed: column 'expected': 1 category neither expected nor observed (observed=0, expected=0); "
        + LEFT_OUT]),
    ([12.5, 17.25], {}, [
        "observed: column 'observed': 2 counts with a fraction (observed=12.5; observed=17.25); "
        + BROKEN]),
    ([[10, 50.5, 0], [20, 90, 0], [0, 0, 0]], {}, [
        f"observed: column 'n': 1 count with a fraction (row=1, column=2, n=50.5); {BROKEN}",
        f"observed: column 'column': 1 column of the table that is all 0 (column=3); {LEFT_OUT}",
        f"observed: column 'row': 1 row of the table that is all 0 (row=3); {LEFT_OUT}"]),
]  # fmt: skip


@pytest.mark.some(5)
@pytest.mark.parametrize(("observed", "options", "warnings"), WARNED, ids=lambda value: str(value)[:40])
def test_what_makes_a_p_value_doubtful_is_told(
    engine: DuckDBEngine, observed: Any, options: dict[str, Any], warnings: list[str]
) -> None:
    result = chi_square(observed, connection=engine, **options)
    assert list(result.warnings) == warnings
    assert repr(result).endswith("".join(f"\nwarning: {warning}" for warning in warnings))
    assert result.df == 1


def test_every_check_is_tried() -> None:
    told = [message for _, _, message in REFUSED] + [text for _, _, texts in WARNED for text in texts]
    for check in CATALOG.count_checks.values():
        titles = (check.title, singular(check.title))
        assert any(title in message for title in titles for message in told), check.name


# ---- the command line ---------------------------------------------------------------------------


@pytest.fixture
def run(
    tmp_path: Path,
    database: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    database.execute(f"COPY log TO '{tmp_path}/log.parquet'; COPY coin TO '{tmp_path}/coin.parquet'")
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE coin AS SELECT unnest([3, 7]) AS observed")
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ["3", "7"],
        ["3", "7", "--expected", "5,5"],
        ["coin.parquet", "--column", "observed=clicks"],
        ["SELECT unnest([3, 7]) AS observed"],
        ["coin", "--database", "shop.duckdb"],
    ],
)
def test_the_coin_at_the_command_line(run: Command, arguments: list[str]) -> None:
    outcome = run("test", "chi-square", *arguments)
    assert outcome == (0, f"{chi_square([3, 7])!r}\n", "")


def test_tables_at_the_command_line(run: Command) -> None:
    rows = run("test", "chi-square", "90,60,104,95", "30,50,51,20", "30,40,45,35", "--format", "json")
    assert json.loads(rows.out) == chi_square(PREFERENCES).to_dict()
    log = {"row": "variant", "column": "clicked"}
    mapped = [part for pair in log.items() for part in ("--column", "=".join(pair))]
    for options, flags in (
        ({}, []),
        ({"statistic": "g", "correction": True}, ["--statistic", "g", "--correction"]),
    ):
        outcome = run("test", "chi-square", "log.parquet", *mapped, *flags)
        assert outcome == (0, f"{chi_square('log.parquet', columns=log, **options)!r}\n", "")


@pytest.mark.some(7)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["3", "-7"], "(observed=-7)"),
        (["3", "x"], "'x': not counts; write 3 7, rows such as 3,7 5,5, or one table"),
        (["3", "7", "--expcted", "5,5"], "'--expcted': not counts"),
        (["3", "7", "--expected", "a,b"], "'a,b': not counts"),
        (["3", "7", "--statistic", "h"], "statistic: unknown statistic 'h'"),
        (["nowhere.parquet"], "nowhere.parquet: no such file"),
        (["coin.parquet", "--column", "observed"], "--column 'observed': write --column NAME=YOURS"),
        ([], "Missing argument"),
    ],
)
def test_bad_usage_at_the_command_line(run: Command, arguments: list[str], message: str) -> None:
    outcome = run("test", "chi-square", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""


def test_run_test_refuses_what_chi_square_refuses() -> None:
    """Both doors compute one statistic, so that neither gives p = 0 where the other one has an error."""
    with pytest.raises(InputError, match="orders of magnitude") as one:
        chi_square([1e300, 1e-300, 5.0])
    with pytest.raises(InputError, match="orders of magnitude") as other:
        duckmetrics.run_test("chi_square", [1e300, 1e-300, 5.0])
    assert str(one.value).partition(":")[2] == str(other.value).partition(":")[2]
    table = [[10, 20, 5], [30, 20, 9]]
    for compute in (chi_square, lambda t, **p: duckmetrics.run_test("chi_square_independence", t, **p)):
        with pytest.raises(MetricError, match="is for tables of 2 by 2, and df is 2 here"):
            compute(table, correction=True)


def test_the_command_writes_files_as_other_tests_do(run: Command) -> None:
    code, printed, _ = run("test", "chi-square", "3", "7", "--format", "csv")
    assert (code, printed.splitlines()[0]) == (0, "statistic,df,p,n,min_expected")
    assert chi_square([3, 7]).to_pandas().p[0] == chi_square([3, 7]).p
