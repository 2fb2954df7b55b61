"""The scalar functions of sql/functions: accurate to their headers, and temporary on a connection."""

from __future__ import annotations

import json
import math
import re
from itertools import product
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
import scipy.special
import scipy.stats
import sqlglot
from sqlglot import exp

from duckmetrics.catalog.catalog import Catalog
from duckmetrics.compose.functions import PREFIX, called, linked, macro
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.errors import DefinitionError
from duckmetrics.reference import statistics as reference
from support.cases import CATALOG, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from duckmetrics.catalog.definition import Definition

pytestmark = pytest.mark.engine

FUNCTIONS = {name: file for name, file in CATALOG.functions.items() if file.family == "functions"}
EXACT = json.loads((ROOT / "tests/data/recorded/special_functions.json").read_text("utf-8"))
TABLES = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))["special_functions"][
    "tables"
]
IN_TABLES = {
    "norm_cdf": "normal_cdf",
    "norm_sf": "normal_sf",
    "norm_ppf": "normal_quantile",
    "chi2_sf": "chi_square_sf",
    "t_two_sided_p": "student_t_p",
    "t_crit_two_sided": "student_t_critical",
    "f_sf": "f_sf",
    "binom_cdf": "binomial_cdf",
    "kolmogorov_sf": "kolmogorov_sf",
}
KEYS = {"name", "title", "params", "range", "formula", "source", "oracle", "example", "note"}
CLAIM = re.compile(r"(relative |absolute |)error below (\de-\d+)")
SPECIAL = (None, math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-300, 0.25, 0.5, 1.0, 2.5, 40.0, 1e15, 1e17,
           1e200, 1e308, -1.0, -1e-300, -3.5)  # fmt: skip
FEWER = (None, math.nan, math.inf, 0.0, 0.5, 1.0, 9.0, 1e200, -1.0)


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine()
    yield engine
    engine.release()


@pytest.fixture(params=FUNCTIONS.values(), ids=lambda definition: definition.name)
def function(request: pytest.FixtureRequest) -> Definition:
    return request.param


def computed(
    engine: DuckDBEngine, name: str, points: Sequence[Sequence[float | None]], *more: str
) -> list[Any]:
    """Compute a function at many points in one query; `more` are further expressions."""
    params = list(FUNCTIONS[name].own_params)
    columns = {p: pa.array([point[i] for point in points], pa.float64()) for i, p in enumerate(params)}
    source = engine.attach(pa.table({"place": range(len(points)), **columns}), "counts")
    call = sqlglot.parse_one(f"{name}({', '.join(params)})", dialect="duckdb")
    others = [sqlglot.parse_one(text, dialect="duckdb") for text in more]
    query = exp.select(call, *others).from_(source.relation).order_by("place")
    rows = engine.rows(defined(engine, query))
    return rows if more else [value for (value,) in rows]


def defined(engine: DuckDBEngine, query: exp.Query) -> exp.Query:
    """Define the functions of the query; DuckDB takes as long to define one as to use it."""
    query, macros = linked(CATALOG, query)
    known = set(re.findall(r"MACRO (\w+)", "\n".join(engine.ran)))
    engine.define([statement for statement in macros if statement.this.this.name not in known])
    return query


def value_of(engine: DuckDBEngine, text: str) -> Any:
    """Return the value of an expression that calls functions of the catalog."""
    return engine.rows(defined(engine, sqlglot.parse_one(f"SELECT {text}", dialect="duckdb")))[0][0]


def test_a_function_declares_what_readers_need(function: Definition) -> None:
    assert function.header.keys() - {"macro"} == KEYS
    assert CLAIM.match(function.header["note"]) or function.name == "student_t_expansion"
    assert re.fullmatch(r"\[\S+, \S+\]", function.header["range"])


def test_a_function_is_one_expression_over_its_parameters(function: Definition) -> None:
    assert isinstance(function.query, exp.Select)
    assert {key for key, value in function.query.args.items() if value} == {"expressions"}
    assert function.query.named_selects == ["value"]
    assert function.placeholders == function.own_params.keys()
    assert not list(function.query.find_all(exp.Column)) or function.query.find(exp.Lambda)


