"""Versions of tables that keep older ones: by the table, or behind a path, as in run@v3."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.errors import InputError
from duckmetrics.inputs.sources import by_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


NUMBER, TIME = "version", "as_of"
# The key of a version that names no table.
ONLY = ""
# A version follows the path: run@v3, as in Delta Lake, or run@2026-11-01 for a time.
_DIGITS = "[0-9]{1,19}"
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9:.]+(?:[Zz]|[+-][0-9:]+)?)?"
_VERSIONED = re.compile(rf"(.*[^/])/?@(?:v({_DIGITS})|({_TIME}))/?")
_EXAMPLES = {NUMBER: "{'predictions': 3}", TIME: "{'predictions': '2026-11-01'}"}


@dataclass(frozen=True)
class Version:
    """A version of a table: its number, or the last one at some time.

    Attributes:
        text: the text that follows the @ behind a path.
        number: of Delta the version, of Iceberg the id of the snapshot; None where a time is given.
        time: in UTC, which it also was if the text names no zone.
    """

    text: str
    number: int | None
    time: datetime | None

    @property
    def option(self) -> str:
        """The argument that gives such a version."""
        return NUMBER if self.time is None else TIME


def versioned(path: str) -> tuple[str, Version | None]:
    """Split the version off a path; None if there is none.

    Raises:
        InputError: the text after the @ is not a date or time, or lies in the future.
    """
    found = _VERSIONED.fullmatch(path)
    if found is None:
        return path, None
    folder, number, time = found.groups()
    return folder, _at(path, time) if number is None else _numbered(number)


def read_versions(version: Any, as_of: Any) -> dict[str, Version]:
    """Read ``version=`` and ``as_of=``: the versions of tables, by the table; ONLY if it names none.

    Raises:
        InputError: an unknown table, a version that is not one, or two of a table.
    """
    found: dict[str, Version] = {}
    for option, given in ((NUMBER, version), (TIME, as_of)):
        for table, value in _pairs(option, given):
            if table in found or (found and ONLY in (table, *found)):
                what = f"given, and {NUMBER} is given too"
                advice = f"keep one of them for each table, as in {option}={_EXAMPLES[option]}"
                raise InputError(option, what, advice)
            found[table] = _read(option, table, value)
    return found


def refuse_versions_of(tables: Mapping[str, Any], versions: Mapping[str, Version]) -> None:
    """Refuse versions of tables that are not given.

    Raises:
        InputError: names the first of them.
    """
    for table, version in versions.items():
        if table != ONLY and tables[table] is None:
            raise InputError(version.option, f"is for {table}, and there is no such table", "leave it out")


def chosen_versions(
    versions: Mapping[str, Version], tables: Mapping[str, Any], has_versions: Callable[[Any], bool]
) -> dict[str, Version]:
    """Return the versions by the table; one that names none holds for the only table that has versions.

    In predictions by system, every table of theirs counts.

    Raises:
        InputError: no table has versions, or several have.
    """
    if ONLY not in versions:
        return dict(versions)
    version = versions[ONLY]
    found = [role for role, table in tables.items() if any(map(has_versions, _each(table)))]
    if len(found) == 1:
        return {found[0]: version}
    if not found:
        what = f"no table has a version {version.text}, since none is a Delta or Iceberg table"
        raise InputError(version.option, what, "leave it out, or give the folder of such a table")
    example = {found[0]: version.text if version.number is None else version.number}
    command = f"--{version.option.replace('_', '-')} {found[0]}={example[found[0]]}"
    what = f"{version.text} names no table, and {' and '.join(found)} have versions"
    raise InputError(
        version.option, what, f"write {version.option}={example} (on the command line {command})"
    )


def _each(table: Any) -> Iterator[Any]:
    yield from table.values() if isinstance(table, Mapping) else (table,)


def _pairs(option: str, given: Any) -> Iterator[tuple[str, Any]]:
    """Yield the tables with their versions."""
    if given is not None and not isinstance(given, Mapping):
        yield ONLY, given
        return
    yield from by_table(option, given, _EXAMPLES[option])


def _read(option: str, table: str, value: Any) -> Version:
    """Read the version of a table."""
    label = f"{option} {table}".strip()
    if option == TIME:
        return _at(label, str(value) if isinstance(value, date) else value)
    text = str(value).removeprefix("v")
    if isinstance(value, bool) or re.fullmatch(_DIGITS, text) is None:
        advice = f"write a number, as in {_EXAMPLES[NUMBER]}; a time goes to as_of= (--as-of)"
        raise InputError(label, f"{value!r} is not the number of a version", advice)
    return _numbered(text)


def _numbered(digits: str) -> Version:
    return Version(f"v{int(digits)}", int(digits), None)


def _at(label: str, text: Any) -> Version:
    """Return the last version at some time.

    Raises:
        InputError: it is not a date or time, or lies in the future.
    """
    try:
        if re.fullmatch(_TIME, str(text)) is None:
            raise ValueError(text)
        moment = datetime.fromisoformat(cast("str", text).upper())
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        advice = "write one such as 2026-11-01 or 2026-11-01T12:30:00"
        raise InputError(label, f"{text!r} is not a date or time", advice) from error
    if moment > datetime.now(UTC):
        raise InputError(label, f"{text!r} is in the future", "name a time that has passed, or none")
    return Version(text, None, moment)
