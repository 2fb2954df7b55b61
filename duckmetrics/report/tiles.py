"""The four answers below the verdict: how much, how sure, where it is worse, can the data be trusted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.marks import KINDS
from duckmetrics.charts.numbers import number, percent
from duckmetrics.report.model import FEW_UNITS
from duckmetrics.report.reading import digits, place_of
from duckmetrics.report.trust import undefined
from duckmetrics.report.verdict import weakest
from duckmetrics.report.words import inside, p_words, rough, span, what_of
from duckmetrics.sentences.changes import direction, toward_with_distances
from duckmetrics.sentences.lists import counted
from duckmetrics.verdicts import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NOT_WORSE,
    UNCLEAR,
    UNTESTED,
    WORSE,
    p_heading,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.report.model import Problem, Row
    from duckmetrics.report.reading import Reading

# A warning that concerns this share of the data is named next to the verdict.
GRAVE = 0.1


class Tile(NamedTuple):
    """A question, its answer in a few characters, and a sentence; `kind` is the class of the answer."""

    question: str
    answer: str
    text: str
    kind: str = ""


def tiles(reading: Reading) -> list[Tile]:
    """Return the four answers."""
    row = reading.top
    if row is None or row.value is None:
        return [Tile("By how much?", "no value", "the metric has no value"), trust(reading)]
    if reading.data.baseline is None:
        return [_value(reading, row), _interval(reading, row), _weakest(reading, row), trust(reading)]
    return [_change(reading, row), _sure(reading, row), _worse(reading, row), trust(reading)]


# ---- a comparison


def _change(reading: Reading, row: Row) -> Tile:
    question, metric, change = "By how much?", reading.primary, reading.change(row)
    if change is None:
        places = digits(row)
        text = f"{_of(reading, row)}by {metric.name}; {_meaning(reading, row, places)}"
        return Tile(question, number(row.delta, places, sign=True), text, KINDS[row.verdict])
    ends = reading.ends(row)
    half = None if ends is None else (ends[1] - ends[0]) / 2
    text = f"{_of(reading, row)}by {metric.name}, relative to {reading.data.baseline}"
    if row.verdict in (BETTER, WORSE):
        how = "better" if change >= 0 else "worse"
        return Tile(question, f"{rough(abs(change), half, sign=False)} {how}", text, KINDS[row.verdict])
    said = (UNTESTED, EQUIVALENT, NOT_WORSE, INCONCLUSIVE)
    how = row.verdict if row.verdict in said else UNCLEAR
    shown = reading.shown_change(row) or 0.0
    return Tile(question, f"{rough(shown, half)}, {how}", text, KINDS[row.verdict])


def _of(reading: Reading, row: Row) -> str:
    """Return the system that the answers are about, if there are several."""
    return f"{row.system}, " if len(reading.others) > 1 else ""


def _meaning(reading: Reading, row: Row, places: int) -> str:
    """Return whether a value is nearer to the best value, or which direction is better."""
    metric, base = reading.primary, reading.base(row)
    if metric.target is None or row.value is None or base is None or base.value is None:
        return direction(metric.better, metric.target)
    return toward_with_distances(
        metric.target, base.value, row.value, row.verdict, lambda x: number(x, places)
    )


def _sure(reading: Reading, row: Row) -> Tile:
    question, ends = "How sure?", reading.shown_ends(row)
    if ends is not None:
        half = (ends[1] - ends[0]) / 2
        answer = f"{rough(ends[0], half)} to {rough(ends[1], half)}"
    else:
        answer = span(row.delta_lower, row.delta_upper, digits(row), sign=True)
    if not answer:
        return Tile(question, "not tested", row.reason or "this metric has no interval")
    text = f"{_level(reading)}interval from {reading.size(row)}"
    if row.p_adjusted is not None:
        often = "rarely makes" if row.p_adjusted < reading.data.alpha else "could make"
        p = p_words(row.p_adjusted, p_heading([vars(row)]))
        text += f"; chance alone {often} such a difference ({p})"
    return Tile(question, answer, text)


def _worse(reading: Reading, row: Row) -> Tile:
    question, metric = "Where is it worse?", reading.primary.name
    if not reading.slices:
        return Tile(question, "not looked at", "no slices were asked for", "even")
    bad = reading.segments_of(row.system, WORSE)
    if bad:
        change, worst = reading.shown_change(bad[0]), bad[0]
        how = number(worst.delta, digits(worst), sign=True) if change is None else percent(change)
        share = f" ({percent(worst.units / row.units, sign=False)})" if row.units else ""
        text = f"by {metric}; {worst.units:,} of {reading.size(row)}{share}"
        if len(bad) > 1:
            text += f"; {counted(len(bad) - 1, 'other slice is', 'other slices are')} worse, too"
        return Tile(question, f"{', '.join(worst.segment)}: {how}", text, "worse")
    if elsewhere := reading.worse_elsewhere(row.system):
        n = len({found.key for found in elsewhere})
        worst = min(elsewhere, key=reading.badness)
        answer = place_of(worst) if n == 1 else f"{n:,} slices"
        text = f"not by {metric}, but by other metrics"
        text += f", most in {place_of(worst)} ({worst.metric})" if n > 1 else f" ({worst.metric})"
        return Tile(question, answer, text, "worse")
    rows = (reading.row(row.system, None, key) for key in reading.slices)
    found = Counter(one.verdict for one in rows if one is not None and one.verdict != UNTESTED)
    if not found:
        return Tile(question, "not tested", f"by {metric}, in no slice", "even")
    text = f"by {metric}, in {counted(found.total(), 'slice')}"
    text += f"; different in {found[DIFFERENT]:,}" if found[DIFFERENT] else ""
    return Tile(question, "nowhere clearly", text, "even")


# ---- values


def _value(reading: Reading, row: Row) -> Tile:
    metric = reading.primary
    title = f"{inside(metric.title)}; " if metric.title else ""
    return Tile(
        "How good is it?",
        number(row.value, digits(row)),
        f"{metric.name}: {title}{direction(metric.better, metric.target)}",
    )


def _interval(reading: Reading, row: Row) -> Tile:
    answer, n = span(row.lower, row.upper, digits(row)), reading.size(row)
    if not answer:
        return Tile("How sure?", "no interval", f"from {n}; ask for intervals to see how sure it is", "even")
    return Tile("How sure?", answer, f"{_level(reading)}interval from {n}")


def _weakest(reading: Reading, row: Row) -> Tile:
    question, worst = "Where is it weakest?", weakest(reading, row.system)
    if worst is None:
        known = "no slices were asked for" if not reading.slices else "no direction is better"
        return Tile(question, "not looked at", known, "even")
    share = f" ({percent(worst.units / row.units, sign=False)})" if row.units else ""
    text = f"by {reading.primary.name}; {worst.units:,} of {reading.size(row)}{share}"
    return Tile(question, f"{', '.join(worst.segment)}: {number(worst.value, digits(worst))}", text)


def _level(reading: Reading) -> str:
    return "" if reading.data.level is None else f"{100 * reading.data.level:g} % "


# ---- the data


def trust(reading: Reading) -> Tile:
    """Return whether the data can be trusted."""
    question, checked = "Can the data be trusted?", reading.data.checked
    n = Counter(problem.severity for problem in checked.problems)
    warnings = counted(n["warning"], "warning")
    if n["error"]:
        more = f" and {warnings}" if n["warning"] else ""
        return Tile(question, "No", f"{counted(n['error'], 'error')}{more}; see below", "worse")
    if n["warning"]:
        return Tile(question, "With care", f"{warnings}{_gravest(checked.problems)}{_held(reading)}", "warn")
    if not checked.performed:
        return Tile(question, "Not checked", "the data could not be read again", "even")
    unseen = undefined(reading)
    but = f"; but {unseen[0]}" if unseen else ""
    return Tile(
        question, "Nothing found", f"by {counted(checked.performed, 'check')}{but}", "" if but else BETTER
    )


def _gravest(problems: Sequence[Problem]) -> str:
    """Return the warning about most of the data, if it is at least a tenth, and one about few units."""
    known = [one for one in problems if one.severity == "warning" and (one.share or 0) >= GRAVE]
    few = any(one.check == FEW_UNITS for one in problems)
    also = "; few units are behind some intervals" if few else ""
    if not known:
        return also
    worst = max(known, key=lambda one: one.share or 0)
    return f", such as {what_of(worst.sentence)} ({percent(worst.share, sign=False)}){also}"


def _held(reading: Reading) -> str:
    """Return how often the verdict stays under other conventions; empty if it was not recounted."""
    known = [one for one in reading.data.otherwise[1:] if not one.error]
    if not known or reading.top is None:
        return ""
    same = sum(one.verdict == reading.top.verdict for one in known)
    ways = f"{same} of {counted(len(known), 'other way', 'other ways')} to count"
    return f"; the verdict is the same in {ways}"