def test_sqlglot_reads_what_it_writes(function: Definition) -> None:
    written = function.query.sql("duckdb")
    assert sqlglot.parse_one(written, dialect="duckdb") == function.query
    assert "->" not in written


def test_a_number_is_a_double(function: Definition) -> None:
    """Without an exponent, a literal with a point is a DECIMAL; only DuckDB divides integers as 1 / 2."""
    for number in function.query.find_all(exp.Literal):
        text = str(number.this)
        assert (
            number.is_string
            or "e" in text
            or isinstance(number.find_ancestor(exp.GenerateSeries), exp.Expr)
            or (text.isdigit())
        ), text


def test_a_file_is_readable(function: Definition) -> None:
    lines = function.text.splitlines()
    assert max(map(len, lines)) <= 120
    assert sum(not line.startswith("--") for line in lines) <= 45


def test_no_list_reduce_has_an_initial_value(function: Definition) -> None:
    """With one, DuckDB mixes up the rows whose lists differ in length (duckdb/duckdb#25816)."""
    for call in function.query.find_all(exp.Anonymous):
        assert call.name.lower() != "list_reduce" or len(call.expressions) == 2


@pytest.mark.some(16)
def test_the_example_holds(engine: DuckDBEngine, function: Definition) -> None:
    call, value = function.header["example"].split(" = ")
    assert call.startswith(f"{function.name}(")
    assert value_of(engine, call) == pytest.approx(float(value), rel=3e-14)


def test_every_function_has_exact_values() -> None:
    assert EXACT.keys() == FUNCTIONS.keys()


@pytest.mark.some(10)
def test_values_are_as_accurate_as_the_note_says(engine: DuckDBEngine, function: Definition) -> None:
    """The points include tails to 1e-300 and 1 - 1e-16, and degrees of freedom from 1 to over 100000."""
    points = EXACT[function.name]
    claim = CLAIM.match(function.header["note"])
    kind, bound = claim.groups() if claim else ("relative ", "1e-15")
    values = computed(engine, function.name, [point[:-1] for point in points])
    for (*at, exact), value in zip(points, values, strict=True):
        scale = {"relative ": abs(exact), "absolute ": 1.0, "": max(1.0, abs(exact))}[kind]
        assert abs(value - exact) <= float(bound) * scale, (at, value, exact)


@pytest.mark.some(6)
@pytest.mark.parametrize("table", TABLES)
def test_the_tables_of_the_textbooks(engine: DuckDBEngine, table: str) -> None:
    points = [point[:-1] for point in TABLES[table]]
    expected = [point[-1] for point in TABLES[table]]
    assert computed(engine, IN_TABLES[table], points) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.some(9)
@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("chi_square_sf", scipy.stats.chi2.sf),
        ("incomplete_gamma_q", scipy.special.gammaincc),
        ("student_t_sf", scipy.stats.t.sf),
        ("kolmogorov_sf", scipy.special.kolmogorov),
        ("normal_sf", scipy.stats.norm.sf),
        ("normal_quantile", scipy.stats.norm.ppf),
        ("log_beta", scipy.special.betaln),
        ("f_sf", scipy.stats.f.sf),
        ("incomplete_beta", scipy.special.betainc),
        ("binomial_cdf", scipy.stats.binom.cdf),
        ("erf", scipy.special.erf),
        ("scaled_erfc", scipy.special.erfcx),
    ],
)
def test_the_values_of_scipy(engine: DuckDBEngine, name: str, oracle: Callable[..., float]) -> None:
    axes = {
        "kolmogorov_sf": [[0.03 * i for i in range(1, 120)]],
        "normal_quantile": [[i / 997 for i in range(1, 997)]],
        "incomplete_beta": [(0.5, 1.0, 3.7, 80.0, 5e3), (0.5, 2.0, 31.4, 9e3), (1e-9, 0.01, 0.37, 0.5, 0.97)],
        "binomial_cdf": [(0.0, 1.0, 7.0, 31.0, 800.0), (1.0, 40.0, 999.0, 1e5), (1e-8, 0.03, 0.5, 0.98)],
        "f_sf": [(1e-6, 0.2, 1.0, 3.3, 50.0), (1.0, 2.0, 9.0, 333.0), (1.0, 3.5, 77.0, 1e4)],
        "log_beta": [(1e-3, 0.7, 20.0), (0.2, 3.0, 17.5)],  # scipy loses digits beyond this
        "scaled_erfc": [[0.469 + 0.1 * i for i in range(300)]],
    }
    one_axis = [-7.3, -1.1, -0.2, 0.01, 0.4, 1.0, 1.9, 3.3, 6.0, 11.0, 34.0]
    df = (1.0, 2.0, 3.0, 4.5, 17.0, 120.0, 3e3, 1e5)
    two = name in ("chi_square_sf", "student_t_sf")
    axis = axes.get(name, [one_axis, df] if two else [one_axis])
    if name == "incomplete_gamma_q":
        axis = [(0.5, 1.0, 2.2, 30.0, 1e3), (0.01, 0.6, 2.3, 29.0, 1030.0)]
    points = list(product(*axis))
    expected = [float(oracle(*point)) for point in points]
    assert computed(engine, name, points) == pytest.approx(expected, rel=2e-11, abs=1e-300)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if hasattr(reference, n)])
