"""The files and folders that results go to, never over one that is not an output.

A file is replaced only if it is an output of ours, and only when its successor is complete.
"""

from __future__ import annotations

import csv
import errno
import fnmatch
import glob
import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from duckmetrics.errors import EngineError, InputError
from duckmetrics.results.tabular import KEYS, SAMPLE_RATIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


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


def refuse_folder(path: Path, inputs: Iterable[str] = ()) -> None:
    """Refuse a folder that must not be written, before anything is computed.

    Raises:
        InputError: it is a file, is an input, holds something, or its parent is not there.
    """
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InputError(path, "cannot be written", "name a folder in an existing one")
    refuse_inputs(path, inputs)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(path, "exists already", "name a new folder, or an empty one")


@contextmanager
def replacing_folder(path: Path, inputs: Iterable[str] = ()) -> Iterator[Path]:
    """Give the path of a draft to write, and move it into place at the end, so that no folder is incomplete.

    Raises:
        InputError: the folder must not be written, see `refuse`, or it cannot be.
    """
    refuse_folder(path, inputs)
    target = Path(os.path.realpath(path))
    try:
        with TemporaryDirectory(prefix=".duckmetrics-", dir=target.parent) as folder:
            draft = Path(folder) / "draft"
            yield draft
            draft.replace(target)  # also an empty folder
    except OSError as error:
        raise InputError(
            path, f"cannot be written: {error.strerror or error}", "choose another one"
        ) from error


FORMATS = ("table", "plain", "json", "csv", "markdown", "html", "latex", "parquet")
SUFFIXES = {
    ".json": "json", ".csv": "csv", ".md": "markdown", ".parquet": "parquet", ".html": "html",
    ".tex": "latex", ".txt": "plain",
}  # fmt: skip
# Formats that the command line does not offer by name.
SQL, DATABASE, SVG, JUNIT = "SQL", "DuckDB database", "svg", "JUnit XML"
HTML = "html"
# The suffixes of a result with a chart.
WITH_PICTURES = {**SUFFIXES, ".svg": SVG}
PAGE_SUFFIXES = (".html", ".htm")
DATABASE_SUFFIXES = (".duckdb", ".ddb", ".db")
# The first line of a page. Its columns may have the names of systems, so that they identify nothing.
WRITTEN_BY = "written by duckmetrics"
XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
# The sentence about existing files in the help of -o.
RULE = "An existing file is replaced only if it is an output of duckmetrics and not an input."

_PARQUET, _DUCKDB, _DUCKDB_AT = b"PAR1", b"DUCK", 8
# The number of bytes of a text file that are read to recognize it.
_HEAD = 65_536
# The columns that our tables have; one with the column "metric" has two more of them.
_OURS = {
    "system", "value", "n", "signature", "slice", "query_id", "direction", "verdict", "like", "method",
    "pessimistic",
}  # fmt: skip
# Columns of findings, of explanations and of states, and the first keys of JSON; before, a statistic had
# others.
_KNOWN = ({"severity", "check"}, {"baseline_contribution", "contribution", "difference"},
          {"state", "part", "system"}, frozenset(KEYS[:4]), {"name", "title", "params", "rows"})  # fmt: skip
# Open files of this process, which must not be replaced even if they are regular files.
_OPEN = re.compile(r"/dev/(stdout|stderr|fd/.*)|/proc/.*")


def page_file(path: str | Path) -> Path:
    """Return the file of a page.

    Raises:
        InputError: the file has a suffix of something else.
    """
    file = Path(path)
    if file.suffix.lower() not in PAGE_SUFFIXES:
        raise InputError(file, "a report is a page of HTML", f"call it {file.stem or 'report'}.html")
    return file


def format_of(path: Path, asked: str | None, suffixes: Mapping[str, str] = SUFFIXES) -> str:
    """Return the format of a file: the one that was asked for, or the one that its suffix names.

    A table in a file is plain text.

    Args:
        suffixes: the suffixes with their formats.

    Raises:
        InputError: neither is there, or they contradict each other.
    """
    named = suffixes.get(path.suffix.lower())
    if asked is None and named is None and _is_stream(path):
        return "plain"
    if asked is None and named is None:
        raise InputError(path, "the suffix names no format", f"{_ways(path, suffixes)}, or add --format")
    if asked is not None and named not in (None, "plain", asked) and not _is_stream(path):
        raise InputError(path, f"the suffix says {named}, --format says {asked}", _ways(path, suffixes))
    # A screen has a width and signs; a file of text has neither.
    return "plain" if asked == "table" else asked or str(named)


def _ways(path: Path, suffixes: Iterable[str]) -> str:
    return f"call it {path.stem or 'results'}{'|'.join(suffixes)}"


