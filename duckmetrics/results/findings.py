"""Findings of a check, as a sentence and as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = 3
ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True)
class Finding:
    """A finding of a check: its place, its number of rows, up to three examples, and advice.

    Attributes:
        message: all of it as a sentence, ``where: what (examples); advice``.
        advice: the next step for the user.
    """

    check: str
    severity: str
    table: str
    column: str
    count: int
    examples: tuple[str, ...]
    message: str
    advice: str = ""


def refusal(findings: Sequence[Finding]) -> InputError:
    """Return the error for findings that make a number impossible: of several, a line for each."""
    if len(findings) > 1:
        return InputError("", "\n".join(finding.message for finding in findings))
    (finding,) = findings
    where = finding.table if finding.table and finding.message.startswith(f"{finding.table}: ") else ""
    what = finding.message.removesuffix(f"; {finding.advice}")
    return InputError(where, what.removeprefix(f"{where}: ") if where else what, finding.advice)