def test_the_values_of_the_plain_reference(engine: DuckDBEngine, name: str) -> None:
    points = [point for point in EXACT[name] if moderate(name, point)]
    if name.startswith("student_t") and name.endswith(("quantile", "critical")):
        points = [point for point in points if point[0] > 1e-50][:: len(points) // 4]
    expected = [getattr(reference, name)(*whole(name, point[:-1])) for point in points]
    values = computed(engine, name, [point[:-1] for point in points])
    assert len(points) > 2
    assert values == pytest.approx(expected, rel=1e-11, abs=1e-14)


def moderate(name: str, point: Sequence[float]) -> bool:
    """Leave out points where the reference is too slow or, by its definition, too inaccurate."""
    *arguments, value = point
    return (
        max(arguments, default=0) <= (50 if name == "binomial_cdf" else 2500)
        and (1e-100 < abs(value) < 1e100 or value == 0)
        and (name != "chi_square_sf" or arguments[1] == int(arguments[1]))
        and (name != "incomplete_beta" or 1e-6 < arguments[2] < 1 - 1e-6)
    )


def whole(name: str, arguments: Sequence[float]) -> list[Any]:
    """Convert counts and degrees of freedom to integers, as the reference takes them."""
    if name in ("chi_square_sf", "binomial_cdf"):
        return [int(a) if i == 1 else a for i, a in enumerate(arguments)]
    return list(arguments)


def test_the_reference_has_all_p_values() -> None:
    public = {name for name in FUNCTIONS if name.endswith(("_p", "_sf", "_cdf", "_quantile"))}
    assert public <= set(dir(reference))
    assert len(public) == 13


@pytest.mark.some(7)
def test_outside_of_the_domain_is_null_and_nothing_else_is(
    engine: DuckDBEngine, function: Definition
) -> None:
    """NULL, NaN, and values that a CHECK excludes give NULL; other values lie in the declared range."""
    params = function.own_params.values()
    points = list(product(SPECIAL if len(params) < 3 else FEWER, repeat=len(params)))
    checks = ["TRUE", *(check.sql("duckdb") for param in params for check in param.checks)]
    low, high = (float(end) for end in function.header["range"].strip("[]").split(", "))
    rows = computed(engine, function.name, points, *checks)
    for point, (value, *allowed) in zip(points, rows, strict=True):
        given = dict(zip(function.own_params, point, strict=True))
        unknown = any(a is None or math.isnan(a) for a in point)
        if unknown or not all(allowed):
            assert value is None, point
        elif "y" not in given or given["x"] + given["y"] == 1:
            assert value is not None, point
            assert low <= value <= high, point


@pytest.mark.parametrize("arguments", ["1e60, 10", "1, 1e-4", "1, CAST('nan' AS DOUBLE)"])
def test_every_condition_of_an_expansion_counts(engine: DuckDBEngine, arguments: str) -> None:
    assert value_of(engine, f"student_t_expansion({arguments})") is None
    assert value_of(engine, "student_t_expansion(1, 10)") is not None


@pytest.mark.slow
def test_arguments_of_other_types_are_computed_with_as_doubles(engine: DuckDBEngine) -> None:
    assert value_of(engine, "normal_quantile(0.1)") == value_of(engine, "normal_quantile(1e-1)")
    assert value_of(engine, "chi_square_sf(3, 2)") == value_of(engine, "chi_square_sf(3e0, 2e0)")
    assert value_of(engine, "binomial_cdf(2147483647, 4294967296, 0.5)") == pytest.approx(0.5, abs=1e-4)
    assert value_of(engine, "student_t_p(CAST(2 AS TINYINT), CAST(9 AS HUGEINT))") == pytest.approx(
        0.0765526, 1e-5
    )
    assert value_of(engine, "NORMAL_CDF(0.0)") == 0.5


@pytest.mark.some(14)
@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("normal_quantile(0)", -math.inf),
        ("normal_quantile(1)", math.inf),
        ("student_t_quantile(0.5, 3)", 0.0),
        ("student_t_quantile(0, 3)", -math.inf),
        ("student_t_p('inf', 3)", 0.0),
        ("student_t_p(1.96, 'inf')", 0.04999579029644087),
        ("student_t_p(1e300, 1)", 6.366197723675814e-301),
        ("chi_square_sf(-1, 3)", 1.0),
        ("chi_square_sf(0, 3)", 1.0),
        ("chi_square_sf('inf', 3)", 0.0),
        ("chi_square_sf(1e6, 3)", 0.0),
        ("f_sf(0, 2, 3)", 1.0),
        ("f_sf('inf', 2, 3)", 0.0),
        ("binomial_cdf(-1, 5, 0.3)", 0.0),
        ("binomial_cdf(5, 5, 0.3)", 1.0),
        ("binomial_cdf(2.9, 5, 0.3)", 0.83692),
        ("binomial_cdf(0, 0, 0.3)", 1.0),
        ("binomial_cdf(3, 5, 0)", 1.0),
        ("binomial_cdf(3, 5, 1)", 0.0),
        ("kolmogorov_sf(0)", 1.0),
        ("brownian_range_sf(0)", 1.0),
        ("brownian_range_sf(-1)", 1.0),
        ("brownian_range_sf('inf')", 0.0),
        ("log1p(-1)", -math.inf),
    ],
)
def test_the_ends_of_the_domains(engine: DuckDBEngine, call: str, value: float) -> None:
    assert value_of(engine, call) == pytest.approx(value, rel=1e-13)


