"""Signs that a stream cannot write, in ASCII: each is one character, so that columns stay aligned."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASCII: dict[str, str] = {
    "▲": "^", "▼": "v", "○": "o", "●": "o", "◆": "*", "≈": "=", "△": "A", "◇": "?",
    "–": "-", "−": "-", "─": "-", "│": "|", "├": "[",
    "┤": "]", "┼": "+", "←": "<", "→": ">", "↓": "v", "±": "~",
    **dict(zip("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹", "abcdefghijklmnoprstuvwxyz0123456789", strict=True)),
}  # fmt: skip


def plain(text: str) -> str:
    """Write the signs of a screen in ASCII."""
    return text.translate({ord(sign): other for sign, other in _ASCII.items()})


def writable(lines: Iterable[str], encoding: str | None = None) -> list[str]:
    """Return lines with the signs in ASCII that an encoding does not have.

    Args:
        encoding: by default that of standard output.
    """
    name = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    table = {ord(sign): other for sign, other in _ASCII.items() if not _has(name, sign)}
    return [line.translate(table) for line in lines]


def _has(encoding: str, sign: str) -> bool:
    try:
        sign.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
