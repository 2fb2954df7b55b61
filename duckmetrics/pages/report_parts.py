"""The top of a report: its verdict, the four answers below it, the trust in the data, the method."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import asdict
from operator import itemgetter
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.pages.marks import KINDS, number, percent
from duckmetrics.pages.report_model import (
    FEW_UNITS,
    OVERALL,
    digits,
    inside,
    p_words,
    place_of,
    rough,
    span,
    what_of,
)
from duckmetrics.pages.tables import DRAWINGS
from duckmetrics.words.lists import chance_words, counted, joined
from duckmetrics.words.units import no_relevant_sentence
from duckmetrics.words.verdict import (
    ComparedSystem,
    Fact,
    direction,
    fact_of,
    leading_sentence,
    sentence_of_pairs,
    toward_with_distances,
)
from duckmetrics.words.verdicts import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NOT_WORSE,
    SIGNS,
    UNCLEAR,
    UNTESTED,
    WORSE,
    p_heading,
    ranks_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duckmetrics.pages.report_model import (
        Key,
        Metric,
        Problem,
        Reading,
        Recounted,
        ReportCurve,
        ReportData,
        Row,
    )


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
    if reading.data.withheld:
        return Verdict(f"{reading.data.sentence}.", f"No difference is shown here: {reading.data.withheld}.")
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
    if data.sentence:
        return data.sentence
    others = [row for row in data.rows if row.system != data.baseline]
    if data.pairs:
        systems = list(dict.fromkeys(row.system for row in data.rows))
        return sentence_of_pairs(reading.primary.name, systems, data.pairs)
    return leading_sentence(ComparedSystem(str(data.baseline), [_fact(reading, row) for row in others]))


def _fact(reading: Reading, row: Row) -> Fact:
    metric, base = reading.metrics[row.metric], reading.base(row)
    before = None if base is None else base.value
    return fact_of(vars(row), before, metric.better, metric.target, place_of(row))


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
        # Of systems that are both better than the baseline, the headline says it.
        both = not reading.data.sentence and (row.verdict, second.verdict) == (BETTER, BETTER)
        is_said = both or reading.data.pairs
        untested = "" if is_said else "; these two were not tested against each other"
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
    if reading.data.sentence:
        return Verdict(f"{reading.data.sentence}.", _valued_lead(reading, row))
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
    return Verdict(f"{head}{but}{_off_target(reading)}.", _valued_lead(reading, row))


# How many times as far from a target as all rows a slice must be to be named, too.
MUCH_FURTHER = 2


def _off_target(reading: Reading) -> str:
    """Return which other metric misses its target by more than chance, overall and in its worst slice.

    The more slices there are, the further they must be off, as by Bonferroni.
    """
    keys = (OVERALL, *reading.slices)
    for metric in reading.data.metrics[1:]:
        if (target := metric.target) is None:
            continue
        rows = [row for key in keys if (row := reading.row(reading.best, metric.name, key)) is not None]
        off = [
            (row, abs(row.value - target)) for row in rows
            if row.value is not None and _misses(row, target, reading.data.level, len(rows))
        ]  # fmt: skip
        if off:
            overall = [number(row.value, digits(row)) for row, _ in off if not row.by]
            row, distance = max(off, key=itemgetter(1))
            # A slice is named next to all rows only if it is much further off.
            is_grave = row.by and (not overall or distance > MUCH_FURTHER * off[0][1])
            worst = [f"{number(row.value, digits(row))} in {place_of(row)}"] if is_grave else []
            return f"; {metric.name} is {', and '.join([*overall, *worst])}, not {target:g}"
    return ""


def _misses(row: Row, target: float, level: float | None, tests: int) -> bool:
    """Return whether an interval, made wide enough for a number of tests, is off the target."""
    if row.value is None or row.lower is None or row.upper is None or level is None:
        return False
    normal = NormalDist()
    wider = normal.inv_cdf(1 - (1 - level) / 2 / tests) / normal.inv_cdf(1 - (1 - level) / 2)
    lower, upper = (row.value + (end - row.value) * wider for end in (row.lower, row.upper))
    return not lower <= target <= upper


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
    who = f"{row.system}: " if len(reading.others) > 1 else ""
    parts = [f"{who}{metric.name}{_described(metric)} is computed from {reading.size(row)}{sure}."]
    if len(reading.others) > 1:
        parts.append(
            "All systems were tested against each other." if reading.is_tested
            else "The systems were not tested against each other; a comparison does that."
        )  # fmt: skip
    return " ".join(parts)


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
    if reading.data.is_of_rows:
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
    if reading.data.withheld:
        return [Tile("By how much?", "not shown", reading.data.withheld, "even"), trust(reading)]
    if row is None or row.value is None:
        return [Tile("By how much?", "no value", "the metric has no value"), trust(reading)]
    if reading.data.baseline is None:
        sure = _interval(reading, row) if not reading.data.places else _rank(reading)
        return [_value(reading, row), sure, _weakest(reading, row), trust(reading)]
    return [_change(reading, row), _sure(reading, row), _worse(reading, row), trust(reading)]


# ---- a leaderboard


def _rank(reading: Reading) -> Tile:
    """Return the ranks that the best system may have."""
    question, best = "Is it the best?", reading.places(OVERALL)[0]
    if best["rank_lower"] is None:
        return Tile(question, "not tested", best["reason"] or "the systems could not be tested")
    chance = best["probability_best"]
    others = f"the range of {best['system']} among {len(reading.others)} systems"
    told = f"; chance of being the best: {chance_words(chance)}" if chance is not None else ""
    return Tile(question, f"rank {ranks_of(best)}", f"{others}{told}")


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
    if row.verdict == UNTESTED and row.reason:
        text += f"; not tested: {row.reason}"
    elif row.p_adjusted is not None:
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
        text = f"{_of(reading, row)}by {metric}; {worst.units:,} of {reading.size(row)}{share}"
        if len(bad) > 1:
            text += f"; {counted(len(bad) - 1, 'other slice is', 'other slices are')} worse, too"
        return Tile(question, f"{', '.join(worst.segment)}: {how}", text, "worse")
    if elsewhere := reading.worse_elsewhere(row.system):
        n = len({found.key for found in elsewhere})
        worst = min(elsewhere, key=reading.badness)
        answer = place_of(worst) if n == 1 else f"{n:,} slices"
        names = joined(list(dict.fromkeys(one.metric for one in elsewhere if one.key == worst.key)))
        text = f"{_of(reading, row)}not by {metric}, but "
        text += f"by other metrics, most in {place_of(worst)} (by {names})" if n > 1 else f"by {names}"
        return Tile(question, answer, text, "worse")
    rows = (reading.row(row.system, None, key) for key in reading.slices)
    found = Counter(one.verdict for one in rows if one is not None and one.verdict != UNTESTED)
    if not found:
        return Tile(question, "not tested", f"by {metric}, in no slice", "even")
    text = f"{_of(reading, row)}by {metric}, in {counted(found.total(), 'slice')}"
    text += f"; different in {found[DIFFERENT]:,}" if found[DIFFERENT] else ""
    others = {name: reading.segments_of(name, WORSE) for name in reading.others if name != row.system}
    worse = [f"{name} is worse in {place_of(bad[0])}" for name, bad in others.items()
             if bad and (other := reading.row(name)) is not None and other.verdict == BETTER]  # fmt: skip
    return Tile(question, "nowhere clearly", "; but ".join([text, *worse[:1]]), "even")


# ---- values


def _value(reading: Reading, row: Row) -> Tile:
    metric = reading.primary
    title = f"{inside(metric.title)}; " if metric.title else ""
    return Tile(
        "How good is it?",
        number(row.value, digits(row)),
        f"{_of(reading, row)}{metric.name}: {title}{direction(metric.better, metric.target)}",
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
    value = number(worst.value, digits(worst))
    text = f"{_of(reading, row)}by {reading.primary.name}"
    if weak(reading, row) is None and None not in (worst.lower, row.lower):
        return Tile(
            question, "nowhere clearly", f"{text}; the worst value is {value}, in {place_of(worst)}", "even"
        )
    share = f" ({percent(worst.units / row.units, sign=False)})" if row.units else ""
    text += f"; {worst.units:,} of {reading.size(row)}{share}"
    return Tile(question, f"{', '.join(worst.segment)}: {value}", text)


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
    unseen, checks = undefined(reading), counted(checked.performed, "check")
    but = f"; but {unseen[0]}" if unseen else ""
    if notes := n["note"]:
        return Tile(question, "No problem", f"by {checks}; {counted(notes, 'note')} below{but}")
    return Tile(question, "Nothing found", f"by {checks}{but}", "" if but else BETTER)


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


# What is on the page as text, or in a shorter form.
ELSEWHERE = ("sql", "rows", "trends", "places")
# Between two statements.
STATEMENT = ";\n\n"
# The keys of a row that are places in the lists of systems, metrics and slices.
KEYS = ("system", "metric", "by", "segment")
# What a leaderboard adds to the values of the rows.
RANKED = ("rank_lower", "rank_upper", "tier", "probability_best", "verdict")
# Significant digits: the last ones of a double depend on how threads share the work.
DIGITS = 6


def embedded(data: ReportData, slices: Collection[Key]) -> str:
    """Return the numbers of the page as strict JSON, which no name can end early.

    ``rows`` and the tables of ``curves`` have a list for each column. In it, system, metric and slice are
    places in the lists of these names, because long names would be most of the text.

    Args:
        slices: those on the page.
    """
    shown = [row for row in data.rows if not row.by or row.key in slices]
    keys = list(dict.fromkeys(row.key for row in shown))
    known = {name: value for name, value in asdict(data).items() if name not in ELSEWHERE}
    known["pictures"]["curves"] = {curve.table: _rows_of(data, curve) for curve in data.pictures.curves}
    known["slices"] = [{"by": by, "segment": segment} for by, segment in keys]
    known["rows"] = _columns(data, [asdict(row) for row in shown], keys)
    places = [{name: row[name] for name in (*KEYS, *RANKED)} for row in data.places
              if (row["by"], row["segment"]) in keys]  # fmt: skip
    known["places"] = _columns(data, places, keys)
    text = json.dumps(_strict(known), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _rows_of(data: ReportData, curve: ReportCurve) -> dict[str, list[Any]]:
    """Return the columns of a table that is drawn."""
    columns = {name: [row[name] for row in curve.rows] for name in DRAWINGS[curve.drawing].columns}
    return {"system": [data.systems.index(row["system"]) for row in curve.rows], **columns}


def _columns(
    data: ReportData, rows: Sequence[Mapping[str, Any]], keys: Sequence[Key]
) -> dict[str, list[Any]]:
    """Return the columns of rows that hold a value."""
    systems = {name: place for place, name in enumerate(data.systems)}
    metrics = {metric.name: place for place, metric in enumerate(data.metrics)}
    places = {key: place for place, key in enumerate(keys)}
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ()) if name not in KEYS}
    found = {name: values for name, values in columns.items() if any(value is not None for value in values)}
    return {
        "system": [systems[row["system"]] for row in rows],
        "metric": [metrics[row["metric"]] for row in rows],
        "slice": [places[row["by"], row["segment"]] for row in rows],
        **found,
    }


def _strict(value: Any) -> Any:
    """Write numbers that JSON does not have as text, and lone halves of characters as escapes."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {_strict(str(name)): _strict(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(one) for one in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value if value is None or isinstance(value, int) else str(value)


# A page shows the first statements of a longer text.
MOST_SQL = 50_000


def shown_sql(sql: str) -> str:
    """Return the SQL that a page shows: whole statements, and how many are left out."""
    statements = sql.split(STATEMENT)
    n, room = 0, MOST_SQL
    while n < len(statements) and (room := room - len(statements[n]) - len(STATEMENT)) >= 0:
        n += 1
    kept = max(n, 1)
    if kept == len(statements):
        return sql
    left = counted(len(statements) - kept, "more statement")
    return f"{STATEMENT.join(statements[:kept])};\n\n-- {left}: see the sql of the result"


def sql_title(sql: str) -> str:
    """Return the summary of the folded SQL."""
    return f"The SQL that ran ({counted(len(sql), 'character')})"


def explanations(data: ReportData) -> Mapping[str, Any]:
    """Return which explanations the page needs, and the level of its intervals."""
    level = "" if data.level is None else f"{100 * data.level:g}"
    return {"changes": data.baseline is not None, "level": level}
