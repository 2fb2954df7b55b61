"""Places that results go to: objects of a store, and none that tables are read from."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")
# Stores that can be written to. A path keeps one of the two slashes.
_URL = re.compile(r"((?:s3|s3a|s3n|gs|gcs|r2|az|azure|abfss?):)/+(?=[^/])")


def url_of(path: str | Path | None) -> str | None:
    """Return the URL of an object, None for a path of this machine."""
    text = "" if path is None else str(path)
    return _URL.sub(r"\1//", text, count=1) if _URL.match(text) else None


def refuse_url(url: str, inputs: Iterable[str] = ()) -> None:
    """Refuse patterns, and objects that are inputs.

    Raises:
        InputError: says why.
    """
    if re.search(r"[*?\[\]]", url):
        raise InputError(url, "is a pattern", "write the name of one object")
    for text in inputs:
        given = text.removeprefix("file:").rstrip("/")
        if (
            url == given
            or url.startswith(f"{given}/")
            or fnmatch.fnmatchcase(url, given)
            or f"'{url}'" in text
        ):
            raise InputError(url, f"is an input ({text})", "give the results another name or folder")


def refuse_inputs(path: Path, inputs: Iterable[str]) -> None:
    """Refuse a file or folder that is an input.

    Raises:
        InputError: names the input.
    """
    for text in inputs:
        if _reads(text, path):
            raise InputError(path, f"is an input ({text})", "give the results another name or folder")


def _reads(text: str, path: Path) -> bool:
    """Return whether a table, as it was given, reads the file or would read it next time."""
    from duckmetrics.inputs.sources import kind_of_text

    kind = kind_of_text(text)
    bare = text.removeprefix(f"{kind}:")
    if kind == "sql":
        names = (a.replace("''", "'") or b.replace('""', '"') for a, b in _QUOTED.findall(bare))
        return any(_is_read(name, path) for name in names)
    return _is_read(bare, path)


def _is_read(given: str, path: Path) -> bool:
    given = os.path.expanduser(given.removeprefix("file://"))
    if not given or "\0" in given:
        return False
    target = os.path.realpath(path)
    if os.path.isfile(given):
        return _is_same(given, path)
    if os.path.isdir(given):
        if os.path.commonpath([target, os.path.realpath(given)]) == os.path.realpath(given):
            return True
        return path.exists() and any(_is_same(entry, path) for entry in _files_below(given))
    if not glob.has_magic(given):
        return os.path.realpath(given) == target
    found = glob.iglob(given, recursive=True)
    return _matches(given, target) or any(_is_same(name, path) for name in found)


def _is_same(one: str, path: Path) -> bool:
    """Return whether two names are one file, through links of either kind."""
    with suppress(OSError):
        return os.path.samefile(one, path)
    return os.path.realpath(one) == os.path.realpath(path)


def _files_below(folder: str) -> Iterator[str]:
    for where, _, names in os.walk(folder, followlinks=False):
        yield from (os.path.join(where, name) for name in names)


def _matches(pattern: str, target: str) -> bool:
    """Return whether a pattern would read a file that may not be there yet."""
    fixed, parts = "", Path(os.path.abspath(pattern)).parts
    for i, part in enumerate(parts):
        if glob.has_magic(part):
            return _parts_match(parts[i:], Path(target).parts, Path(os.path.realpath(fixed)).parts)
        fixed = os.path.join(fixed, part)
    return False


def _parts_match(pattern: tuple[str, ...], target: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    if target[: len(folder)] != folder:
        return False
    rest = target[len(folder) :]
    if "**" in pattern:
        return len(rest) >= 1 and fnmatch.fnmatch(rest[-1], pattern[-1])
    return len(rest) == len(pattern) and all(map(fnmatch.fnmatch, rest, pattern))
