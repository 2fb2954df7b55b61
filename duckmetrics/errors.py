"""Errors raised by duckmetrics: one base class, one class per person who can act.

Every message has the form ``where: what; advice``.
"""

from __future__ import annotations

from copy import copy
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self


class DuckmetricsError(Exception):
    """Base class of every error raised by duckmetrics.

    Attributes:
        where: the table, option or metric; empty if the message names none.
        what: what is wrong.
        advice: what to do next; empty if the message has none, or has several.
    """

    def __init__(self, where: object, what: object, advice: str = "") -> None:
        super().__init__(str(where), str(what), advice)
        self.where, self.what, self.advice = str(where), str(what), advice

    def __str__(self) -> str:
        return self._placed(self.reason)

    def _placed(self, text: str) -> str:
        return f"{self.where}: {text}" if self.where else text

    @property
    def reason(self) -> str:
        """The message without the place."""
        return f"{self.what}; {self.advice}" if self.advice else self.what

    def within(self, where: object) -> Self:
        """Return the same error at a place around its own."""
        error = copy(self)
        error.where, error.what = str(where), self._placed(self.what)
        error.args = (error.where, error.what, error.advice)
        return error


class DefinitionError(DuckmetricsError):
    """A file under sql/ is not a valid definition; its author must act."""


class MetricError(DuckmetricsError):
    """A metric, parameter or switch such as ``ndcg@10`` cannot be read; its writer must act."""


class UnknownNameError(MetricError):
    """There is no metric, table or statistic of that name."""


class InputError(DuckmetricsError):
    """The data cannot be evaluated as they are; their owner must act."""


class EngineError(DuckmetricsError):
    """The database refused a query.

    Attributes:
        sql: the text that was refused.
        unreadable: whether a table could not be read, rather than a query not be run.
        out_of_memory: whether more memory was needed than allowed.
    """

    def __init__(
        self,
        where: object,
        what: object,
        advice: str = "",
        *,
        sql: str = "",
        unreadable: bool = False,
        out_of_memory: bool = False,
    ) -> None:
        super().__init__(where, what, advice)
        self.sql = sql
        self.unreadable = unreadable
        self.out_of_memory = out_of_memory


class UnsupportedError(DuckmetricsError):
    """A request that is not available on this engine or in this combination."""


# The largest number of names to suggest together, if all begin with the given name.
SEVERAL = 4


def suggestion(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the advice that names what was probably meant.

    Args:
        otherwise: the advice if no name is similar; by default, a list of all names.
    """
    known = sorted(known)
    meant = _meant(name, {candidate.lower(): candidate for candidate in reversed(known)})
    if meant:
        return f"did you mean {' or '.join(map(repr, meant))}?"
    return otherwise or f"known: {', '.join(known)}"


def _meant(name: str, lowered: Mapping[str, str]) -> list[str]:
    """Return the names, by their spelling in lower case, that a misspelled name probably means."""
    # The beginning of a name, or a name without its underscore, comes before similar spellings.
    start = name.lower().replace("-", "_")
    begun = sorted(candidate for candidate in lowered if len(start) > 2 and candidate.startswith(start))
    longer = [candidate for candidate in begun if candidate.startswith(f"{start}_")]
    if len(longer) > 1:
        return [lowered[candidate] for candidate in longer]
    if begun and all(candidate.startswith(begun[0]) for candidate in begun):
        return [lowered[begun[0]]]
    if 0 < len(begun) <= SEVERAL:
        return [lowered[candidate] for candidate in begun]
    # Users often write the name of a file instead of its stem.
    close = [c for c in (start.rpartition(".")[0],) if c in lowered] or get_close_matches(start, lowered, n=1)
    return [lowered[candidate] for candidate in close]


def unknown(kind: str, name: str, known: Iterable[str], otherwise: str = "") -> tuple[str, str]:
    """Return the `what` and the `advice` of an error about an unknown name."""
    return f"unknown {kind} {name!r}", suggestion(name, known, otherwise)
