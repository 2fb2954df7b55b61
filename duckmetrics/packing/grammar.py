"""A grammar for texts: pairs of symbols that return become one symbol, until no pair returns (Re-Pair).

N. J. Larsson and A. Moffat, "Offline dictionary-based compression", Proceedings of the IEEE 88, 2000.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A word of a text, or the number of a rule.
Symbol = str | int
Pair = tuple[Symbol, Symbol]
# A pair that returns less often does not pay for its rule.
FEWEST = 2
# The bytes of a number in a text, and of the character that ends a rule.
NUMBER, END = 2, 1


@dataclass(frozen=True)
class Grammar:
    """Texts as symbols, and the rules that the numbers in them stand for.

    Attributes:
        rules: number -> symbols; a rule names only rules that are in front of it.
    """

    texts: tuple[tuple[Symbol, ...], ...]
    rules: Mapping[int, tuple[Symbol, ...]]

    def levels(self) -> list[list[int]]:
        """Return the numbers of the rules in levels: a rule names only rules of the levels before its own."""
        depth: dict[int, int] = {}
        for number, symbols in self.rules.items():
            depth[number] = 1 + max((depth[s] for s in symbols if isinstance(s, int)), default=-1)
        found: list[list[int]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for number, level in depth.items():
            found[level].append(number)
        return found


def grammar(texts: Iterable[Sequence[str]], fixed: Iterable[str] = ()) -> Grammar:
    """Return a grammar of texts.

    Args:
        texts: the words of each text.
        fixed: words that no rule may contain.
    """
    found = _Pairs(texts, frozenset(fixed))
    found.replace_all()
    return _worthwhile(found.grammar())


class _Pairs:
    """Texts as linked symbols, with the places of every pair."""

    def __init__(self, texts: Iterable[Sequence[str]], fixed: frozenset[str]) -> None:
        self.fixed = fixed
        self.symbols: list[Symbol | None] = []
        self.before: list[int] = []
        self.after: list[int] = []
        self.starts: list[tuple[int, int]] = []
        self.places: dict[Pair, set[int]] = defaultdict(set)
        self.rules: dict[int, Pair] = {}
        self.known: dict[Pair, int] = {}
        self.heap: list[tuple[int, int, Pair]] = []
        for text in texts:
            start = len(self.symbols)
            self.starts.append((start, len(text)))
            self.symbols += text
            self.before += [-1, *range(start, start + len(text) - 1)][: len(text)]
            self.after += [*range(start + 1, start + len(text)), -1][: len(text)]
        for place in range(len(self.symbols)):
            self._add(place)
        for pair in self.places:
            self._push(pair)

    def replace_all(self) -> None:
        """Replace the most frequent pair by a new symbol, again and again."""
        while self.heap:
            count, _, pair = heapq.heappop(self.heap)
            if len(self.places[pair]) != -count:
                self._push(pair)
            else:
                self._replace(pair)

    def grammar(self) -> Grammar:
        texts = []
        for start, length in self.starts:
            symbols, place = [], start if length else -1
            while place >= 0:
                symbols.append(self.symbols[place])
                place = self.after[place]
            texts.append(tuple(s for s in symbols if s is not None))
        return Grammar(tuple(texts), self.rules)

    def _pair(self, place: int) -> Pair | None:
        """Return the pair that begins at a place; None at the end, or if no rule may contain it."""
        one = self.symbols[place]
        if one is None or self.after[place] < 0:
            return None
        other = self.symbols[self.after[place]]
        return None if other is None or one in self.fixed or other in self.fixed else (one, other)

    def _add(self, place: int) -> None:
        pair = self._pair(place)
        if pair is not None:
            self.places[pair].add(place)

    def _remove(self, place: int) -> None:
        pair = self._pair(place)
        if pair is not None:
            self.places[pair].discard(place)

    def _push(self, pair: Pair) -> None:
        """Put a pair in the queue; of equally frequent ones, the first known comes first."""
        if len(self.places[pair]) >= FEWEST:
            order = self.known.setdefault(pair, len(self.known))
            heapq.heappush(self.heap, (-len(self.places[pair]), order, pair))

    def _replace(self, pair: Pair) -> None:
        number = len(self.rules)
        self.rules[number] = pair
        touched: dict[Pair, None] = {}
        for place in sorted(self.places[pair]):
            if self._pair(place) != pair:  # an overlap with the place before, as in a a a
                continue
            other, earlier = self.after[place], self.before[place]
            for old in (earlier, other):
                if old >= 0:
                    self._remove(old)
            later = self.after[other]
            self.symbols[place], self.symbols[other] = number, None
            self.after[place] = later
            if later >= 0:
                self.before[later] = place
            for new in (earlier, place):
                if new >= 0 and (found := self._pair(new)) is not None:
                    self.places[found].add(new)
                    touched[found] = None
        del self.places[pair]
        for found in touched:
            self._push(found)


def _worthwhile(found: Grammar) -> Grammar:
    """Write out the rules that save nothing."""
    texts, rules = found.texts, dict(found.rules)
    while True:
        uses = Counter(s for part in (*texts, *rules.values()) for s in part if isinstance(s, int))
        # A rule in only one other rule is part of that one, which may save something as a whole.
        dropped = {n for n in rules if uses[n] < 2}
        dropped = dropped or {n for n, symbols in rules.items() if _saved(symbols, uses[n]) <= 0}
        if not dropped:
            return Grammar(texts, rules)
        kept: dict[int, tuple[Symbol, ...]] = {}
        for number, symbols in rules.items():
            rules[number] = _written_out(symbols, dropped, rules)
            if number not in dropped:
                kept[number] = rules[number]
        texts = tuple(_written_out(text, dropped, rules) for text in texts)
        rules = kept


def _saved(symbols: Sequence[Symbol], uses: int) -> int:
    """Return the bytes that a rule saves."""
    size = sum(NUMBER if isinstance(s, int) else len(s.encode()) for s in symbols)
    return uses * (size - NUMBER) - size - END


def _written_out(
    symbols: Sequence[Symbol], dropped: set[int], rules: Mapping[int, tuple[Symbol, ...]]
) -> tuple[Symbol, ...]:
    return tuple(
        part for s in symbols for part in (rules[s] if isinstance(s, int) and s in dropped else (s,))
    )
