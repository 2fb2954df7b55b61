"""SQL expressions that write a packed text out.

In a packed text, a character stands for each rule of the grammar.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.packing.grammar import Grammar, grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The character of the first rule; all have two bytes, up to 1792 rules.
FIRST = 0x100
LAST = 0x7FF
# Stand between rules, and between their levels.
BETWEEN_RULES, BETWEEN_LEVELS = "\x1e", "\x1d"
_WORDS = r"\w+|\s+|."


class Packed:
    """Texts that share the rules of one grammar.

    Args:
        fixed: a pattern of the words that are not packed: they are read before the text is written out.
    """

    def __init__(self, texts: Sequence[str], fixed: str = "") -> None:
        words = re.compile(rf"({fixed})|(?:(?!{fixed})\w)+|\s+|." if fixed else rf"(\0)|{_WORDS}", re.DOTALL)
        read = [list(words.finditer(text)) for text in texts]
        marks = {match[1] for found in read for match in found if match[1] is not None}
        self.grammar: Grammar = grammar(([match[0] for match in found] for found in read), marks)
        self.numbers = {n: i for i, n in enumerate(n for level in self.grammar.levels() for n in level)}
        if any(is_packed(text) or {BETWEEN_RULES, BETWEEN_LEVELS} & set(text) for text in texts):
            raise ValueError("a text contains a character that stands for a rule")

    @property
    def texts(self) -> list[str]:
        """The packed texts."""
        return [self._text(symbols) for symbols in self.grammar.texts]

    @property
    def rules(self) -> str:
        """The rules as one text."""
        return BETWEEN_LEVELS.join(
            BETWEEN_RULES.join(self._text(self.grammar.rules[number]) for number in level)
            for level in self.grammar.levels()
        )

    def written_out(self, text: exp.Expr) -> exp.Expr:
        """Return the expression that writes a packed text out.

        Args:
            text: an expression of parts of the texts.
        """
        if not self.numbers:
            return text
        # The parts stand outside of the lambda that reads them: DuckDB binds what is in a lambda twice.
        both = {"text": text, "rules": _rules(self.rules)}
        pairs = [exp.PropertyEQ(this=exp.to_identifier(n), expression=value) for n, value in both.items()]
        read, known = (exp.Bracket(this=exp.column("_p"), expressions=[literal(name)]) for name in both)
        return _named("_p", exp.Struct(expressions=pairs), _unpacked(read, known))

    def _text(self, symbols: Iterable[str | int]) -> str:
        return "".join(chr(FIRST + self.numbers[s]) if isinstance(s, int) else s for s in symbols)


def packed(text: str) -> exp.Expr:
    """Return an expression of a text that is shorter than the text, if there is one."""
    found = Packed([text])
    return found.written_out(literal(found.texts[0]))


def is_packed(text: str) -> bool:
    """Return whether a character of a text stands for a rule."""
    return any(FIRST <= ord(character) <= LAST for character in set(text))


def _rules(rules: str) -> exp.Expr:
    """Return the list of what the rules stand for, a level after the other."""
    known, level = exp.column("_known"), exp.column("_level")
    split = exp.Anonymous(this="string_split", expressions=[known, literal(BETWEEN_RULES)])
    parts = (known.copy(), literal(BETWEEN_RULES), _unpacked(level, exp.column("_list")))
    further = _named("_list", split, exp.Anonymous(this="concat", expressions=list(parts)))
    levels = exp.Anonymous(this="string_split", expressions=[literal(rules), literal(BETWEEN_LEVELS)])
    every = exp.Anonymous(this="list_reduce", expressions=[levels, _lambda(further, "_known", "_level")])
    return exp.Anonymous(this="string_split", expressions=[every, literal(BETWEEN_RULES)])


def _unpacked(text: exp.Expr, rules: exp.Expr) -> exp.Expr:
    """Return the expression of a text in which every character of a rule is written out."""
    number = exp.Sub(
        this=exp.Anonymous(this="unicode", expressions=[exp.column("_c")]), expression=literal(FIRST - 1)
    )
    place = exp.Anonymous(this="greatest", expressions=[number, literal(0)])
    rule = exp.Anonymous(this="list_extract", expressions=[rules, place])
    each = exp.Anonymous(this="coalesce", expressions=[rule, exp.column("_c")])
    characters = exp.Anonymous(this="string_split", expressions=[text, literal("")])
    parts = exp.Anonymous(this="list_transform", expressions=[characters, _lambda(each, "_c")])
    return exp.Anonymous(this="array_to_string", expressions=[parts, literal("")])


def _named(name: str, value: exp.Expr, read: exp.Expr) -> exp.Expr:
    """Return an expression that reads a value by a name."""
    listed = exp.Array(expressions=[value])
    applied = exp.Anonymous(this="list_transform", expressions=[listed, _lambda(read, name)])
    return exp.Anonymous(this="list_extract", expressions=[applied, literal(1)])


def _lambda(body: exp.Expr, *names: str) -> exp.Lambda:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name) for name in names])
