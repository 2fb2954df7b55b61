"""Every file under sql/ is portable, or declares that it is not, and why."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest
import sqlglot
from sqlglot import exp

from duckmetrics.api.sql import sql
from duckmetrics.catalog.catalog import sql_root
from duckmetrics.cli.support import page
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.functions import inlined, linked
from duckmetrics.compose.portable import problems, reason_against
from duckmetrics.compose.translation import translated
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import RangeOf, literal
from support.cases import CATALOG
from support.loops import each
from support.must_run import NO_CASE

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics.catalog.definition import Definition

# Folders whose files are for DuckDB alone: its shell, and steps that start from few numbers.
OF_DUCKDB = ("answers", "macros", "statistics", "sampling", "functions")
FILES = [
    definition
    for shelf in (
        CATALOG.metrics, CATALOG.tables, CATALOG.relations, CATALOG.aggregations, CATALOG.checks,
        CATALOG.inspections,
    )
    for definition in shelf.values()
]  # fmt: skip
TABLES_OF_NUMBERS = {"range", "numbers"}
# Functions of an engine that sqlglot does not know; tests run these texts in their engines.
OWN_FUNCTIONS = {"duckdb": {"isfinite"}, "postgres": {"pg_typeof"}}
OTHERS = [name for name in DIALECTS if name != "duckdb"]

# Queries that would run elsewhere, over inputs that only DuckDB makes.
OF_DUCKDB_INPUTS = ("class_segments", "classified", "tie_deviations")


@each("definition", FILES, lambda d: f"{d.family}/{d.name}")
def test_a_file_is_portable_or_says_why_not(definition: Definition) -> None:
    found = problems(CATALOG, definition)
    if definition.name in OF_DUCKDB_INPUTS:
        assert definition.header["portable"].startswith("no, ")
        assert not found
    elif definition.header.get("portable", "").startswith("no, "):
        assert found, "it is portable: take the line out of its header"
    else:
        assert not found, f"{definition.path}: {'; '.join(found)}"


def test_every_shelf_is_looked_at_or_of_duckdb() -> None:
    folders = {path.name for path in sql_root().iterdir() if path.is_dir()}
    assert folders == {d.path.relative_to(sql_root()).parts[0] for d in FILES} | set(OF_DUCKDB)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT 0.1 AS value", "0.1 is a decimal number"),
        ("SELECT log(x) AS value FROM t", "the base of log"),
        ("SELECT CAST(x / 2 AS INTEGER) AS value FROM t", "rounds or cuts off"),
        ("SELECT round(x) AS value FROM t", "Round is not in the portable subset"),
        ("SELECT list(x ORDER BY y) AS value FROM t", "ArrayAgg"),
        ("SELECT hash(x) AS value FROM t", "hash() is a function"),
        ("SELECT max(x, 3) AS value FROM t", "yields a list"),
        ("SELECT a FROM t SEMI JOIN u ON t.a = u.a", "a join of kind SEMI"),
        ("SELECT a FROM t ASOF JOIN u ON t.a >= u.a", "a join of kind ASOF"),
        ("SELECT a, count(*) FROM t GROUP BY ALL", "GROUP BY ALL"),
        ("SELECT a FROM (SELECT 1 AS a)", "a subquery without a name"),
        ("SELECT CAST(a AS HUGEINT) AS value FROM t", "the type INT128"),
        ("WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT a FROM r", "recursive"),
        ("SELECT x // 2 AS value FROM t", "IntDiv"),
        ("SELECT list_transform([1], lambda x: x) AS value", "Lambda"),
    ],
)  # fmt: skip
def test_what_is_not_portable_is_found(tmp_path: Path, sql: str, why: str) -> None:
    from duckmetrics.catalog.catalog import Catalog

    folder = tmp_path / "relations"
    folder.mkdir()
    (folder / "tried.sql").write_text(f"-- name:     tried\n{sql};\n", "utf-8")
    catalog = Catalog.read(tmp_path)
    found = problems(catalog, catalog.relations["tried"])
    assert any(why in problem for problem in found), found


def test_what_is_not_portable_is_refused_elsewhere() -> None:
    both = CATALOG.metrics.values(), CATALOG.tables.values()
    refused = [[one for one in ones if reason_against(CATALOG, one)] for ones in both]
    assert all(refused)
    for metric in chain(*refused):
        example = metric.header.get("example", "").partition(" = ")[0].replace(" := ", "=")
        spec = f"{metric.family}.{example.removesuffix('()') or metric.name}"
        assert sql([spec])
        with pytest.raises(UnsupportedError, match="evaluate it with DuckDB"):
            sql([spec], "spark")


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="did you mean 'spark'"):
        sql(["ndcg@10"], "sparc")


@pytest.mark.parametrize("dialect", OTHERS)
def test_columns_that_are_not_there_are_found(dialect: str) -> None:
    query = sqlglot.parse_one("SELECT scor FROM predictions", dialect="duckdb")
    assert isinstance(query, exp.Query)
    with pytest.raises(UnsupportedError, match="scor"):
        translated(query, dialect, {"predictions": {"score": "DOUBLE"}})


def test_functions_written_out_are_those_of_duckdb() -> None:
    import duckdb

    numbers = "SELECT unnest([0e0, -0.3e0, 1.96e0, 5.5e0, 27e0]) AS z"
    text = f"SELECT normal_p(z) AS p, log1p(z / 40) AS l FROM ({numbers}) AS t"
    query = sqlglot.parse_one(text, dialect="duckdb")
    assert isinstance(query, exp.Query)
    called, macros = linked(CATALOG, query)
    with duckdb.connect() as connection:
        for macro in macros:
            connection.execute(macro.sql("duckdb"))
        wanted = connection.execute(called.sql("duckdb")).fetchall()
        assert connection.execute(inlined(CATALOG, query).sql("duckdb")).fetchall() == wanted


@pytest.mark.some(3)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 255])
def test_the_range_of_a_score_counts_the_edges_below(n: int) -> None:
    import duckdb

    edges = tuple(i / 2 for i in range(n))
    ladder = RangeOf("score", edges).expression().sql("duckdb")
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT score, {ladder} FROM (SELECT i / 4 - 1 AS score FROM range({2 * n + 9}) AS t(i)) AS t"
        ).fetchall()
    assert [found for _, found in rows] == [sum(edge <= score for edge in edges) for score, _ in rows]
    assert literal(RangeOf("score", edges)).sql("duckdb") == ladder


@pytest.mark.slow
def test_the_page_of_what_runs_where_is_fresh() -> None:
    from support.cases import ROOT

    written = (ROOT / "duckmetrics/compose/DIALECTS.md").read_text("utf-8")
    assert written == page(), "write it again: duckmetrics dialects --all > duckmetrics/compose/DIALECTS.md"


@pytest.mark.some(1)
@pytest.mark.skipif(
    tuple(map(int, sqlglot.__version__.split(".")[:2])) < (30, 30),
    reason=f"{NO_CASE}an older sqlglot writes the same queries with other text, such as another NULLIF",
)
@pytest.mark.parametrize("dialect", [*DIALECTS])
def test_the_text_of_every_dialect_is_as_it_was(dialect: str) -> None:
    """A person reads each change of a text that no test executes."""
    from support.golden import SPECS, golden, path_of

    for family in SPECS:
        written = path_of(family, dialect).read_text("utf-8")
        assert written == golden(family, dialect), (
            "write it again and read it: PYTHONPATH=tests python -m support.golden"
        )
        for statement in sqlglot.parse(written, dialect=dialect):
            assert statement is not None
            unknown = {call.name.lower() for call in statement.find_all(exp.Anonymous)}
            known = TABLES_OF_NUMBERS | OWN_FUNCTIONS.get(dialect, set())
            assert unknown <= known, "a function that sqlglot does not know"
