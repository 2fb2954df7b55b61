"""Cut the file of macros into a file for each macro, so that the page loads only what a question needs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckmetrics.shell.script import ALONE, of_one_system
from duckmetrics.shell.shipped import macros_sql
from duckmetrics.shell.template import BETWEEN, BETWEEN_PIECES, IF, MARK, ONE, SEVERAL
from duckmetrics.shell.words import spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BASE = "base"
# An internal macro above this size has a file of its own; the others are in the base.
LARGE = 4_000
# The marks in texts are pictures of control characters, of three bytes; the characters themselves have one.
MARKS = {ord(mark): ord(mark) - 0x2400 for mark in (BETWEEN, BETWEEN_PIECES, MARK, IF, SEVERAL, ONE)}
_INTERNAL = "duckmetrics_"
_START = re.compile(
    r"^(?:CREATE OR REPLACE TEMP MACRO (?P<created>\w+)\("
    r"|COMMENT ON MACRO (?:TABLE )?temp\.(?P<told>\w+) IS )",
    re.MULTILINE,
)
_TEXT = re.compile(r"'(?:[^']|'')*'")
_CALL = re.compile(r"\b(\w+)\(")


@dataclass
class Cut:
    """The statements of a macro: one for its value form, one for its table form, and the comments.

    Attributes:
        needs: the macros that must exist before this one is created or called.
    """

    created: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        return "".join(self.created + self.told)


def macros() -> dict[str, Cut]:
    """Return every macro with the macros that it calls."""
    text = spelled_out(macros_sql()).translate(MARKS)
    starts = [*_START.finditer(text)]
    ends = [*(found.start() for found in starts[1:]), len(text)]
    found: dict[str, Cut] = {}
    for start, end in zip(starts, ends, strict=True):
        statement = text[start.start() : end]
        if start["told"]:
            found[start["told"]].told.append(statement)
        elif not _is_declaration(statement):
            found.setdefault(start["created"], Cut()).created.append(statement)
    for name, cut in found.items():
        cut.needs = set(_called("".join(cut.created), found)) - {name}
    for name, alone in ALONE.items():
        created = [of_one_system(statement, name, alone) for statement in found[name].created]
        found[alone] = Cut(created, needs=found[name].needs)
    return found


def _is_declaration(statement: str) -> bool:
    """Return whether a statement only declares a macro; its body follows below in the file."""
    return "\n" not in statement.strip()


def _called(statement: str, known: Mapping[str, Cut]) -> Iterator[str]:
    """Yield the macros that a statement calls.

    An internal macro can also be called by the text that a macro writes. Other names in a text are
    examples of calls, and names of metrics.
    """
    for name in map(str.lower, _CALL.findall(statement)):
        if name in known and name.startswith(_INTERNAL):
            yield name
    for name in map(str.lower, _CALL.findall(_TEXT.sub("''", statement))):
        if name in known:
            yield name


def files(cuts: Mapping[str, Cut]) -> dict[str, list[str]]:
    """Return the macros of each file, each after those that it needs.

    Small internal macros are together in one file, because many macros need them.
    """
    small = {
        name for name, cut in cuts.items()
        if name.startswith(_INTERNAL) and not cut.told and len(cut.text) <= LARGE
    }  # fmt: skip
    small -= {name for name in small if not closure(cuts, [name]) <= small}
    others = ((f"{name}.sql", [name]) for name in cuts if name not in small)
    return {f"{BASE}.sql": sorted_by_need(cuts, small), **dict(others)}


def closure(cuts: Mapping[str, Cut], names: Iterable[str]) -> set[str]:
    """Return macros with all that they need."""
    found: set[str] = set()
    pending = [*names]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += cuts[name].needs
    return found


def sorted_by_need(cuts: Mapping[str, Cut], names: Iterable[str]) -> list[str]:
    """Return macros in an order in which each can be created."""
    wanted, done = set(names), dict[str, None]()

    def add(name: str) -> None:
        for other in sorted(cuts[name].needs & wanted):
            if other not in done:
                add(other)
        done[name] = None

    for name in sorted(wanted):
        if name not in done:
            add(name)
    return list(done)


def index(cuts: Mapping[str, Cut], shared: Iterable[str]) -> dict[str, dict[str, object]]:
    """Return the file of each macro that people call, and the other files to load before it, in this order.

    Args:
        shared: the macros of the base, which the page always loads.
    """
    base = set(shared)
    found: dict[str, dict[str, object]] = {}
    for name, cut in sorted(cuts.items()):
        if cut.told or name in ALONE.values():
            needed = sorted_by_need(cuts, closure(cuts, cut.needs) - base - {name})
            found[name] = {"file": f"{name}.sql", "needs": [f"{other}.sql" for other in needed]}
    return found
