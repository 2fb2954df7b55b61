"""Folders of Delta, Iceberg, Hudi and DuckLake tables: their files are of several versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.errors import InputError

OLD = pa.table({"query_id": [1, 1], "item_id": [1, 2], "score": [0.1, 0.9]})
NEW = pa.table({"query_id": [1, 1], "item_id": [1, 2], "score": [0.9, 0.1]})
TRUTH = pa.table({"query_id": [1], "item_id": [1]})
# The marker of each format, the place of its data files, and the words that the message must have.
FORMATS = {
    "delta": ("_delta_log/00000000000000000000.json", "", "folder of the table, {}"),
    "delta with partitions": (
        "_delta_log/00000000000000000000.json",
        "day=1/hour=2/",
        "folder of the table, {}",
    ),
    "iceberg": ("metadata/00001-a.metadata.json", "data/", "folder of the table, {}"),
    "iceberg with partitions": ("metadata/v1.metadata.json", "data/day=1/", "folder of the table, {}"),
    "hudi": (".hoodie/hoodie.properties", "day=1/", "export the current version"),
    "ducklake": (None, "", "ducklake:"),
}


@pytest.fixture(params=FORMATS)
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, str]:
    marker, inside, words = FORMATS[request.param]
    folder = tmp_path / "shop" / "table"
    (folder / inside).mkdir(parents=True)
    stem = "part" if marker else "ducklake"
    for version, rows in enumerate((OLD, NEW)):
        pq.write_table(rows, folder / inside / f"{stem}-{version}.parquet")
    if marker:
        (folder / marker).parent.mkdir()
        (folder / marker).write_text("{}\n")
    return folder, f"{folder}/{inside}{stem}-1.parquet", words.format(folder)


PATHS = [
    "{0}",
    "{0}/",
    "{0}/**/*.parquet",
    "{0}/../**/*.parquet",
    "{1}",
    "{0}/..",
    "{0}/../table/**/*.parquet",
]


@pytest.mark.some(0)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("given", [str, Path, lambda path: f"file:{path}", lambda path: [path]])
def test_the_files_of_versions_are_not_read_as_plain_parquet(
    lake: tuple[Path, str, str], path: str, given: Any
) -> None:
    folder, file, words = lake
    with pytest.raises(InputError) as raised:
        duckmetrics.evaluate(given(path.format(folder, file)), TRUTH, ["ndcg@10"])
    message = str(raised.value)
    if _is_whole(folder, path.format(folder, file), given):
        # A table of Delta or Iceberg; this one is damaged, or no extension here reads it.
        assert "cannot be read" in message or ("neither an extension" in message and "pip install" in message)
        return
    assert "older versions" in message
    assert "pattern" not in message
    if "export" not in words and "ducklake" not in words:
        assert words in message or "/.." in message


def _is_whole(folder: Path, path: str, given: Any) -> bool:
    """Return whether a path means the whole table, of a format that is read; a list means files."""
    is_read = (folder / "_delta_log").exists() or (folder / "metadata").exists()
    return is_read and not isinstance(given(path), list) and Path(path).resolve() == folder.resolve()


@pytest.mark.some(4)
def test_the_folder_of_the_data_files_alone_is_refused(lake: tuple[Path, str, str]) -> None:
    folder, file, _ = lake
    for path in (
        *([] if Path(file).parent == folder else [str(Path(file).parent)]),
        f"{Path(file).parent}/*.parquet",
        f"{Path(file).parent}/*-1.parquet",
    ):
        with pytest.raises(InputError, match="older versions"):
            duckmetrics.evaluate(path, TRUTH, ["ndcg@10"])


def test_a_relative_path_is_looked_at_as_well(
    lake: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, file, _ = lake
    monkeypatch.chdir(Path(file).parent)
    with pytest.raises(InputError, match="older versions"):
        duckmetrics.evaluate(Path(file).name, TRUTH, ["ndcg@10"])


@pytest.mark.slow
def test_a_plain_folder_beside_is_read(lake: tuple[Path, str, str]) -> None:
    folder, _, _ = lake
    plain = folder.parent / "plain"
    plain.mkdir()
    pq.write_table(NEW, plain / "a.parquet")
    for path in (plain, plain / "a.parquet", f"{plain}/*.parquet"):
        assert duckmetrics.evaluate(path, TRUTH, ["ndcg@10"])["ndcg@10"] == 1.0


@pytest.mark.some(1)
def test_sql_says_what_is_read(lake: tuple[Path, str, str]) -> None:
    _, file, _ = lake
    assert duckmetrics.evaluate(f"FROM '{file}'", TRUTH, ["ndcg@10"])["ndcg@10"] == 1.0


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("run.parquet@v1", "run.parquet: is not a Delta or Iceberg table, so it has no version v1"),
        ("nothing@2025-11-01", "not a Delta or Iceberg table, so it has no version 2025-11-01"),
        ("run.parquet@2026-13-01", "'2026-13-01' is not a date or time"),
        ("run.parquet@9999-01-01", "'9999-01-01' is in the future"),
        ("run.parquet@0001-01-01T00:00:00+05:00", "is not a date or time"),
    ],
)
def test_what_has_no_versions_is_refused(tmp_path: Path, name: str, problem: str) -> None:
    pq.write_table(NEW, tmp_path / "run.parquet")
    with pytest.raises(InputError, match=problem):
        duckmetrics.evaluate(tmp_path / name, TRUTH, ["ndcg@10"])


@pytest.mark.parametrize("name", ["run.parquet@3", "run.parquet@latest", "folder@", "folder@3"])
def test_a_version_that_is_written_in_another_way_gets_advice(tmp_path: Path, name: str) -> None:
    pq.write_table(NEW, tmp_path / "run.parquet")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="follows its folder: run@v3"):
        duckmetrics.evaluate(tmp_path / name, TRUTH, ["ndcg@10"])


def test_a_file_may_have_a_name_that_looks_like_a_version(tmp_path: Path) -> None:
    pq.write_table(NEW, tmp_path / "run.parquet")
    (tmp_path / "run@v1").mkdir()
    pq.write_table(OLD, tmp_path / "run@v1/part.parquet")
    assert duckmetrics.evaluate(tmp_path / "run@v1", TRUTH, ["mrr"])["mrr"] == 0.5


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"version": {"prediction": 3}}, "'prediction' is not a table .* did you mean 'predictions'"),
        ({"version": {"queries": 3}}, "version: is for queries, and there is no such table; leave it out"),
        ({"version": {"predictions": "x"}}, "version predictions: 'x' is not the number of a version"),
        ({"version": True}, "True is not the number of a version"),
        ({"version": "2026-01-01"}, r"a time goes to as_of= \(--as-of\)"),
        ({"as_of": {"predictions": 3}}, "as_of predictions: 3 is not a date or time; write one such as"),
        ({"as_of": "9999-01-01"}, "as_of: '9999-01-01' is in the future"),
        ({"version": {"truth": 1}, "as_of": {"truth": "2026-01-01"}}, "keep one of them for each table"),
        (
            {"version": 1, "as_of": {"truth": "2026-01-01"}},
            r"keep one .* as_of=\{'predictions'",
        ),
        ({"version": 1}, "version: no table has a version v1, since none is a Delta or Iceberg table"),
        ({"version": {"predictions": 1}}, "run.parquet: is not a Delta or Iceberg table, so it has no"),
        ({"version": {"truth": 1}}, r"truth \(Table\): is not a path, so it has no versions here; give"),
    ],
)
def test_a_version_that_cannot_be_meant_is_refused(
    tmp_path: Path, asked: dict[str, Any], problem: str
) -> None:
    pq.write_table(NEW, tmp_path / "run.parquet")
    with pytest.raises(InputError, match=problem):
        duckmetrics.evaluate(tmp_path / "run.parquet", TRUTH, ["ndcg@10"], **asked)


def test_a_query_has_no_version_and_can_name_one() -> None:
    with pytest.raises(InputError, match=r"has no versions here; .*FROM lake.run AT \(VERSION => 3\)"):
        duckmetrics.evaluate("FROM run", TRUTH, ["ndcg@10"], version={"predictions": 1})
