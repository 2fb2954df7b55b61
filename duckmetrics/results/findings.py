"""Findings of a check, as a sentence and as columns."""

from __future__ import annotations

from dataclasses import dataclass

EXAMPLES = 3
ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True)
class Finding:
    """A finding of a check: where, how often, up to three examples, and what to do.

    Attributes:
        message: all of it as a sentence, ``where: what (examples); what next``.
        advice: what to do next.
    """

    check: str
    severity: str
    table: str
    column: str
    count: int
    examples: tuple[str, ...]
    message: str
    advice: str = ""
