"""The ``-- key: value`` block that opens every file under sql/."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.errors import DefinitionError, unknown

if TYPE_CHECKING:
    from pathlib import Path

KEYS = {
    "name": "the stem of the file",
    "alias": "other names in the literature; one may bind parameters: f1 (beta = 1)",
    "macro": "names in the DuckDB shell: of a function; of a metric where its own is taken, x for y",
    "title": "a noun phrase",
    "inputs": "the external tables read, directly or through relations, with their columns",
    "optional": "columns of the input that may be missing, and what stands for them: expected = 1",
    "params": "parameters, written as SQL column definitions with DEFAULT and CHECK",
    "switches": "parameters that every metric built on this file takes over",
    "requires": "what a metric asks of an input: truth (relevance <= max_grade)",
    "idle": "parameters that change nothing, and when: rel WHEN gain <> 'binary'; ties WHEN k IS NULL",
    "facts": "facts about every metric built on this file, and when they hold: positions WHEN ties = 'input'",
    "depth": "the deepest rank a metric looks at, in terms of its parameters; absent: all ranks",
    "sampled": "consistent: its mean over samples of the items is that over all of them; absent: it is not",
    "grain": "the columns that identify a row",
    "range": "the interval of the values, and which way is better",
    "formula": "one line of plain text",
    "source": "author, venue, year, DOI",
    "oracle": "who confirms the values, beside the plain-Python reference",
    "example": "a call and its value on the case tests/data/ranking/sample.sql",
    "portable": "no, and why; or with what parameters: with plan = sorted; absent: it is, everywhere",
    "influence": "the relation with what a unit moves a metric by that is no function of sums, or none",
    "interval": "the scale of intervals: logit, proportion; or none, and why bootstrap samples give none",
    "usual": "the spec that is computed where nobody names a metric, of one metric of each family",
    "undefined": "why a metric has no value where both classes are there",
    "infinite": "why a metric is infinite where it is; absent: no value of it is, and the values overflow",
    "for": "of a check: the family, or the relation whose readers it protects; or the check it explains",
    "reported": "of a check: its name in findings; absent: the name of the file",
    "severity": "of a check: error, warning or note",
    "column": "of a check: the column it looks at, table.column",
    "when": "of a check: the condition under which its rows are findings; absent: always",
    "advice": "of a check: what to do next",
    "warning": "what a result says beside its numbers",
    "note": "a convention the reader must know",
}

_FIELD = re.compile(r"-- (?P<key>[a-z]+): +(?P<value>\S.*)")
_CONTINUATION = re.compile(r"-- {4,}(?P<value>\S.*)")


def read_header(path: Path) -> dict[str, str]:
    """Read the header of a definition; an error names the file and the line."""
    header: dict[str, str] = {}
    key = ""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(map(str.rstrip, lines), start=1):
            where = f"{path}:{number}"
            if not line.startswith("--"):
                break
            if field := _FIELD.fullmatch(line):
                key = field["key"]
                if key not in KEYS:
                    raise DefinitionError(f"{where}: {unknown('key', key, KEYS)}")
                if key in header:
                    raise DefinitionError(f"{where}: {key!r} is declared twice; keep one of them")
                header[key] = field["value"]
            elif key and (more := _CONTINUATION.fullmatch(line)):
                header[key] += " " + more["value"]
            else:
                raise DefinitionError(
                    f"{where}: {line!r} is no header line; write '-- key: value', "
                    "or indent a continuation by four spaces or more"
                )
    if header.get("name") != path.stem:
        raise DefinitionError(f"{path}:1: the name must be {path.stem!r}, as the file is called")
    return header


def body(text: str) -> str:
    """Blank out the header, so that the query keeps its line numbers."""
    lines = text.splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return "\n" * end + "".join(lines[end:])
