"""The statements that a command runs first on its connection, and the databases that it attaches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from support.command_line import exports, results, run
from support.little import RR

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]


@pytest.fixture
def database(exports: Path) -> str:
    """Create a database with the exports as tables, one in a schema, under names that end like files."""
    path = exports / "other.duckdb"
    if not path.exists():
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE SCHEMA s; CREATE TABLE s.run AS FROM 'p.parquet'")
            connection.execute("CREATE TABLE qrels AS FROM 't.parquet'; CREATE TABLE \"a b\" AS FROM s.run")
    return f"wh={path}"


@pytest.mark.parametrize("predictions", ["wh.s.run", "WH.S.RUN", 'wh."a b"', 'FROM wh."a b"'])
def test_tables_of_an_attached_database_are_named(run: Command, database: str, predictions: str) -> None:
    found = results(
        run("evaluate", predictions, "wh.qrels", "--attach", database, "-m", "rr", "--format", "json")
    )
    assert [row["value"] for row in found] == [RR]


def test_files_of_statements_run_first_and_both_may_stand_in_a_file_of_options(
    run: Command, database: str
) -> None:
    Path("setup.sql").write_text("SET threads = 1;\nCREATE TEMP TABLE mine AS FROM 'p.parquet';")
    Path("eval.toml").write_text(f"""
        predictions = "mine"
        truth = "wh.qrels"
        metric = "rr"
        init = "setup.sql"
        [attach]
        wh = "{database.partition("=")[2]}"
    """)
    assert [
        row["value"] for row in results(run("evaluate", "--config", "eval.toml", "--format", "json"))
    ] == [RR]


REFUSED = {
    "CREATE SECRET s (TYPE s3, KEY_ID 'abcd', SECRT 'geheim')": "statement 1",
    "CREATE SECRET s (TYPE nothing_at_all, SECRET 'geheim')": "nothing_at_all",
    "CREATE SECRET s (TYPE s3 'geheim')": "fix the statement",
    "SELECT 1; ATTACH 'postgres:host=127.0.0.1 port=1 password=geheim' AS pg": "statement 2",
    "CREATE SECRET s (TYPE nothing_at_all, SECRET $$geheim$$)": "nothing_at_all",
    "SELECT 1; FROM nothing": "statement 2: Catalog Error",
}


@pytest.mark.some(2)
@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_says_where_and_shows_no_secret(run: Command, text: str) -> None:
    Path("setup.sql").write_text(text)
    code, out, err = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--init", "setup.sql")
    assert (code, out) == (2, "")
    assert "setup.sql" in err
    assert "geheim" not in err
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize(("option", "words"), [
    (("--attach", "wh=nothing.duckdb"), "--attach wh=nothing.duckdb: no such database file"),
    (("--attach", "wh"), "write --attach NAME=VALUE"),
    (("--attach", "postgres:host=127.0.0.1 password=geheim"), "--attach: no name before the ="),
    (("--attach", "pg=postgres:host=127.0.0.1 port=1 password=geheim"), "--attach pg: "),
    pytest.param(("--attach", "pg=postgres:"), "Error: ", marks=pytest.mark.slow),
    (("--init", "nothing.sql"), "nothing.sql: cannot be read"),
    (("--snapshot", "once"), "'once' is not one of"),
    (("--attach", "wh=p.parquet"), "--attach wh: "),
])  # fmt: skip
def test_what_cannot_be_attached_is_told(run: Command, option: tuple[str, str], words: str) -> None:
    code, out, err = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", *option)
    assert (code, out) == (2, "")
    assert words in err
    assert "geheim" not in err
