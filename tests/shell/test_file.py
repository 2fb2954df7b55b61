"""The macros of the DuckDB shell as a whole: the file, the database, and the command that opens the shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import duckdb
import pytest

import duckmetrics
from duckmetrics.catalog.definition import MULTICLASS, RANKING
from duckmetrics.errors import UnsupportedError
from duckmetrics.shell import shipped
from duckmetrics.shell import shipped as shell
from duckmetrics.shell.macro import EXPLAINED
from duckmetrics.shell.parameters import aliases_of, is_listed
from duckmetrics.shell.script import _code, _definitions, _modules, digest, macros
from support.cases import CATALOG, ROOT
from support.command_line import Command
from support.duckdb_shell import comments, connected, differences, executable, rows, text, written
from support.loops import each

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics.shell.macro import Macro


def public() -> list[Macro]:
    return [macro for macro in macros(CATALOG) if not macro.is_internal]


class Created(NamedTuple):
    """A macro that the file creates."""

    name: str
    is_table: bool
    about: str


def created() -> list[Created]:
    """Return the macros of the file, each once, as DuckDB lists them; internal ones have no comment."""
    query = (
        "SELECT DISTINCT function_name, function_type FROM duckdb_functions() WHERE NOT internal ORDER BY ALL"
    )
    with connected() as connection:
        about = {(name, kind): text for name, kind, text in comments(connection)}
        every = connection.execute(query).fetchall()
        return [Created(name, kind == "table_macro", about.get((name, kind), "")) for name, kind in every]


def told() -> list[Created]:
    return [macro for macro in created() if macro.about]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


WRITE = "write the file again with: duckmetrics macros -o sql/duckmetrics.sql"


def test_the_file_is_of_these_definitions() -> None:
    """A definition, a preset or a module that writes macros changed since: one test says what to do."""
    head = shipped.macros_file().read_text("utf-8")[:1000]
    written = re.search(r"(?m)^-- Do not edit: .* digest: (\w+)$", head)
    assert written is not None, WRITE
    assert written[1] == digest(), WRITE


def test_the_digest_is_of_code_and_definitions() -> None:
    """Comments and docstrings change no macro; so do screens, charts and results."""
    one = 'VALUE = 1\n\n\ndef f() -> int:\n    """Return one."""\n    # A comment.\n    return VALUE\n'
    other = (
        'VALUE = 1\ndef f() -> int:\n    """Return a number,\n    which is 1.\n    """\n    return VALUE\n'
    )
    assert list(_code(one)) == list(_code(other)) == [
        "VALUE = 1", "def f() -> int:", "    return VALUE"
    ]  # fmt: skip
    assert list(_code(one.replace("= 1", "= 2"))) != list(_code(one))
    read = {path.relative_to(ROOT).as_posix() for path in (*_definitions(), *_modules())}
    folders = ("shell", "compose", "expressions", "catalog", "presets")
    for folder in folders:
        assert any(path.startswith(f"duckmetrics/{folder}/") for path in read), folder
    assert {"sql/ranking/ndcg.sql", "sql/macros/predictions.sql", "duckmetrics/presets/ranx.toml"} <= read
    assert not any("/pages/" in path or path == "sql/duckmetrics.sql" for path in read)


@pytest.mark.slow
def test_the_file_in_the_repository_is_fresh() -> None:
    """Write it again with: duckmetrics macros -o sql/duckmetrics.sql."""
    assert (ROOT / "sql/duckmetrics.sql").read_text("utf-8") == shipped.written_macros()


def test_every_metric_and_every_table_has_a_macro() -> None:
    tables = {macro.name for macro in created() if macro.is_table}
    for (family, name), alias in CATALOG.names.items():
        macro = alias.metric.macros.get(name, name)
        assert macro in tables or family == MULTICLASS, f"{family}.{name}"
    assert {name for family, name in CATALOG.tables if family != MULTICLASS} <= tables


def test_macros_of_many_metrics_offer_those_of_predictions_and_truth_only() -> None:
    offered = set(aliases_of(CATALOG, RANKING))
    listed = {
        name for (family, name), a in CATALOG.names.items() if family == RANKING and is_listed(a.metric)
    }
    assert offered == listed
    assert {"ndcg", "map", "user_coverage"} <= offered
    assert not offered & {"average_popularity", "arp", "category_diversity", "overlap", "coverage", "gini"}


def test_names_are_neither_builtin_nor_reserved() -> None:
    connection = duckdb.connect()
    functions = connection.execute("SELECT function_name FROM duckdb_functions()").fetchall()
    builtin = {name for (name,) in functions}
    words = {
        word for (word,) in connection.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        ).fetchall()
    }  # fmt: skip
    assert not {macro.name for macro in created()} & (builtin | words)


def test_the_command_writes_the_file(run: Command, tmp_path: Path) -> None:
    target = tmp_path / "out.sql"
    assert run("macros", "-o", target) == (0, "", "")
    shipped = (ROOT / "sql/duckmetrics.sql").read_text("utf-8")
    assert target.read_text("utf-8") == shipped
    assert run("macros").out == shipped
    refused = run("macros", "-o", target, "--database", tmp_path / "x.duckdb")
    assert refused.code == 2
    assert "choose one" in refused.err
    assert run("macros", "-o", tmp_path / "no" / "folder.sql").code == 2


def test_the_file_that_ships_is_read_and_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing it takes ten seconds of CPU time."""
    monkeypatch.setattr(shipped, "written_macros", lambda: pytest.fail("the macros were written again"))
    assert duckmetrics.macros_sql() == (ROOT / "sql/duckmetrics.sql").read_text("utf-8")