def test_quantiles_undo_the_distribution_functions(engine: DuckDBEngine) -> None:
    points = [(p, df) for p in (1e-200, 1e-9, 0.02, 0.4999, 0.75) for df in (1.0, 1.37, 6.0, 251.3, 1e7)]
    back = [
        (-t, df) for t, (_, df) in zip(computed(engine, "student_t_quantile", points), points, strict=True)
    ]
    assert computed(engine, "student_t_sf", back) == pytest.approx([p for p, _ in points], rel=1e-10)
    normal = computed(engine, "normal_quantile", [(p,) for p, _ in points])
    assert computed(engine, "normal_cdf", [(z,) for z in normal]) == pytest.approx(
        [p for p, _ in points], rel=1e-11
    )


def test_rows_do_not_depend_on_their_neighbours(engine: DuckDBEngine) -> None:
    """The loops of a function take the number of steps that the row needs."""
    points = [(x * df, df) for df in (1.0, 3.0, 900.0, 2.0, 40_000.0, 7.0) for x in (0.5, 1.0, 1.5)]
    together = computed(engine, "chi_square_sf", points)
    assert together == [computed(engine, "chi_square_sf", [point])[0] for point in points]


@pytest.fixture(scope="module")
def shell() -> Iterator[duckdb.DuckDBPyConnection]:
    """Create a connection where the functions have the names that the files call."""
    with duckdb.connect() as connection:
        query = exp.select(*(exp.Anonymous(this=name) for name in FUNCTIONS))
        for statement in linked(CATALOG, query)[1]:
            definition = FUNCTIONS[statement.this.this.name.removeprefix(PREFIX)]
            connection.execute(macro(CATALOG, definition, prefix="").sql("duckdb"))
        yield connection


