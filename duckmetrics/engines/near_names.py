"""Advice about the name of a table that does not exist."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from duckmetrics.errors import suggestion
from duckmetrics.inputs.sources import file_format

if TYPE_CHECKING:
    from collections.abc import Iterable


# Statements, and queries whose first word is misspelled; paths seldom have such words between blanks.
_STATEMENT = re.compile(r"\s*(?:delete|drop|insert|update|create|alter|copy|.*\sfrom)\s", re.I | re.S)


# A version that is written in another way, such as run@3, run@latest or run.parquet@2026.
_VERSIONED = re.compile(r"(.+[^/])/?@[^/@]*")
VERSIONS = "the version of a Delta or Iceberg table follows its folder: run@v3, or run@2026-11-01 for a time"


def advice_for(text: str, tables: Iterable[str] = (), otherwise: str = "check the path") -> str:
    """Return advice about a name that means neither a file nor a table.

    Args:
        tables: the tables that exist.
        otherwise: the advice if nothing has a similar name.
    """
    if _STATEMENT.match(text):
        return "a query begins with SELECT, FROM or WITH; other statements are not tables"
    versioned = _VERSIONED.fullmatch(text)
    if versioned is not None and os.path.exists(os.path.expanduser(versioned[1])):
        return VERSIONS
    files = _files_like(text)
    if files:
        return f"did you mean {' or '.join(map(repr, files))}?"
    return suggestion(text, tables, otherwise)


def _files_like(path: str) -> list[str]:
    """Return the files in the folder of a path whose name without the suffix is like that of the path."""
    folder, name = os.path.split(path)
    wanted, suffix = os.path.splitext(name)
    try:
        there = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    stems: dict[str, list[str]] = {}
    for one in there:
        stem, its_suffix = os.path.splitext(one)
        if file_format(one) or (suffix and its_suffix == suffix):
            stems.setdefault(stem, []).append(os.path.join(folder, one))
    near = [wanted] if wanted in stems else get_close_matches(wanted, stems, n=1)
    found = stems[near[0]] if near else []
    return [one for one in found if one.endswith(suffix)] or get_close_matches(path, found, n=1)
