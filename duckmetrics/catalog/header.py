"""The ``-- key: value`` block that opens every file under sql/."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.errors import DefinitionError, unknown

if TYPE_CHECKING:
    from pathlib import Path

KEYS = {
    "name": "the name of the file without .sql",
    "alias": "other names in the literature; a name may set parameters: f1 (beta = 1)",
    "macro": "names of macros in the DuckDB shell; x for y: the macro is x, because DuckDB uses the name y",
    "title": "a noun phrase",
    "group": "the topic below which lists show a metric; absent: its family has no topics",
    "meaning": "one or two sentences: what the metric shows a user about the predictions",
    "use": "when to use it: when only the first relevant item matters",
    "beware": "the most common way to be misled by it",
    "reading": "what extreme or typical values mean, one line each: 1: every ranking is perfect",
    "tex": "the formula in TeX",
    "symbols": "the meaning of each symbol of tex, one line each: k: the cut-off",
    "worked": (
        "the value of the example by hand, as an expression of numbers in SQL; for rankings one line for "
        "each query: q1: (2 + 0) / 3 = 0.6667; or none, and why"
    ),
    "related": "other metrics to look at, separated by commas",
    "inputs": "the input tables that the file or its relations read, with the columns that they read",
    "optional": "input columns that may be missing, each with its default value: expected = 1",
    "params": "parameters, written as SQL column definitions with DEFAULT and CHECK",
    "switches": "parameters that every metric that reads this file inherits",
    "values": (
        "what each value of a parameter does to the number, one line each: ties=item_asc: sentence; of a "
        "parameter without choices: k: sentence; or a file that says it: k: as in recall"
    ),
    "requires": "a condition that every row of an input must satisfy: truth (relevance <= max_grade)",
    "idle": (
        "parameters that do not change the value, and when: rel WHEN gain <> 'binary'; ties WHEN k IS NULL"
    ),
    "facts": "facts about the metrics that read this file, and when they hold: positions WHEN ties = 'input'",
    "depth": "the deepest rank that a metric or check reads, as a formula of parameters; absent: all ranks",
    "sampled": (
        "consistent: sampled candidates give the same expected value as all items; absent: they do not"
    ),
    "chart": (
        "of a table: its drawing in charts/tables.py, with the parameters that keep the chart small: "
        "roc (points = 80)"
    ),
    "grain": "the columns that identify a row of the result",
    "range": "the interval that contains the values, and which direction is better",
    "formula": "the formula in one line of plain text",
    "source": "author, venue, year, DOI",
    "oracle": "the tool that confirms the values, in addition to the plain-Python reference",
    "example": "a call and its value on the case tests/data/ranking/sample.sql",
    "portable": (
        "no, and why; no, except spark: and why the others cannot; or with which parameters: "
        "with plan = sorted; absent: every engine can run it"
    ),
    "influence": (
        "the relation that computes the influence function of a metric that is not a function of sums, one "
        "value per unit (query or cluster); of a metric of all lists, the relation of its change with each "
        "list that has an item; none: the metric estimates nothing and has no interval"
    ),
    "contribution": (
        "the contribution of a row that the metric reads to the value, if the value is not written as a sum "
        "over rows; of a metric of classifiers, the relation that computes it; or none, and why; absent: the "
        "terms of the sum"
    ),
    "interval": (
        "the method of an interval: logit, or proportion for Wilson's; absent: mean -+ t * se; or none, and "
        "why the bootstrap samples give no interval; of an aggregation, quantile for order statistics, or "
        "log for the mean of logarithms"
    ),
    "usual": "the spec that is computed if the caller names no metric; one metric of each family has it",
    "few": "the relation of the systems and slices whose values chance moves, as they have too few lists",
    "alone": "the spec that stands for the usual one where there is no truth",
    "undefined": "why the value is NULL although both classes are present",
    "infinite": "why the value can be infinite; absent: an infinite value is an overflow",
    "for": (
        "of a check: the family, relation, metric or table (history, items, reference) that it protects, or "
        "weight; or the check that it explains"
    ),
    "reported": "of a check: its name in findings; absent: the name of the file",
    "severity": "of a check: error, warning or note",
    "why": "of a check: what would be wrong with a number, or with reading it",
    "column": "of a check: the column that it examines, table.column",
    "when": "of a check: the condition under which its rows are findings; absent: they always are",
    "advice": "of a check: what the user can do next",
    "settles": "of a check: a switch with the value under which its rows are not findings: duplicates=first",
    "slice": (
        "of a relation of queries whose column of the same name slices results: the groups of queries; the "
        "history has to be given"
    ),
    "warning": "a warning that every result of a statistic shows",
    "small": "of a statistic: why few units need no warning",
    "note": "a convention that the reader must know",
}

# Keys in which every line is an entry.
_LISTS = ("values", "reading", "symbols", "worked")
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
                    raise DefinitionError(where, *unknown("key", key, KEYS))
                if key in header:
                    raise DefinitionError(where, f"{key!r} is declared twice", "keep one of them")
                header[key] = field["value"]
            elif key and (more := _CONTINUATION.fullmatch(line)):
                header[key] += ("\n" if key in _LISTS else " ") + more["value"]
            else:
                raise DefinitionError(
                    where,
                    f"{line!r} is not a header line",
                    "write '-- key: value', or indent a continuation by four spaces or more",
                )
    if header.get("name") != path.stem:
        raise DefinitionError(f"{path}:1", f"the name must be {path.stem!r}, as the file is called")
    return header


def body(text: str) -> str:
    """Blank out the header, so that the query keeps its line numbers."""
    lines = text.splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return "\n" * end + "".join(lines[end:])
