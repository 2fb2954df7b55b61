"""The section about the data: the findings of the checks, and the verdict under other conventions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.marks import KINDS
from duckmetrics.charts.numbers import percent
from duckmetrics.report.model import CLASSIFICATION
from duckmetrics.sentences.lists import counted, joined
from duckmetrics.sentences.relevance import no_relevant_sentence
from duckmetrics.verdicts import SIGNS

if TYPE_CHECKING:
    from duckmetrics.report.model import Problem, Recounted, Row
    from duckmetrics.report.reading import Reading

# The number of examples of a finding.
EXAMPLES = 2
# A number of rows out of all of them, at the beginning of a sentence.
PART = re.compile(r"^[\d,]+ of [\d,]+")
SEVERITIES = ("error", "warning", "note")


class Found(NamedTuple):
    """A finding as it is shown."""

    severity: str
    sentence: str
    place: str = ""
    examples: str = ""
    advice: str = ""


class Otherwise(NamedTuple):
    """A row of the table of other conventions; `error` fills it where there is no verdict."""

    name: str
    n: str
    change: str
    sign: str
    word: str
    kind: str
    error: str


class Trust(NamedTuple):
    """The section about the data."""

    looked: str
    found: list[Found]
    otherwise: list[Otherwise]


def trust_section(reading: Reading) -> Trust:
    """Return the findings, the errors first, and the table of other conventions."""
    checked = reading.data.checked
    problems = sorted(checked.problems, key=lambda one: SEVERITIES.index(one.severity))
    found = [_found(problem) for problem in problems]
    found += [Found("note", f"{text}.") for text in (*undefined(reading), *_irrelevant(reading))]
    rows = joined([f"{n:,} {name}" for name, n in checked.looked_at.items()])
    looked = "The data could not be read again, so only the checks of the evaluation itself ran."
    if checked.performed:
        each = f", {counted(checked.scores, 'score')} each" if checked.scores > 1 else ""
        looked = f"{counted(checked.performed, 'check')} looked at {rows or 'no row'}{each}."
    if not problems:
        looked += " They found nothing."
    return Trust(looked, found, [_otherwise(one) for one in reading.data.otherwise])


def undefined(reading: Reading) -> list[str]:
    """Return a sentence for each metric with groups without a value, which no check reports."""
    if not reading.others:
        return []
    found = []
    for name in reading.metrics:
        row = reading.row(reading.best, name)
        if row is None or not row.n_undefined:
            continue
        found.append(f"{_without_value(reading, row)} have no value for {name} and do not count in it")
    return found


def _irrelevant(reading: Reading) -> list[str]:
    """Return how queries without a relevant item count."""
    return [no_relevant_sentence(fact, reading.data.counted) for fact in reading.data.no_relevant]


def _without_value(reading: Reading, row: Row) -> str:
    """Return the number of queries, or groups of rows, without a value."""
    without = row.n_undefined or 0
    if reading.data.kind == CLASSIFICATION:
        return counted(without, "group")
    total = (row.n or 0) + without
    return f"{without:,} of {total:,} {reading.data.counted} ({percent(without / total, sign=False)})"


def _found(problem: Problem) -> Found:
    sentence = f"{problem.sentence}."
    if problem.share is not None:
        share = f" ({percent(problem.share, sign=False)})"
        sentence = PART.sub(lambda part: f"{part[0]}{share}", sentence, count=1)
    return Found(
        problem.severity, sentence, problem.table, "; ".join(problem.examples[:EXAMPLES]), problem.advice
    )


def _otherwise(one: Recounted) -> Otherwise:
    n = "" if one.n is None else f"{one.n:,}"
    return Otherwise(
        one.name, n, percent(one.relative_change), SIGNS[one.verdict], one.verdict,
        KINDS.get(one.verdict, "none"), one.error,
    )  # fmt: skip