@pytest.mark.some(17)
def test_a_file_runs_as_it_stands_once_its_functions_exist(
    shell: duckdb.DuckDBPyConnection, function: Definition
) -> None:
    call, value = function.header["example"].split(" = ")
    arguments = [float(a) for a in re.sub(r"^\w+\(|\)$", "", call).split(", ")]
    bound = dict(zip(function.own_params, arguments, strict=True))
    found = shell.execute(function.text, bound).fetchone()
    assert found is not None
    assert found[0] == pytest.approx(float(value), rel=3e-14)


def test_only_what_is_called_is_defined_callees_first() -> None:
    query, macros = linked(CATALOG, sqlglot.parse_one("SELECT erf(x) FROM t", dialect="duckdb"))
    names = [statement.this.this.name.removeprefix(PREFIX) for statement in macros]
    assert names == ["erf_near_zero", "exp_minus_square", "scaled_erfc", "erfc", "erf"]
    assert query.sql("duckdb").lower() == "select duckmetrics_erf(cast(x as double)) from t"
    assert linked(CATALOG, sqlglot.parse_one("SELECT exp(x) FROM t", dialect="duckdb"))[1] == []
    for name, definition in FUNCTIONS.items():
        assert name not in called(CATALOG, definition)


DFS = "(VALUES (3e0, 7.5e0), (1e0, NULL), (40e0, 1e17)) AS t (df, other)"
T = "student_t_critical"


@pytest.mark.parametrize(("query", "n_calls"), [
    (f"SELECT df, {T}(0.05, df) AS a, 2 * {T}(0.05, other) AS b FROM {DFS} WHERE {T}(0.05, df) > 0", 1),
    (f"SELECT df, {T}(0.05, t.df) AS a, {T}(0.05, t.other) AS b FROM {DFS}", 1),
    (f"SELECT df, {T}(0.05, df) AS a, {T}(0.05, df) AS b FROM {DFS}", 2),  # DuckDB knows equal ones
    (f"SELECT df, {T}(0.05, df) AS a, {T}(0.1, other) AS b FROM {DFS}", 2),
    (f"SELECT *, {T}(0.05, df) AS a, {T}(0.05, other) AS b FROM {DFS}", 2),
    (f"SELECT t.df, {T}(0.05, t.df) AS a, {T}(0.05, u.other) AS b FROM {DFS} "
     f"JOIN {DFS.replace(' t ', ' u ')} ON t.df = u.df", 2),
    (f"SELECT df, {T}(0.05, df) AS a, {T}(0.05, min(other)) AS b FROM {DFS} GROUP BY df", 2),
    (f"SELECT df + 1 AS df, {T}(0.05, t.df) AS a, {T}(0.05, other) AS b FROM {DFS}", 2),
])  # fmt: skip
def test_calls_that_differ_in_one_argument_are_one(engine: DuckDBEngine, query: str, n_calls: int) -> None:
    """Only where a row gives a row, and the values are those of calls apart."""
    tree = sqlglot.parse_one(query, read="duckdb")
    assert isinstance(tree, exp.Query)
    together, macros = linked(CATALOG, tree)
    engine.define(macros)
    assert together.sql("duckdb").lower().count(f"{PREFIX}{T}(") == n_calls
    apart = query.replace(f"{T}(", f"{PREFIX}{T}(")
    assert engine.rows(f"FROM ({together.sql('duckdb')}) ORDER BY ALL") == engine.rows(
        f"FROM ({apart}) ORDER BY ALL"
    )