def test_the_command_writes_the_shipped_file_anew(
    run: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "duckmetrics.sql").write_text("-- duckmetrics 0: of yesterday\n")
    monkeypatch.setattr(shipped, "sql_root", lambda: tmp_path)
    monkeypatch.setattr(shipped, "written_macros", lambda: "-- duckmetrics 0: written anew\n")
    assert run("macros").out == "-- duckmetrics 0: of yesterday\n"
    assert run("macros", "-o", tmp_path / "duckmetrics.sql").code == 0
    assert (tmp_path / "duckmetrics.sql").read_text("utf-8") == "-- duckmetrics 0: written anew\n"


def test_a_database_tells_how_far_it_is(
    run: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few = "".join(
        f"CREATE OR REPLACE TEMP MACRO duckmetrics_{name}() AS (1);\n" for name in ("help", "a", "b")
    )
    monkeypatch.setattr(shipped, "macros_sql", lambda definitions: few)
    seen: list[float] = []
    duckmetrics.macros_database(tmp_path / "few.duckdb", progress=seen.append)
    assert seen == [pytest.approx(100 * done / 3) for done in range(1, 4)]
    assert run("macros", "--database", tmp_path / "again.duckdb") == (0, "", "")
    with duckdb.connect() as connection:
        assert run("macros", "--database", tmp_path / "other.duckdb", "--as", "other").code == 0
        connection.execute(f"ATTACH '{tmp_path}/other.duckdb' AS other (READ_ONLY)")
        assert connection.execute("SELECT other.duckmetrics_a()").fetchall() == [(1,)]
    for name in ("a b", "my-db", "select", "order", "memory", "temp", ""):
        refused = run("macros", "--database", tmp_path / "x.duckdb", "--as", name)
        assert refused.code == 2, name
        assert "cannot be the name of a database" in refused.err, name
    assert not (tmp_path / "x.duckdb").exists()
    assert run("macros", "--as", "dm").code == 2


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("macros") / "macros.duckdb"
    duckmetrics.macros_database(path)
    return path


@pytest.mark.slow
def test_the_database_needs_nothing_beside_it(database: Path) -> None:
    """It has every macro, and works while another database is in use."""
    name = "dm"
    connection = duckdb.connect()
    connection.execute((ROOT / "tests/data/ranking/sample.sql").read_text("utf-8"))
    connection.execute(f"ATTACH '{database}' AS \"{name}\" (READ_ONLY)")
    predictions = "SELECT item_id > 'b' AS label, score FROM predictions"
    own = duckdb.connect()
    own.execute(text())
    own.execute((ROOT / "tests/data/ranking/sample.sql").read_text("utf-8"))
    data = written(predictions)
    arguments = {
        "predictions, truth": "'predictions', 'truth'", "data, label, score": f"{data}, label, score",
        "data, label, score, group_id": f"{data}, label, score, label", "label, score": "label, score",
    }  # fmt: skip
    tried = 0
    for macro in public():
        required = ", ".join(a.name for a in macro.overloads[0].arguments if a.required)
        if required not in arguments:
            continue
        needed = (f", {a.name} := '{a.name}'" for a in macro.overloads[0].arguments if a.is_needed)
        call = f"{macro.name}({arguments[required]}{''.join(needed)})"
        place = f'"{name}".{call}'
        query = "FROM {}" if macro.is_table else f"SELECT {{}} FROM ({predictions})"
        found = connection.execute(query.format(place)).fetchall()
        wanted = own.execute(query.format(call)).fetchall()
        assert not differences(found, wanted), macro.name
        tried += 1
    assert tried > 100
    given = written("SELECT item_id > 'b' AS label, score, query_id FROM predictions")
    sliced = f"roc_auc({given}, label, score, system := 'query_id', \"by\" := ['label'])"
    found = connection.execute(f'FROM "{name}".{sliced}').fetchall()
    assert found
    assert not differences(found, own.execute(f"FROM {sliced}").fetchall())
    assert connection.execute(f"FROM \"{name}\".duckmetrics_help('ndcg')").fetchall()


@pytest.mark.slow
def test_the_database_has_every_macro(database: Path) -> None:
    connection = duckdb.connect()
    connection.execute(f"ATTACH '{database}' AS dm (READ_ONLY)")
    found = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'dm'"
    ).fetchall()
    assert {name for (name,) in found} == {macro.name for macro in created()}


