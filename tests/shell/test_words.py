"""The words that the texts of macros share: written short, read whole, in Python and in DuckDB."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from duckmetrics import macros_sql
from duckmetrics.errors import DefinitionError
from duckmetrics.shell.words import BEGIN, shortened, spelled_out

pytestmark = pytest.mark.engine

LIST = "CREATE OR REPLACE TEMP MACRO duckmetrics_fn_words() AS (\nSTR_SPLIT('', CHR(63743))\n);"
CLAUSE = " FROM _dm_predictions AS _dm_predictions WHERE _score > 0 AND _label = ''1'' OR _score < 9"
TEXTS = [f"SELECT _query_id, SUM(_score){CLAUSE}{' GROUP BY _query_id' * n}" for n in range(4)]
STATEMENTS = [LIST, *(f"MACRO m{i}() AS (whole('{BEGIN}{text}'));" for i, text in enumerate(TEXTS))]
SIGN = re.compile("[\ue000-\uf8fd]")
TEXT = re.compile(f"(?<!')'{BEGIN}((?:[^']|'')*)'")


def test_signs_stand_for_words_that_have_signs_themselves() -> None:
    short = shortened(STATEMENTS, Path("sql"))
    assert sum(map(len, short[1:-1])) < sum(map(len, STATEMENTS[1:])) / 2
    assert spelled_out("\n".join(short)) == "\n".join(STATEMENTS)
    assert shortened(STATEMENTS, Path("sql")) == short


def test_a_text_of_ours_has_no_letter_that_is_a_sign() -> None:
    with pytest.raises(DefinitionError, match="private use"):
        shortened([*STATEMENTS, f"m('{BEGIN}SELECT 1 AS \ue123');"], Path("sql"))


def test_texts_that_are_not_marked_stay_as_they_are() -> None:
    other = "m('SELECT _query_id, SUM(_score) FROM _dm_predictions');"
    assert shortened([*STATEMENTS, other], Path("sql"))[-2] == other
    # A text within a text is a part of it, also if that is not marked.
    nested = f"m('SELECT * FROM QUERY(whole(''{BEGIN}{TEXTS[0]}''))');"
    assert shortened([*STATEMENTS, nested], Path("sql"))[-2] == nested


def test_duckdb_reads_all_texts_as_they_were_written() -> None:
    script = macros_sql()
    connection = duckdb.connect()
    connection.execute(script)
    words = connection.execute("SELECT unnest(duckmetrics_fn_words())").fetchall()
    assert any(SIGN.search(word) for (word,) in words)  # a clause has words itself
    texts = {found.replace("''", "'") for found in TEXT.findall(script)}
    assert len(texts) > 50
    for whole in {found.replace("''", "'") for found in TEXT.findall(spelled_out(script))}:
        connection.execute("CREATE TABLE IF NOT EXISTS written (text VARCHAR)")
        connection.execute("INSERT INTO written VALUES (?)", [whole.removeprefix(BEGIN)])
    for short in texts:
        connection.execute("CREATE TABLE IF NOT EXISTS shortened (text VARCHAR)")
        connection.execute("INSERT INTO shortened VALUES (?)", [short])
    read = "SELECT duckmetrics_fn_whole_text(text) FROM shortened"
    differing = f"(({read}) EXCEPT (FROM written)) UNION ALL ((FROM written) EXCEPT ({read}))"
    assert connection.execute(f"SELECT count(*) FROM ({differing})").fetchall() == [(0,)]


@pytest.mark.some(1)
@pytest.mark.parametrize("text", ["", "SELECT 1", "\uf8fe", "a \uf8fdb"])
def test_a_text_without_words_stays(text: str) -> None:
    connection = duckdb.connect()
    connection.execute(macros_sql())
    found = connection.execute("SELECT duckmetrics_fn_whole_text(?)", [text]).fetchone()
    assert found == (re.sub("[\ue000-\uf8ff]", "", text),)