def test_nested_calls_stay_apart() -> None:
    """They are not run: DuckDB writes a function out wherever it is called, also inside of itself."""
    query = f"SELECT df, {T}(0.05, {T}(0.05, df)) AS a, {T}(0.05, other) AS b FROM {DFS}"
    together, _ = linked(CATALOG, sqlglot.parse_one(query, read="duckdb"))
    assert together.sql("duckdb").lower().count(f"{PREFIX}{T}(") == 3


def test_calls_that_are_one_are_those_of_scipy(engine: DuckDBEngine) -> None:
    query, macros = linked(CATALOG, sqlglot.parse_one(
        f"SELECT df, {T}(0.05, df) AS a, {T}(0.05, other) AS b FROM {DFS} ORDER BY df", read="duckdb"
    ))  # fmt: skip
    engine.define(macros)
    wanted = [(1.0, None), (3.0, 7.5), (40.0, 1e17)]
    for (df, a, b), (one, other) in zip(engine.rows(query), wanted, strict=True):
        assert df == one
        assert a == pytest.approx(scipy.stats.t.ppf(0.975, one), rel=1e-12)
        assert b == (None if other is None else pytest.approx(scipy.stats.t.ppf(0.975, other), rel=1e-12))


def test_a_connection_keeps_its_own_macros(tmp_path: Path) -> None:
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE MACRO erfc(x) AS 42")
        connection.execute("CREATE MACRO duckmetrics_erfc(x) AS 43")
    with duckdb.connect(path, read_only=True) as connection:
        engine = DuckDBEngine(connection)
        other = DuckDBEngine(connection)
        assert value_of(engine, "normal_cdf(0)") == 0.5
        assert value_of(other, "normal_sf(0)") == 0.5
        other.release()
        assert connection.execute("SELECT erfc(1)").fetchone() == (42,)
        engine.release()
        engine.release()
        mine = "SELECT function_name FROM duckdb_functions() WHERE function_name LIKE 'duckmetrics%'"
        assert connection.execute(mine).fetchall() == [("duckmetrics_erfc",)]
        assert connection.execute("SELECT duckmetrics_erfc(1)").fetchone() == (43,)


def test_another_engine_on_the_connection_does_not_take_the_macros_away() -> None:
    query, macros = linked(CATALOG, sqlglot.parse_one("SELECT normal_p(0)", dialect="duckdb"))
    with duckdb.connect() as connection:
        first, second = DuckDBEngine(connection), DuckDBEngine(connection)
        first.define(macros)
        second.release()
        assert first.rows(query) == [(1.0,)]
        second.define(macros)
        second.release()
        first.define(macros)
        assert first.rows(query) == [(1.0,)]
        assert len(first.ran) == len(macros)


def catalog_of(folder: Path, **functions: str) -> Catalog:
    """Return a catalog of functions written here: name -> expression over $x."""
    (folder / "functions").mkdir()
    for name, expression in functions.items():
        text = f"-- name: {name}\n-- params: x DOUBLE\nSELECT {expression} AS value;\n"
        (folder / f"functions/{name}.sql").write_text(text)
    return Catalog.read(folder)


def test_functions_that_call_each_other_are_refused(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, first="second($x)", second="third($x)", third="1e0 + first($x)")
    with pytest.raises(
        DefinitionError, match="calls itself by first -> second -> third -> first; break the circle"
    ):
        linked(catalog, sqlglot.parse_one("SELECT first(1)", dialect="duckdb"))


def test_a_function_that_sqlglot_knows_is_found_too(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, sqrt="$x * $x")
    query, _ = linked(catalog, sqlglot.parse_one("SELECT sqrt(a) + SQRT(sqrt(b))", dialect="duckdb"))
    assert query.sql("duckdb").lower().count("duckmetrics_sqrt(cast(") == 3


def test_parameters_that_touch_are_an_error_of_the_file(tmp_path: Path) -> None:
    """The parser reads $x)+f(2,$ as the opening of a DuckDB string."""
    catalog = catalog_of(tmp_path, touching="power(2,$x)+power(3,$x)")
    with pytest.raises(DefinitionError, match=re.escape("touching.sql")):
        linked(catalog, sqlglot.parse_one("SELECT touching(1)", dialect="duckdb"))
