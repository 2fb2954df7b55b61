"""Packed texts: DuckDB writes them out, whatever they hold."""

from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.macro import written
from duckmetrics.packing.queries import FIXED
from duckmetrics.packing.texts import Packed, packed

PASSAGE = "SELECT count(*) AS n, 'it''s {0} and {{1}}' AS x\nFROM t WHERE \"a b\" = 'é␝€'; "


def computed(expression: exp.Expr) -> object:
    (value,) = duckdb.sql(f"SELECT {written(expression)}").fetchall()[0]
    return value


@pytest.mark.engine
@pytest.mark.parametrize("text", ["", "short", PASSAGE, PASSAGE * 40, "ab" * 500, "ab" * 64 + "abc" * 64])
def test_duckdb_writes_a_text_out(text: str) -> None:
    assert computed(packed(text)) == text


def test_a_long_text_becomes_shorter() -> None:
    assert len(written(packed(PASSAGE * 100))) < len(PASSAGE * 100) / 4


@pytest.mark.engine
def test_texts_share_rules_and_keep_their_marks() -> None:
    """Marks are read before the text is written out, also next to other characters of a word."""
    texts = ["value___place__ + ␞#12␞, " * 6, "␚?3:value___place__␚ " * 6]
    shared = Packed(texts, FIXED)
    short = shared.texts
    assert [text.count("__place__") for text in short] == [6, 6]
    assert short[0].count("␞#12␞") == 6
    assert short[1].count("␚?3:") == 6
    both = shared.written_out(exp.func("concat", *map(literal, short)))
    assert computed(both) == "".join(texts)


@pytest.mark.parametrize("character", ["Ā", "\x1e", "\x1d"])
def test_a_text_with_a_character_of_a_rule_is_refused(character: str) -> None:
    with pytest.raises(ValueError, match="stands for a rule"):
        Packed([f"a{character}b"])
