"""Specs with the path of a file in place of the name of a metric: ``metrics/revenue_hit.sql@10``."""

from __future__ import annotations

import os
import re

# The end of the name of a file, in place of the name of a metric.
SUFFIX = ".sql"
_OF_FILE = re.compile(r"(?P<path>.+\.sql)(?P<rest>\s*(?:\(.*\))?\s*(?:@\s*[^@()/\\\s]+)?\s*)", re.DOTALL)


def path_of(spec: str) -> tuple[str, str]:
    """Return the path of the file that a spec names, empty if it names a metric, and the rest of the spec."""
    found = _OF_FILE.fullmatch(spec)
    return ("", spec) if found is None else (found["path"].strip(), found["rest"])


def by_name(spec: str) -> str:
    """Return a spec with the name of a metric in place of its file."""
    path, rest = path_of(spec)
    return f"{os.path.basename(path).removesuffix(SUFFIX)}{rest}"