@pytest.mark.slow
def test_the_database_is_small(database: Path) -> None:
    """DuckDB reads all of it when it is attached."""
    assert database.stat().st_size < 4e6


def test_the_file_is_small() -> None:
    """People read it whenever they open a shell."""
    assert shipped.macros_file().stat().st_size < 2e6


@pytest.mark.slow
def test_arguments_of_a_query_are_values(database: Path) -> None:
    """Quotes and braces in an argument are no part of the text of the query."""
    connection = duckdb.connect()
    connection.execute(f"ATTACH '{database}' AS dm (READ_ONLY)")
    odd = "it's {0} Ā {{1}} --"
    connection.execute("CREATE TABLE odd AS SELECT 1 AS label, 0.5 AS score, $1 AS c", [odd])
    found = f"FROM dm.accuracy({written('FROM odd WHERE c = ' + written(odd))}, label, score)"
    assert rows(connection, found)[0]["n"] == 1
    refused = f"FROM dm.log_loss('odd', label, score, undefined := {written(odd)})"
    with pytest.raises(duckdb.Error, match=re.escape(f"undefined cannot be '{odd}'")):
        connection.execute(refused).fetchall()


@pytest.mark.slow
def test_any_supported_version_can_attach_the_database(database: Path) -> None:
    """The file has the format of DuckDB 1.4: magic bytes, then the version of the storage."""
    header = database.read_bytes()[:20]
    assert header[8:12] == b"DUCK"
    assert int.from_bytes(header[12:20], "little") == 67


