"""Unreadable inputs: broken files, objects that are not tables, engines that refuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics import DuckmetricsError, InputError
from support.little import RR, evaluation, little

if TYPE_CHECKING:
    from pathlib import Path

FORM = re.compile(r".+: .+; .+")
FILES = {
    "a.parquet": (b"", "a.parquet: cannot be read: "),
    "b.parquet": (b"no Parquet file" * 9, "b.parquet: cannot be read: "),
    "c.csv": (b"query_id,item_id,score\nq\xff,a,1\n", "c.csv: cannot be read: "),
    "d.csv": (b"", "d.csv: no rows; check how it was exported"),
    "e.csv": (b"query_id,item_id,score\n", "e.csv: no rows; check how it was exported"),
    "f.json": (b'{"query_id": "q1", ', "f.json: cannot be read: "),
    "g.run": (b"\n\n", "g.run: no rows; check how it was exported"),
    "h.run": (b"q1 Q0 a 1 high tag\n", "h.run: "),
    "i.run": (b"q1 Q0 a\n", "i.run: "),
    "j.csv": (b"query_id,item_id,score\n" + b"q1,a,1\n" * 30_000 + b"q1,a,x\n", "j.csv: "),
    "k.docx": (b"", "k.docx: .docx cannot be read as a table; export it as Parquet or CSV; "),
    "l": (b"", "l: the name does not show the format; export it as Parquet or CSV; the suffixes are .csv, "),
}  # fmt: skip


@pytest.mark.some(5)
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content, start = FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        evaluation(name)
    assert str(caught.value).startswith(start)
    assert FORM.fullmatch(str(caught.value))


@pytest.mark.parametrize("table", [3, object(), 1.5, b"x"], ids=lambda table: type(table).__name__)
def test_what_is_no_table_is_refused(table: object) -> None:
    with pytest.raises(
        InputError, match="not a table; give a path, a table name, SQL, a relation or a frame"
    ):
        evaluation(table)


def test_a_busy_connection_is_not_blamed_on_the_frame() -> None:
    connection = little()
    frame = connection.sql("FROM predictions").to_arrow_table()
    connection.execute("FROM range(100000)")
    try:
        assert evaluation(frame, connection=connection)["rr"] == RR
    except DuckmetricsError as error:
        assert "unfinished result" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connection": "none.duckdb"}, "none.duckdb: no such database file; check the path"),
        ({"threads": 0}, "threads=0: "),
        ({"memory_limit": "much"}, "memory_limit='much': "),
    ],
)
def test_what_the_engine_refuses_is_explained(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        evaluation("predictions", "truth", **options)
