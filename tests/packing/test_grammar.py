"""Grammars of texts: every text can be written out again, and returning passages stand there once."""

from __future__ import annotations

import pytest

from duckmetrics.packing.grammar import Grammar, Symbol, grammar


def written_out(found: Grammar, symbols: tuple[Symbol, ...]) -> str:
    return "".join(s if isinstance(s, str) else written_out(found, found.rules[s]) for s in symbols)


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ("",),
        ("a",),
        ("aaaaaaaaaaaaa",),
        ("abcabcabcabc" * 9, "", "xabcabcx"),
        ("SELECT a, b, c FROM t JOIN u; " * 4, "SELECT a, b, c FROM v"),
    ],
)
def test_texts_can_be_written_out(texts: tuple[str, ...]) -> None:
    found = grammar(texts)
    assert tuple(written_out(found, symbols) for symbols in found.texts) == texts


def test_a_passage_that_returns_becomes_one_symbol() -> None:
    passage = "the quick brown fox jumps over the lazy dog "
    found = grammar([(passage * 2).split(" ")])
    assert len(found.texts[0]) < 6
    assert len(grammar([passage.split(" ")]).rules) == 0


def test_rules_name_only_rules_of_earlier_levels() -> None:
    found = grammar(["".join(f"{'abcdefgh' * 3}{i}" for i in range(9))])
    levels = found.levels()
    assert len(levels) > 1
    known: set[int] = set()
    for level in levels:
        assert {s for n in level for s in found.rules[n] if isinstance(s, int)} <= known
        known |= set(level)
    assert known == set(found.rules)


def test_no_rule_contains_a_fixed_word() -> None:
    found = grammar(["abXabXabXabXabX"], "X")
    assert all("X" not in symbols for symbols in found.rules.values())
    assert found.texts[0].count("X") == 5
