"""Days and times as text: a day without hours where all are midnight."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterable


# More days than any log has.
MOST_DAYS = 100_000


def is_time(value: Any) -> bool:
    """Return whether a value is a day or a point in time."""
    return isinstance(value, date)


def is_midnight(value: Any) -> bool:
    """Return whether a value is a point in time at the beginning of a day."""
    if not isinstance(value, datetime):
        return False
    return (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)


def shown_time(value: date) -> str:
    """Write a day, or a time to the minute: ``2026-11-20``, ``2026-11-20 06:30``."""
    if not isinstance(value, datetime) or is_midnight(value):
        return f"{value:%Y-%m-%d}"
    return f"{value:%Y-%m-%d %H:%M}"


def days(value: date) -> float:
    """Return the number of days since 1970 in the zone of the value, with their fraction."""
    whole = value.toordinal() - date(1970, 1, 1).toordinal()
    if not isinstance(value, datetime):
        return float(whole)
    return whole + (value.hour * 3600 + value.minute * 60 + value.second) / 86_400


def label_of_day(day: float, span: float) -> str:
    """Write a number of days for an axis: the day, within two days also the hour, over years the month."""
    start = date.fromordinal(date(1970, 1, 1).toordinal() + int(day // 1))
    if span < 2:
        # A minute that has begun; the number may be too small by the last digit.
        minutes = int((day % 1) * 1440 + 1e-4)
        return f"{start.day} {start:%b} {minutes // 60:02}:{minutes % 60:02}"
    return f"{start:%b %Y}" if span > 400 else f"{start.day} {start:%b}"


def read_last(text: str) -> float | None:
    """Return the days of ``30d``, ``12h`` or ``4w``; None if the text is none of these."""
    units = {"h": 1 / 24, "d": 1.0, "w": 7.0}
    number, unit = text[:-1].strip(), text[-1:].lower()
    try:
        found = float(number) * units[unit]
    except (ValueError, KeyError):
        return None
    return found if 0 < found < MOST_DAYS else None


def are_times(texts: Iterable[str]) -> bool:
    """Return whether all texts are days or times as results show them: ``2026-11-20``."""
    try:
        return all("-" in text and datetime.fromisoformat(text) for text in texts)
    except ValueError:
        return False


def read_time(given: str | date | None) -> datetime | None:
    """Read the time of a run, in UTC if it names no zone.

    Raises:
        MetricError: it is not a time.
    """
    if given is None:
        return None
    try:
        found = given if isinstance(given, datetime) else datetime.fromisoformat(str(given).strip())
    except ValueError:
        advice = "write a day or a time, such as 2026-11-20 or 2026-11-20T06:30"
        raise MetricError("time", f"{given!r} is not a time", advice) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def spread(values: Iterable[float]) -> float:
    """Return the distance of the first and the last of some days."""
    known = list(values)
    return max(known) - min(known) if known else 0.0
