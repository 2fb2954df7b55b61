"""The verdict of a report: one sentence with its exception, and one paragraph below it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.numbers import number
from duckmetrics.report.reading import digits, place_of
from duckmetrics.report.words import inside, span
from duckmetrics.sentences.changes import direction, meaning_of_difference
from duckmetrics.sentences.lists import counted
from duckmetrics.sentences.pairs import sentence_of_pairs
from duckmetrics.sentences.verdict import Compared, Fact, leading_sentence
from duckmetrics.verdicts import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NOT_WORSE,
    UNCLEAR,
    UNTESTED,
    WORSE,
)

if TYPE_CHECKING:
    from duckmetrics.report.model import Metric, Row
    from duckmetrics.report.reading import Reading


# Verdicts as a sentence counts them.
COUNTED = {
    BETTER: "better", WORSE: "worse", EQUIVALENT: "equivalent", NOT_WORSE: "not worse",
    INCONCLUSIVE: "inconclusive", UNCLEAR: UNCLEAR, DIFFERENT: "different",
    UNTESTED: "not tested",
}  # fmt: skip


class Verdict(NamedTuple):
    """The headline, and the sentences below it."""

    head: str
    lead: str


def verdict(reading: Reading) -> Verdict:
    """Return the verdict; an error in the data takes the headline."""
    found = _valued(reading) if reading.data.baseline is None else _compared(reading)
    errors = sum(problem.severity == "error" for problem in reading.data.checked.problems)
    if not errors:
        return found
    head = f"Do not decide yet: the data have {counted(errors, 'error')}."
    return Verdict(head, f"As the numbers stand: {found.head} {found.lead}")


# ---- systems against a baseline


def _compared(reading: Reading) -> Verdict:
    row, head = reading.top, f"{leading(reading)}."
    if row is None or row.value is None:
        known = _reason(row) or "So nothing can be said about the systems by this metric."
        return Verdict(head, f"{reading.primary.name} has no value for {reading.best}. {known}")
    return Verdict(head, _lead(reading, row))


def leading(reading: Reading) -> str:
    """Return the sentence about the systems, as a screen shows it."""
    data = reading.data
    others = [row for row in data.rows if row.system != data.baseline]
    if data.pairs:
        systems = list(dict.fromkeys(row.system for row in data.rows))
        return sentence_of_pairs(reading.primary.name, systems, data.pairs)
    return leading_sentence(Compared(str(data.baseline), [_fact(reading, row) for row in others]))


def _fact(reading: Reading, row: Row) -> Fact:
    metric, base, words = reading.metrics[row.metric], reading.base(row), ""
    if not reading.sign(row.metric):
        words = meaning_of_difference(metric.target, None if base is None else base.value, row.value)
    before = None if base is None else base.value
    gain = None if metric.better is None else reading.gain(row)
    return Fact(row.system, row.metric, row.verdict, place_of(row), words, before, row.value, gain)


def _lead(reading: Reading, row: Row) -> str:
    """Return the sentences below the headline, which names only the first metric of several systems."""
    old, metric, places = reading.base(row), reading.primary, digits(row)
    before = "no value" if old is None or old.value is None else number(old.value, places)
    said = f"{metric.name}{_described(metric)} goes from {before} to {number(row.value, places)}."
    if len(reading.others) == 1:
        return said
    parts = [f"{row.system} {_standing(reading, row)}: {said}", *_counts(reading, row.system)]
    if (second := reading.row(reading.ranked[1])) is not None:
        value = "no value" if second.value is None else number(second.value, places)
        untested = "" if reading.data.pairs else "; these two were not tested against each other"
        parts.append(f"Next is {second.system} with {value}{untested}.")
    return " ".join(parts)


def _standing(reading: Reading, row: Row) -> str:
    """Return which place the value of the best system has among those of all systems."""
    if reading.primary.better is None:
        return "has the highest value"
    gain = reading.gain(row)
    if gain is not None and gain <= 0:
        return f"comes closest to {reading.data.baseline}"
    return "has the best value"


def _described(metric: Metric) -> str:
    """Return the title and the direction of a metric in parentheses."""
    said = [inside(metric.title)] if metric.title else []
    said += [] if metric.better == "higher" else [direction(metric.better, metric.target)]
    return f" ({'; '.join(said)})" if said else ""


def _counts(reading: Reading, system: str) -> list[str]:
    """Return how many metrics have each verdict, as a sentence; none for a single metric."""
    total = len(reading.metrics)
    if total == 1:
        return []
    rows = (reading.row(system, name) for name in reading.metrics)
    n = Counter(row.verdict for row in rows if row is not None)
    found = [f"{said} on {n[verdict]}" for verdict, said in COUNTED.items() if n[verdict]]
    first, *others = found or ["not tested on any"]
    return [f"{system} is {', '.join([f'{first} of {total} metrics', *others])}."]


def _reason(row: Row | None) -> str:
    return f"The reason: {row.reason}." if row is not None and row.reason else ""


# ---- values without a baseline


def _valued(reading: Reading) -> Verdict:
    row, metric = reading.top, reading.primary
    if row is None or row.value is None:
        return Verdict(f"{metric.name} has no value.", _reason(row))
    value = number(row.value, digits(row))
    name = f" of {row.system}" if row.system else ""
    if len(reading.others) > 1 and metric.better is None:
        return Verdict(
            f"{len(reading.others)} systems have a value of {metric.name}.", _valued_lead(reading, row)
        )
    if len(reading.others) > 1:
        head = f"{row.system} has the best {metric.name} of {len(reading.others)} systems: {value}"
    else:
        head = f"{metric.name}{name} is {value}"
    low = weak(reading, row)
    but = f", but only {number(low.value, digits(low))} in {place_of(low)}" if low is not None else ""
    if but and reading.sign(metric.name) <= 0:
        but = but.replace("but only", "but")
    return Verdict(f"{head}{but}.", _valued_lead(reading, row))


def weak(reading: Reading, row: Row) -> Row | None:
    """Return the worst slice, if its whole interval is worse than that of all rows."""
    worst = weakest(reading, row.system)
    if worst is None or None in (worst.lower, worst.upper, row.lower, row.upper):
        return None
    ends = [(reading.worth_of(found.lower), reading.worth_of(found.upper)) for found in (worst, row)]
    return worst if max(ends[0]) < min(ends[1]) else None


def weakest(reading: Reading, system: str) -> Row | None:
    """Return the slice with the worst value of the first metric; None if there is none."""
    if reading.primary.better is None:
        return None
    rows = [row for key in reading.slices if (row := reading.row(system, None, key)) is not None]
    known = [row for row in rows if row.value is not None]
    return min(known, key=lambda row: reading.worth_of(row.value), default=None)


def _valued_lead(reading: Reading, row: Row) -> str:
    metric, places = reading.primary, digits(row)
    within = span(row.lower, row.upper, places)
    sure = f", with an interval from {within}" if within else ", without an interval"
    parts = [f"{metric.name}{_described(metric)} is computed from {reading.size(row)}{sure}."]
    if len(reading.others) > 1:
        parts.append("The systems were not tested against each other; a comparison does that.")
    return " ".join(parts)