def refuse(path: Path, format_: str, inputs: Iterable[str] = (), known: bool = True) -> None:
    """Refuse a file that must not be written, before anything is computed.

    Args:
        inputs: tables as they were given: paths, patterns, folders, SQL, names.
        known: whether the columns of the results are known before they are computed.

    Raises:
        InputError: the file cannot be written, is an input, or is a file of another kind.
    """
    refuse_places(path)
    if _is_stream(path):
        return
    refuse_inputs(path, inputs)
    if not path.exists():
        return
    names = columns_of(path, format_)
    if names is None or (known and not is_ours(names)):
        raise InputError(
            path,
            f"exists and is not {called(format_)} file of duckmetrics",
            "choose another name, or delete it first",
        )


def called(format_: str) -> str:
    return (
        f"{'an' if format_ in (SQL, SVG, 'html') else 'a'} {'plain text' if format_ == 'plain' else format_}"
    )


def refuse_places(path: Path) -> None:
    """Refuse folders, disks and sockets, and files in folders that are not there."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except OSError as error:
        raise InputError(path, error.strerror, "choose another file") from error
    known = stat.S_ISREG(mode) or stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)
    if not known or (not Path(os.path.realpath(path)).parent.is_dir() and not _is_stream(path)):
        raise InputError(path, "cannot be written", "name a file in an existing folder")


def _is_stream(path: Path) -> bool:
    """Return whether a file passes its bytes on and does not keep them, as /dev/stdout or a named pipe."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) or _OPEN.fullmatch(os.path.abspath(path)) is not None


# ---- existing files


def columns_of(path: Path, format_: str, like: frozenset[str] | None = None) -> frozenset[str] | None:
    """Return the columns of an existing file; None if it is of another format, or not one of ours.

    Args:
        like: the columns of the new contents; a file with the same columns is ours as well.
    """
    if path.stat().st_size == 0:
        return frozenset()
    try:
        names = _READERS_OF[format_](path)
    except (OSError, ValueError, UnicodeDecodeError):
        return None
    if names is None or like is None:
        return names
    return names if names == like or is_ours(names) else None


def is_ours(names: frozenset[str]) -> bool:
    """Return whether these are the columns of an evaluation, a comparison, its queries, or of findings."""
    metrics = "metric" in names and len(names & _OURS) >= 2
    return not names or metrics or any(names >= one for one in _KNOWN)


