"""The texts that macros share: the file of macros has each once, and a sign of one letter in its places.

A macro writes a query from long texts, which differ in few places from those of other macros.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from duckmetrics.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

# Begins a text in which signs are read.
BEGIN = "\uf8fe"
# The signs, which Unicode leaves to private use, and what separates the words in their list.
FIRST, BETWEEN_WORDS = 0xE000, "\uf8ff"
# The most words: every call of a macro reads the list, and further words save little.
MOST_CLAUSES, MOST_PARTS = 1500, 4500
_PRIVATE = re.compile("[\ue000-\uf8ff]")
# A text of a statement that begins so, as SQL writes it; not one within another text.
_TEXT = re.compile(f"(?<!')'{BEGIN}((?:[^']|'')*)'")
# The statement that makes the list of words, and the empty text there.
_LIST, _EMPTY = "CREATE OR REPLACE TEMP MACRO duckmetrics_fn_words() ", "SPLIT('',"
# Where clauses begin, and where their parts do: two places with the same words are likely to begin there.
# The marks of templates stand between pieces, which are often the same.
_CLAUSES = re.compile(
    r"(?=_dm_\w+ AS \()|(?= (?:FROM|UNION ALL|WHERE|GROUP BY) )|(?=[\u241d\u241f])|(?<=[\u241d\u241f])"
)
# A part has no signs of clauses, so that the words in a word have no words themselves.
_PARTS = re.compile(
    r"(?<=, )|(?<=\()|(?=\))|(?<=[\ue000-\uf8ff])|(?=[\ue000-\uf8ff])"
    r"|(?<=[\u241d-\u241f])(?!\u241f)|(?<!\u241f)(?=[\u241d-\u241f])"
    r"|(?= (?:FROM|UNION ALL|WHERE|GROUP BY|ORDER BY|THEN|WHEN|AND|OR|ON|ELSE|AS|OVER|IS|END) )"
)
# The bytes of a sign, and of what separates two words.
_SIGN, _BETWEEN = 3, 4


def shortened(statements: Sequence[str], path: Path) -> list[str]:
    """Return statements in which signs stand for the words that their texts share.

    The last statement makes the list of words: DuckDB reads the texts of a macro when it creates that, and is
    quick about it while there are no words.

    Args:
        statements: those of the file of macros; one of them makes the list of words, which is empty.
        path: the folder that errors name.

    Raises:
        DefinitionError: a text has a letter that is a sign.
    """
    # A text within a text is read with it.
    texts = [found.replace(BEGIN, "") for statement in statements for found in _TEXT.findall(statement)]
    if any(_PRIVATE.search(text) for text in texts):
        raise DefinitionError(path, "a definition has a letter of Unicode's private use", "write another one")
    clauses, parts = _Words(_CLAUSES, FIRST), _Words(_PARTS, FIRST)
    clauses.read(texts, MOST_CLAUSES)
    read = [clauses.written(text) for text in texts]
    parts.first += len(clauses.signs)
    parts.read([*read, *clauses.signs], MOST_PARTS)
    words = BETWEEN_WORDS.join([*map(parts.written, clauses.signs), *parts.signs])
    found = map(parts.written, read)
    whole = [_TEXT.sub(lambda _: f"'{BEGIN}{next(found)}'", statement) for statement in statements]
    empty = next(statement for statement in whole if _LIST in statement)
    return [*whole, empty.replace(_EMPTY, f"SPLIT('{words}',")]


def spelled_out(script: str) -> str:
    """Return the text of a file of macros without signs; its list of words is empty.

    Args:
        script: the text of the statements that `shortened` returned.
    """
    before, _, last = script.rpartition(_LIST)
    filled = re.match("[^']*'((?:[^']|'')*)'[^;]*;", last)
    words = [] if filled is None else filled[1].split(BETWEEN_WORDS)
    script = script if filled is None else before.removesuffix("\n") + last[filled.end() :]
    signs = {FIRST + i: word for i, word in enumerate(words)}
    return script.translate(signs).translate(signs)


class _Words:
    """The words of one depth.

    Args:
        begins: where a word may begin.
        first: the number of the first sign.
    """

    def __init__(self, begins: re.Pattern[str], first: int) -> None:
        self.begins, self.first = begins, first
        self.signs: dict[str, str] = {}

    def read(self, texts: Iterable[str], most: int) -> None:
        """Choose the words of texts that save most."""
        counts = Counter(word for text in texts for word in self._split(text))
        saved = {
            word: (n - 1) * len(word) - _SIGN * n - _BETWEEN for word, n in counts.items() if n > 1
        }  # fmt: skip
        best = sorted((word for word, n in saved.items() if n > 0), key=lambda word: (-saved[word], word))
        self.signs = {word: chr(self.first + i) for i, word in enumerate(sorted(best[:most]))}

    def written(self, text: str) -> str:
        """Return a text with signs for its words."""
        return "".join(self.signs.get(word, word) for word in self._split(text))

    def _split(self, text: str) -> Iterator[str]:
        return (word for word in self.begins.split(text) if word)
