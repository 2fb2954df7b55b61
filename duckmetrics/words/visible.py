"""Names and values of other people as text: nothing in them moves the cursor or forges a line."""

from __future__ import annotations

import codecs
import sys
from typing import Any

from duckmetrics.words.times import is_midnight, shown_time

# Control characters, line separators, and marks that turn the direction of writing.
_HIDDEN = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_ESCAPES = {code: repr(chr(code))[1:-1] for code in _HIDDEN}


def visible(text: str) -> str:
    """Write control characters as escapes, so that a name stays on its line and moves nothing."""
    return text.translate(_ESCAPES)


def visible_key(value: Any) -> str:
    """Return a value of a slice; an empty text and the text NULL are quoted, both also mean no text."""
    if value is None:
        return "NULL"
    text = shown_time(value) if is_midnight(value) else visible(str(value))
    return f"'{text}'" if text in ("", "NULL") else text


def hashable(value: Any) -> Any:
    """Return a value of a slicing column as a key: lists and NaN are identified by their text."""
    return value if value.__hash__ is not None and value == value else str(value)


def escape_what_a_stream_cannot_write() -> None:
    """Make streams of another encoding than UTF-8 write escapes, which JSON can read, rather than fail."""
    codecs.register_error("duckmetrics", _escaped)
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
        if encoding != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="duckmetrics")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (units[i : i + 2].hex() for i in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end
