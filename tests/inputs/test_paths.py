"""Paths of inputs: a file is read by its exact name, whatever its characters, and pipes are refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sqlglot import exp

import duckmetrics
from duckmetrics import InputError
from duckmetrics.engines.duckdb import DuckDBEngine

# Each name is a pattern that matches the other file, which has another number.
NAMES = {
    "run[1]": "run1", "st*r": "star", "q?": "qq", "[!a]": "b", "[a-b]": "b", "x]y": "xy", "a[": "a",
    "[[]": "[", "{a,b}": "a", "a\\b": "ab", "ü[é]": "üé", "100%": "100", "it's": "its", 'say "x"': "say x",
    " blank ": "blank", "-m": "m", "SELECT": "select1", "$k": "k", "~": "home",
}  # fmt: skip
TRUTH = "SELECT 'q' AS query_id, 'a' AS item_id"
RIGHT = "SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score"
WRONG = "SELECT 'q' AS query_id, 'z' AS item_id, 1.0 AS score"


def write(name: str, query: str, suffix: str) -> None:
    """Write a little run in a format."""
    if suffix == "run":
        ((query_id, item_id, score),) = duckdb.sql(query).fetchall()
        Path(f"{name}.run").write_text(f"{query_id} Q0 {item_id} 1 {score} tag\n")
    else:
        duckdb.sql(f"COPY ({query}) TO 'draft.{suffix}'")
        os.rename(f"draft.{suffix}", f"{name}.{suffix}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def items(given: Any) -> list[str]:
    """Return the items of a table as the engine reads it, without an evaluation."""
    engine = DuckDBEngine()
    relation = engine.attach(given, "predictions").relation
    return sorted(item for (item,) in engine.rows(exp.select("item_id").from_(relation)))


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *((name, "parquet") for name in NAMES),
        *((n, s) for n in ("run[1]", "~") for s in ("csv", "json", "run")),
    ],
)
def test_a_file_is_found_by_its_own_name(folder: Path, name: str, suffix: str) -> None:
    write(NAMES[name], WRONG, suffix)
    write(name, RIGHT, suffix)
    file = f"{name}.{suffix}"
    plain = [file] if name != "SELECT" else []  # the first word of a query
    for given in (Path(file), f"file:{file}", f"{folder}/{file}", [file], *plain):
        assert items(given) == ["a"], given


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["d[1]", "st*r", "q?"])
def test_a_folder_is_found_by_its_own_name(folder: Path, name: str) -> None:
    for place, query in ((name, RIGHT), ({"d[1]": "d1", "st*r": "star", "q?": "qq"}[name], WRONG)):
        (folder / place / "sub").mkdir(parents=True)
        write(f"{place}/x", query, "parquet")
        write(f"{place}/sub/y", query, "parquet")
    for given in (name, f"./{name}", Path(name), f"{name}/**/*.parquet"):
        assert items(given) == ["a", "a"], given
    assert items(f"{name}/x.parquet") == items(f"{name}/*.parquet") == ["a"]


def test_patterns_are_still_patterns(folder: Path) -> None:
    for i in (1, 2):
        write(f"run{i}", RIGHT, "parquet")
    for pattern in ("run[12].parquet", "run?.parquet", "*.parquet", f"{folder}/r*[1-2].parquet"):
        assert items(pattern) == ["a", "a"]
    assert items("run[1].parquet") == ["a"]
    with pytest.raises(InputError, match="no such file"):
        items("run[3].parquet")


def test_the_shell_finds_a_file_by_its_own_name(folder: Path) -> None:
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.shell.shipped import views

    write("run1", WRONG, "parquet")
    write("run[1]", RIGHT, "parquet")
    connection = duckdb.connect()
    connection.execute(views(catalog(), ["run[1].parquet"]))
    assert connection.execute('SELECT item_id FROM "run[1]"').fetchall() == [("a",)]


# --- paths that are not files -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    ["pipe.csv", "file:pipe.csv", "pipes", "pipes/*.csv", "/dev/fd/PIPE", "FROM read_csv('pipe.csv')",
     "FROM 'pipe.csv'", "SELECT * FROM read_csv(['/dev/fd/PIPE'])", "FROM '/dev/fd/PIPE'"],
)  # fmt: skip
def test_pipes_are_refused_at_once(folder: Path, given: str) -> None:
    (folder / "pipes").mkdir()
    os.mkfifo("pipe.csv")
    os.mkfifo("pipes/a.csv")
    given = given.replace("PIPE", str(os.pipe()[0]))
    with pytest.raises(InputError, match=r"is a pipe or device.*write it to a file first"):
        DuckDBEngine().attach(given, "predictions")


def test_a_limit_of_open_files_is_named() -> None:
    from duckmetrics.engines.duckdb_errors import refused

    error = refused(duckdb.IOException('IO Error: Cannot open file "a.parquet": Too many open files'), "")
    assert "ulimit -n 4096" in str(error)


# --- columns ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pctr+", "score+rank", "+", "rank+"])
def test_only_keys_are_made_of_several_columns(name: str) -> None:
    rows = "SELECT 1 AS label, 0.5 AS score, 2 AS rank UNION ALL SELECT 0, 0.4, 1"
    with pytest.raises(InputError, match=r"no table has a column|only keys such as"):
        duckmetrics.evaluate(rows, None, "auc", columns={"score": name})
