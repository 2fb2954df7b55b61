"""The legend below the first table: the marks of the verdicts that occur on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.report.slices import shown_slices
from duckmetrics.sentences.changes import meaning_of_difference, untested_sentences
from duckmetrics.sentences.lists import joined
from duckmetrics.verdicts import DIFFERENT, UNTESTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.report.model import Row
    from duckmetrics.report.reading import Reading


class Legend(NamedTuple):
    """The verdicts on the page, and what the differences mean that are neither better nor worse."""

    verdicts: frozenset[str]
    different: str


def legend(reading: Reading) -> Legend:
    """Return the entries of the legend."""
    rows = list(_shown(reading))
    meanings = [_meaning(reading, row) for row in rows if row.verdict == DIFFERENT]
    return Legend(frozenset(row.verdict for row in rows), joined(list(dict.fromkeys(meanings)), "or"))


def untested(reading: Reading) -> list[str]:
    """Return the reasons why differences over all rows or queries were not tested, with the metrics."""
    rows = (row for row in _shown(reading) if not row.by and row.verdict == UNTESTED)
    return untested_sentences((row.metric, row.reason) for row in rows)


def _shown(reading: Reading) -> Iterator[Row]:
    """Yield the rows whose verdicts the page shows."""
    slices = {row.key for row in shown_slices(reading)}
    for row in reading.data.rows:
        if row.system != reading.data.baseline and (not row.by or row.key in slices):
            yield row


def _meaning(reading: Reading, row: Row) -> str:
    """Return the meaning of a difference for all metrics of its kind."""
    target, base = reading.metrics[row.metric].target, reading.base(row)
    meaning = meaning_of_difference(target, None if base is None else base.value, row.value)
    return meaning if target is None else f"{meaning.removesuffix(f'{target:g}')}the target"
