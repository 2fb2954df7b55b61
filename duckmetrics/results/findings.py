"""Findings of a check, as a sentence and as columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError
from duckmetrics.pages.screens import wrapped
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence


EXAMPLES = 3
SEVERITIES = ERROR, WARNING, NOTE = "error", "warning", "note"
# The check of warnings that few units are behind an interval.
FEW_UNITS = "few_units"


@dataclass(frozen=True)
class Finding:
    """A finding of a check: its place, its number of rows, up to three examples, and advice.

    Attributes:
        message: all of it as a sentence, ``where: what (examples); advice``.
        advice: the next step for the user.
        of: the number of rows, lists or queries that `count` is a part of; None if it is not known.
        sentence: the message without its place, examples and advice.
        share: count / of.
    """

    check: str
    severity: str
    table: str
    column: str
    count: int
    examples: tuple[str, ...]
    message: str
    advice: str = ""
    of: int | None = None
    sentence: str = ""
    share: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Fill in the share, and the sentence if it is the message without its place and advice."""
        object.__setattr__(self, "share", self.count / self.of if self.of else None)
        if not self.sentence:
            place = f"{self.table}: " if self.table else ""
            text = self.message.removeprefix(place).removesuffix(f"; {self.advice}")
            object.__setattr__(self, "sentence", text)

    @property
    def line(self) -> str:
        """The finding as a line of a log."""
        return visible(f"{self.severity}: {self.message}")

    def marked(self, width: int) -> list[str]:
        """Return the lines for a screen: a note, or after an exclamation mark the sentence and the advice."""
        if self.severity == NOTE:
            return wrapped(self.line, width, "  ")
        share = "" if self.share is None else f" ({self.share:.1%})"
        advice = f"; {self.advice}" if self.advice else ""
        return wrapped(visible(f"! {self.sentence}{share}{advice}"), width, "  ")


class Examined:
    """A result with findings of checks, which its `warnings` and `notes` name in sentences."""

    if TYPE_CHECKING:

        @property
        def checks(self) -> tuple[Finding, ...]:
            """The findings."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The problems that can make a number wrong or misleading, a sentence each."""
        return self._sentences(WARNING)

    @property
    def notes(self) -> tuple[str, ...]:
        """Information that helps to read the numbers, a sentence each."""
        return self._sentences(NOTE)

    def _sentences(self, severity: str) -> tuple[str, ...]:
        return tuple(finding.message for finding in self.checks if finding.severity == severity)

    def lines_below(self) -> list[str]:
        """Return the findings as they stand below a table, a line each."""
        return [finding.line for finding in self.checks]


def refusal(findings: Sequence[Finding]) -> InputError:
    """Return the error for findings that make a number impossible: of several, a line for each."""
    if len(findings) > 1:
        return InputError("", "\n".join(finding.message for finding in findings))
    (finding,) = findings
    where = finding.table if finding.table and finding.message.startswith(f"{finding.table}: ") else ""
    what = finding.message.removesuffix(f"; {finding.advice}")
    return InputError(where, what.removeprefix(f"{where}: ") if where else what, finding.advice)