def _text_of(path: Path) -> str:
    """Return the first characters of a text file.

    Raises:
        ValueError: it is not text.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b"\0" in head:
        raise ValueError(path)
    # A character may be cut at the end of the head.
    return head.decode("utf-8-sig", "ignore" if len(head) == _HEAD else "strict")


def _parquet(path: Path) -> frozenset[str] | None:
    with path.open("rb") as file:
        if file.read(len(_PARQUET)) != _PARQUET:
            return None
    import pyarrow.parquet as pq

    return frozenset(pq.read_schema(path).names)


def _csv(path: Path) -> frozenset[str] | None:
    return frozenset(next(csv.reader(_text_of(path).splitlines()), []))


def _markdown(path: Path) -> frozenset[str] | None:
    line, _, rest = _text_of(path).partition("\n")
    if line.startswith(SAMPLE_RATIO) or line == f"<!-- {WRITTEN_BY} -->":
        return frozenset()
    if not (line.startswith("| ") and rest.startswith("| -")):
        return None
    return frozenset(cell.strip() for cell in line.strip("| ").split("|"))


def _json(path: Path) -> frozenset[str] | None:
    text = _text_of(path).strip()
    if text == "[]":
        return frozenset()
    names = frozenset(re.findall(r'^\s+"([^"]+)":', text[: text.find("}")], re.MULTILINE))
    return names if text[:1] in ("[", "{") and names else None


def _table(path: Path) -> frozenset[str] | None:
    """Return the cells of the first line; of a statistic its title, without parameters in parentheses."""
    line = _text_of(path).partition("\n")[0]
    if line.startswith(SAMPLE_RATIO):
        return frozenset()
    return frozenset(re.split(r"\t|\s{2,}", re.sub(r" \([^()]*\)$", "", line.strip())))


def _sql(path: Path) -> frozenset[str] | None:
    return frozenset() if _text_of(path).startswith("-- duckmetrics ") else None


def _database(path: Path) -> frozenset[str] | None:
    return frozenset() if is_database(path) else None


def is_database(path: Path) -> bool:
    """Return whether a file is a DuckDB database."""
    with path.open("rb") as file:
        return file.read(_DUCKDB_AT + len(_DUCKDB))[_DUCKDB_AT:] == _DUCKDB


def refuse_other_suffix(path: Path) -> None:
    """Refuse a Parquet file, or a folder of them, with the name of something else.

    Raises:
        InputError: the file has the name of a database, or of another format.
    """
    suffix = path.suffix.lower()
    if suffix in DATABASE_SUFFIXES:
        raise InputError(path, "is a database, and no table is named", "name one, as in table='metrics'")
    if SUFFIXES.get(suffix, "parquet") != "parquet":
        raise InputError(path, "values per query are a Parquet file", f"call it {path.stem}.parquet")


def refuse_other_xml(path: Path) -> None:
    """Refuse a file for gates as JUnit XML that has another suffix, or is an object of a store.

    Raises:
        InputError: says which.
    """
    if path.suffix.lower() != ".xml" or url_of(path) is not None:
        raise InputError(path, "gates are an XML file of this machine", f"call it {path.stem or 'gates'}.xml")


def _page(path: Path) -> frozenset[str] | None:
    """Return no columns, which are always ours, of a page that says who wrote it."""
    begins = (f"<!-- {WRITTEN_BY} -->", f"<!doctype html><!-- {WRITTEN_BY} -->", f"% {WRITTEN_BY}; ")
    return frozenset() if _text_of(path).startswith(begins) else None


def _svg(path: Path) -> frozenset[str] | None:
    """Return no columns, which are always ours, of a picture that says who wrote it."""
    return frozenset() if re.match(rf"<svg [^>]*>\s*<!-- {WRITTEN_BY} -->", _text_of(path)) else None


def _junit(path: Path) -> frozenset[str] | None:
    return frozenset() if _text_of(path).startswith(f"{XML_HEAD}<!-- {WRITTEN_BY} -->") else None


_READERS_OF = {
    "parquet": _parquet, "csv": _csv, "markdown": _markdown, "json": _json, "plain": _table, SQL: _sql,
    DATABASE: _database, "html": _page, "latex": _page, SVG: _svg, JUNIT: _junit,
}  # fmt: skip


# ---- writing


@contextmanager
def replacing(path: Path, format_: str) -> Iterator[Path]:
    """Give the path of a draft to write, and move it into place at the end, so that no file is incomplete.

    The draft is in a private folder next to the file, so that nobody can plant a link there and
    processes do not interfere. A device or a pipe gets the bytes of the draft.

    Raises:
        InputError: the file is not an output of ours, or it cannot be written.
    """
    target = Path(os.path.realpath(path))
    with _explained(path), _private_folder(None if _is_stream(path) else target.parent) as folder:
        # Without a suffix: a pattern such as **/*.parquet must not find it.
        draft = folder / "draft"
        try:
            yield draft
        except EngineError as error:
            if str(draft) in str(error) or _is_full(folder):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
            raise
        if _is_stream(path):
            with draft.open("rb") as source, path.open("ab", buffering=0) as sink:
                shutil.copyfileobj(source, sink)
            return
        _refuse_another_kind(path, draft, format_)
        _keep_mode(target, draft)
        draft.replace(target)


def write_text(path: Path, text: str) -> None:
    """Write text to a draft, the same bytes on every machine."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)


class NewFiles:
    """Writes pictures and pages to files that are new, or outputs of duckmetrics."""

    def write_picture(self, path: Path, format_: str, text: str) -> None:
        """Write a picture to a file.

        Raises:
            InputError: the file cannot be written, or is not an output of duckmetrics.
        """
        refuse(path, format_)
        with replacing(path, format_) as draft:
            write_text(draft, text)

    def write_page(self, path: str | Path, text: str) -> None:
        """Write a page to a file.

        Raises:
            InputError: the file has another suffix, cannot be written, or is not an output of duckmetrics.
        """
        self.write_picture(page_file(path), HTML, text)


@contextmanager
def _private_folder(parent: Path | None) -> Iterator[Path]:
    folder = tempfile.mkdtemp(prefix=".duckmetrics-", dir=parent)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Name the file in errors of the system, which name the draft, or nothing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error)
        advice = "free some space, or choose another disk" if full else "choose another file"
        raise InputError(path, f"cannot be written: {error.strerror or error}", advice) from error


def _is_full(folder: Path) -> bool:
    return shutil.disk_usage(folder).free < _HEAD


def _refuse_another_kind(path: Path, draft: Path, format_: str) -> None:
    """Check the file again at the end, when the columns of the results are known."""
    if not path.exists():
        return
    own = columns_of(draft, format_)
    if own is None or columns_of(path, format_, like=own) is None:
        raise InputError(
            path, "exists and holds something else than these results", "choose another name, or delete it"
        )


def _keep_mode(target: Path, draft: Path) -> None:
    """Give the successor of a file its permissions, and its owner where that is allowed."""
    try:
        before = target.stat()
    except FileNotFoundError:
        return
    with suppress(PermissionError):
        os.chown(draft, before.st_uid, before.st_gid)
    draft.chmod(stat.S_IMODE(before.st_mode))