def open_shell(
    *arguments: str, script: str = "", home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", **({"HOME": str(home)} if home else {})}
    return subprocess.run(
        [sys.executable, "-m", "duckmetrics", "shell", *arguments], input=script, env=environment,
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip


@pytest.mark.slow
def test_the_shell_has_the_macros(tmp_path: Path) -> None:
    executable()
    done = open_shell("-csv", "-c", "SELECT normal_p(0.0) AS p")
    assert (done.returncode, done.stdout.split()) == (0, ["p", "1.0"])
    file = tmp_path / "own.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS y, 0.5 AS s")
        connection.execute("CHECKPOINT")
    if duckdb.__version__.startswith("1."):  # the shell is a 1.5 and cannot read a file of 2.0
        done = open_shell(str(file), "-readonly", "-csv", script="SELECT accuracy(y, s) AS a FROM t;")
        assert (done.returncode, done.stdout.split()) == (0, ["a", "1.0"]), done.stderr


def test_the_shell_takes_the_macros_from_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The shell opens at once; without the file, it writes the macros."""
    seen = tmp_path / "seen.sql"
    fake = tmp_path / "fake"
    fake.write_text(f'#!/bin/sh\ncp "$2" {seen}\n')
    fake.chmod(0o755)
    monkeypatch.setattr(shell, "find", lambda: str(fake))
    monkeypatch.setattr(shell, "HOME_FILE", tmp_path / "none")
    monkeypatch.setattr(shipped, "written_macros", lambda: "-- duckmetrics 0: written anew\n")
    assert shell.run([]) == 0
    assert seen.read_text("utf-8") == (ROOT / "sql/duckmetrics.sql").read_text("utf-8")
    monkeypatch.setattr(shipped, "sql_root", lambda: tmp_path)
    assert shell.run([]) == 0
    assert seen.read_text("utf-8") == "-- duckmetrics 0: written anew\n"


@pytest.mark.slow
def test_the_shell_reads_what_people_have_set_up(tmp_path: Path) -> None:
    (tmp_path / ".duckdbrc").write_text("CREATE TEMP MACRO mine() AS 42;")
    done = open_shell("-csv", script="SELECT mine() AS a, mae(1, 3) AS b;", home=tmp_path)
    assert done.stdout.split() == ["a,b", "42,2.0"], done.stderr


@pytest.mark.slow
def test_the_shell_names_data_files_by_their_stem(tmp_path: Path) -> None:
    folder = tmp_path / "a folder, it's one"
    folder.mkdir()
    (folder / "run.csv").write_text("query_id,item_id,score\nq,a,2\nq,b,1\n")
    (folder / "truth.qrels").write_text("q 0 b 1\n")
    (folder / "old.run").write_text("q Q0 a 1 2 tag\nq Q0 b 2 1 tag\n")
    (folder / ".duckdbrc").write_text("CREATE TEMP MACRO mine() AS 42;")
    files = [str(folder / name) for name in ("run.csv", "truth.qrels", "old.run")]
    new = "SELECT value, mine() AS own FROM mrr('run', 'truth')"
    script = f"{new} UNION ALL SELECT value, 0 FROM mrr('old', 'truth')"
    done = open_shell(*files, "-csv", "-c", script, home=folder)
    assert done.stdout.split() == ["value,own", "0.5,42", "0.5,0"], done.stderr


def test_the_shell_refuses_data_files_that_are_not_there(run: Command, tmp_path: Path) -> None:
    ended = run("shell", str(tmp_path / "none.parquet"))
    assert ended.code == 2
    assert "none.parquet: no such file" in ended.err
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.csv").write_text("query_id\n1\n")
    ended = run("shell", str(tmp_path / "a" / "run.csv"), str(tmp_path / "b" / "run.csv"))
    assert ended.code == 2
    assert "is called 'run' too" in ended.err


def test_an_interrupt_leaves_the_shell_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ctrl-C reaches both processes, and is meant for the query in the shell."""
    fake = tmp_path / "fake"
    fake.write_text(f"#!/bin/sh\ntrap '' INT\nkill -INT {os.getpid()}\nsleep 0.2\nexit 7\n")
    fake.chmod(0o755)
    monkeypatch.setattr(shell, "find", lambda: str(fake))
    assert shell.run([]) == 7


@pytest.mark.slow
def test_the_shell_passes_on_how_it_ended() -> None:
    assert open_shell("-bail", "-c", "SELECT nothing").returncode == 1


def test_without_a_shell_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, run: Command) -> None:
    monkeypatch.setattr(shell, "PROGRAM", "no-such-program")
    with pytest.raises(UnsupportedError, match="pip install duckdb-cli"):
        shell.find()
    ended = run("shell")
    assert ended.code == 2
    assert "pip install duckdb-cli" in ended.err


@pytest.mark.slow
def test_loading_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "own.duckdb"
    duckdb.connect(file).close()
    with duckdb.connect(file, read_only=True) as connection:
        connection.execute(text())
        connection.execute(text())
        assert connection.execute("SELECT count(*) > 100 FROM duckmetrics_help()").fetchone() == (True,)
    with duckdb.connect(file) as connection:
        left = "SELECT function_name FROM duckdb_functions() WHERE NOT internal"
        assert connection.execute(left).fetchall() == []
        assert connection.execute("SHOW TABLES").fetchall() == []


@each("macro", told, lambda macro: f"{macro.name}-{macro.is_table}")
def test_the_help_tells_what_a_macro_is(macro: Created) -> None:
    lines = macro.about.split("\n")
    assert lines[0] == "duckmetrics"
    assert lines[1].startswith("title: ")
    assert next(line for line in lines[2:] if line.partition(":")[0] not in EXPLAINED).startswith("call: ")
    assert all(re.match(r"[a-z_]+(=\w+)?: \S", line) for line in lines[1:])
