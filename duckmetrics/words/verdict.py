"""The verdict of a comparison in one sentence, and the words of changes, slices and pairs of systems."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.words.lists import FEW_NAMES, four_decimals, joined, named, verb, with_minus
from duckmetrics.words.verdicts import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NOT_WORSE,
    UNCLEAR,
    UNTESTED,
    WORSE,
)
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence


def heterogeneity_sentence(found: Mapping[str, Any], alpha: float, p: str, of: str = "") -> str:
    """Write the result of Cochran's Q for one slicing.

    Args:
        found: a row of `Comparison.heterogeneity`.
        p: its p, as it is shown.
        of: the system, if there are several.
    """
    what = f"{visible(of)}: the differences" if of else "the differences"
    by = f"{what} by {visible(found['slice'])}"
    told = (
        "differ by more than chance explains" if found["p"] < alpha else "differ no more than chance explains"
    )
    shown = f"< {p[1:]}" if p.startswith("<") else f"= {p}"
    return f"{by} {told}: Q = {found['q']:.1f}, p {shown}"


HIGHER, LOWER, TARGET = "higher", "lower", "target"
NO_DIRECTION = "no direction is better"


def direction(better: str | None, target: float | None) -> str:
    """Return which values of a metric are better."""
    if target is not None:
        return f"best at {target:g}"
    return f"{better} is better" if better else NO_DIRECTION


def toward(target: float, before: float | None, after: float | None, verdict: str) -> str:
    """Return whether a value is nearer to the best value now, if the difference is clear."""
    if verdict not in (BETTER, WORSE) or before is None or after is None:
        return f"aims at {target:g}"
    old, new = abs(before - target), abs(after - target)
    return f"{'nearer to' if new < old else 'farther from'} {target:g}"


def toward_with_distances(
    target: float, before: float, after: float, verdict: str, text: Callable[[float], str]
) -> str:
    """Return `toward` with the distances of both values from the best value.

    Args:
        text: writes a distance.
    """
    distances = [text(abs(value - target)) for value in (before, after)]
    return f"{toward(target, before, after, verdict)}: {distances[0]} off, now {distances[1]}"


def gain_of(
    row: Mapping[str, Any], before: float | None, better: str | None, target: float | None
) -> float | None:
    """Return the change of a row, higher for better: the lowest is the worst; None if there is no change.

    Args:
        row: value, delta and relative_change.
        before: the value of the baseline.
        better: the direction of the metric.
    """
    change = row["delta"] if row["relative_change"] is None else row["relative_change"]
    if change is None:
        return None
    if target is not None and before is not None:
        return abs(before - target) - abs(float(row["value"]) - target)
    return -float(change) if better == LOWER else float(change)


def meaning_of_difference(target: float | None, before: float | None, after: float | None) -> str:
    """Return the meaning of a clear difference that is neither better nor worse."""
    if target is None:
        return NO_DIRECTION
    if before is not None and after is not None and (before - target) * (after - target) < 0:
        return f"on the other side of {target:g}"
    return f"no test shows which value is nearer to {target:g}"


def untested_sentences(found: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return each reason why a difference was not tested once, with the metrics.

    Args:
        found: metrics with their reasons.
    """
    told: dict[str, dict[str, None]] = {}
    for metric, reason in found:
        if reason:
            told.setdefault(reason, {})[visible(metric)] = None
    return [f"not tested: {visible(reason)} ({', '.join(names)})" for reason, names in told.items()]


# The verdicts that contradict one; where nothing is better or worse, both do.
_AGAINST = {BETTER: (WORSE,), WORSE: (BETTER,)}
# The number of sets of metrics up to which slices are named with their own.
MOST_GROUPS = 2
# The other verdicts on the other metrics, in the order in which a sentence names them.
_REST = {
    DIFFERENT: "different on", EQUIVALENT: "equivalent on", NOT_WORSE: "not worse on",
    INCONCLUSIVE: "inconclusive on", UNCLEAR: "unclear on", UNTESTED: "not tested on",
}  # fmt: skip


_PREPOSITIONS = {EQUIVALENT: "to", NOT_WORSE: "than"}
# A value that is clear without the name of its column: a word that is not a number or a missing value.
_PLAIN = re.compile(r"(?!(?:null|none|true|false|nan)$)[^\W\d_][\w.-]*", re.IGNORECASE)


class Fact(NamedTuple):
    """The verdict on a system by one metric.

    Attributes:
        place: the slice in words, such as ``country JP``; empty for all rows or queries.
        words: the meaning of a difference that is neither better nor worse, such as ``no direction is
            better``.
        before, value: the values of the baseline and of the system.
        gain: the change, higher for better; None without a value or a direction.
    """

    system: str
    metric: str
    verdict: str
    place: str = ""
    words: str = ""
    before: float | None = None
    value: float | None = None
    gain: float | None = None


def fact_of(
    row: Mapping[str, Any], before: float | None, better: str | None, target: float | None, place: str = ""
) -> Fact:
    """Return the verdict of a row of a comparison.

    Args:
        row: system, metric, verdict, value, delta and relative_change.
        before: the value of the baseline.
        better: which values are better; None if none are.
        target: the value that is aimed at.
        place: the slice in words.
    """
    words = "" if better in (HIGHER, LOWER) else meaning_of_difference(target, before, row["value"])
    gain = None if better is None else gain_of(row, before, better, target)
    known = gain if gain is not None and math.isfinite(gain) else None
    return Fact(
        str(row["system"]), row["metric"], row["verdict"], place, words, before, row["value"], known
    )  # fmt: skip


@dataclass(frozen=True)
class ComparedSystem:
    """The facts that the sentence is about, without those of the baseline.

    Attributes:
        baseline: the system that the others are compared with.
        facts: of the first metric first.
    """

    baseline: str
    facts: Sequence[Fact]

    @property
    def overall(self) -> list[Fact]:
        """The facts about all rows or queries."""
        return [fact for fact in self.facts if not fact.place]

    @property
    def systems(self) -> list[str]:
        """The systems other than the baseline."""
        return list(dict.fromkeys(fact.system for fact in self.overall))

    @property
    def metric(self) -> str:
        """The first metric."""
        return self.overall[0].metric


def leading_sentence(compared: ComparedSystem) -> str:
    """Return the verdict of a comparison in one sentence, without a full stop."""
    systems = compared.systems
    text = _of_one(compared, systems[0]) if len(systems) == 1 else _of_several(compared, systems)
    return visible(text)


def verdict_of(name: str, baseline: str, facts: Sequence[Fact]) -> str:
    """Return the sentence about one system or variant over all its metrics.

    Args:
        facts: one for each metric; the first leads if it is better or worse.
    """
    return visible(_told(name, baseline, facts, {}))


def place_of(segment: Mapping[str, str]) -> str:
    """Return a slice in words: ``country JP``; of several columns, ``JP desktop`` if that is clear."""
    if len(segment) > 1 and all(map(_PLAIN.fullmatch, segment.values())):
        return " ".join(segment.values())
    return ", ".join(f"{name} {value}" for name, value in segment.items())


def _of_one(compared: ComparedSystem, system: str) -> str:
    places = {verdict: _places(compared, system, verdict) for verdict in (WORSE, BETTER)}
    return _told(system, compared.baseline, compared.overall, places)


def _told(name: str, baseline: str, facts: Sequence[Fact], places: Mapping[str, Sequence[str]]) -> str:
    """Return the verdict over all metrics, then what contradicts it, then the other metrics.

    Args:
        places: the slices with a verdict.
    """
    by_verdict: dict[str, list[Fact]] = {}
    for fact in facts:
        by_verdict.setdefault(fact.verdict, []).append(fact)
    leading = _leading(facts, by_verdict)
    metrics = {verdict: [fact.metric for fact in own] for verdict, own in by_verdict.items()}
    against = []
    for verdict in _AGAINST.get(leading, (WORSE, BETTER)):
        where = [f"on {named(metrics[verdict], 'metrics')}"] if verdict in metrics else []
        where += [f"in {place}" for place in places.get(verdict, ())]
        against += [f"{verdict} {' and '.join(where)}"] if where else []
    rest = [
        f"{words} {named(metrics[verdict], 'metrics')}{_meaning(by_verdict[verdict])}"
        for verdict, words in _REST.items() if verdict in metrics and verdict != leading
    ]  # fmt: skip
    parts = [_start(name, baseline, by_verdict.get(leading, ()), leading, len(facts))]
    parts += [f"but {' and '.join(against)}"] if against else []
    return ", ".join([*parts, *rest])


def _leading(facts: Sequence[Fact], by_verdict: Mapping[str, Sequence[Fact]]) -> str:
    """Return the verdict that a sentence begins with: that of the first metric, if it is better or worse."""
    first = facts[0].verdict if facts else UNTESTED
    if first not in _AGAINST:
        first = max(_AGAINST, key=lambda verdict: len(by_verdict.get(verdict, ())))
    return next(verdict for verdict in (first, *_REST) if verdict in by_verdict or verdict == UNTESTED)


def _start(name: str, baseline: str, own: Sequence[Fact], leading: str, total: int) -> str:
    """Return the beginning of a sentence.

    Args:
        own: the facts with the leading verdict.
        total: the number of metrics.
    """
    on = "" if len(own) == total else f" on {_few_of([fact.metric for fact in own], total)}"
    if leading in _AGAINST:
        return f"{name} is {leading} than {baseline}{on}"
    if leading == DIFFERENT:
        meaning = _meaning(own)
        return f"{name} differs from {baseline}{f' on {own[0].metric}{meaning}' if meaning else on}"
    if leading in (EQUIVALENT, NOT_WORSE):
        return f"{name} is {leading} {_PREPOSITIONS[leading]} {baseline}{on}"
    if leading == INCONCLUSIVE:
        return f"The comparison of {name} with {baseline} is inconclusive{on}"
    if leading == UNCLEAR:
        return f"{name} does not clearly differ from {baseline}{on}"
    return f"{name} was not tested against {baseline}"


def _few_of(metrics: Sequence[str], total: int) -> str:
    """Name a few metrics, or count many."""
    return joined(metrics) if len(metrics) <= FEW_NAMES else f"{len(metrics)} of {total} metrics"


def _meaning(facts: Sequence[Fact]) -> str:
    """Return the meaning of one difference that is neither better nor worse, in parentheses."""
    is_one = len(facts) == 1 and facts[0].verdict == DIFFERENT and facts[0].words
    return f" ({facts[0].words})" if is_one else ""


def _of_several(compared: ComparedSystem, systems: Sequence[str]) -> str:
    """Return the sentence about several systems by the first metric, with the exceptions of better ones."""
    metric = compared.metric
    verdicts = {fact.system: fact.verdict for fact in compared.overall if fact.metric == metric}
    groups = {verdict: [system for system in systems if verdicts[system] == verdict]
              for verdict in (WORSE, BETTER, *_REST)}  # fmt: skip
    better = groups[BETTER]
    best, closest = _best(groups, compared.baseline), _closest(compared)
    if best is not None:
        told = [f"{best} is the best of {len(systems) + 1} systems by {metric}"]
    elif closest is not None:
        told = [_of_closest(closest, compared.baseline), *_worse_and_others(groups, compared.baseline)]
    else:
        if len(better) > FEW_NAMES:  # only the best has a name in the sentence
            gains = {fact.system: fact.gain or 0.0 for fact in compared.overall if fact.metric == metric}
            better.sort(key=lambda system: -gains[system])
        told = list(_standings(groups, compared.baseline))
        told[0] += f" by {metric}"
    if len(better) > 1:  # next to the systems that it is about
        told.insert(1, "they were not tested against each other")
    # The better systems come first in the sentence.
    exceptions = [text for system in better for text in _exceptions(compared, system, len(better) > 1)]
    told[0] += f", but {joined(exceptions)}" if exceptions else ""
    return "; ".join(told)


def _closest(compared: ComparedSystem) -> Fact | None:
    """Return the best system by the first metric, if the baseline has the best value of all."""
    own = [fact for fact in compared.overall if fact.metric == compared.metric]
    known = [(fact.gain, fact) for fact in own if fact.gain is not None]
    if not known or any(fact.verdict in (BETTER, DIFFERENT) for fact in own):
        return None
    gain, closest = max(known, key=lambda one: one[0])
    return closest if gain <= 0 else None


def _of_closest(fact: Fact, baseline: str) -> str:
    """Return the sentence about the system that comes closest to a baseline with the best value."""
    before, value = (
        f" ({with_minus(four_decimals(x))})" if x is not None else "" for x in (fact.before, fact.value)
    )
    start = f"No system is better than {baseline}{before} by {fact.metric}"
    return f"{start}; the closest is {fact.system}{value}"


def _worse_and_others(groups: Mapping[str, Sequence[str]], baseline: str) -> Iterator[str]:
    """Yield how many systems are worse than the baseline, and those that are close or were not tested."""
    if worse := len(groups[WORSE]):
        yield f"{worse} of {sum(map(len, groups.values()))} {verb(worse, 'is', 'are')} worse"
    for verdict in (EQUIVALENT, NOT_WORSE):
        if group := groups[verdict]:
            are = verb(len(group), "is", "are")
            yield f"{named(group, 'systems')} {are} {verdict} {_PREPOSITIONS[verdict]} {baseline}"
    if untested := groups[UNTESTED]:
        was = verb(len(untested), "was", "were")
        yield f"{named(untested, 'systems')} {was} not tested against {baseline}"


def _best(groups: Mapping[str, Sequence[str]], baseline: str) -> str | None:
    """Return the best system, if the tests show it: all others are worse than the baseline."""
    others = sum(len(group) for verdict, group in groups.items() if verdict not in _AGAINST)
    if others or len(groups[BETTER]) > 1:
        return None
    return groups[BETTER][0] if groups[BETTER] else baseline


def _standings(groups: Mapping[str, Sequence[str]], baseline: str) -> Iterator[str]:
    """Yield how systems stand to the baseline, those with the same verdict together."""
    said = {
        BETTER: ("is better than", "are better than"),
        WORSE: ("is worse than", "are worse than"),
        DIFFERENT: ("differs from", "differ from"),
        EQUIVALENT: ("is equivalent to", "are equivalent to"),
        NOT_WORSE: ("is not worse than", "are not worse than"),
        INCONCLUSIVE: ("does not conclusively differ from", "do not conclusively differ from"),
        UNCLEAR: ("does not clearly differ from", "do not clearly differ from"),
        UNTESTED: ("was not tested against", "were not tested against"),
    }
    for verdict, forms in said.items():
        if group := groups[verdict]:
            who = named(group, "systems")
            if verdict == BETTER and len(group) > FEW_NAMES:
                who = f"{group[0]} and {len(group) - 1} other systems"
            yield f"{who} {verb(len(group), *forms)} {baseline}"


def _exceptions(compared: ComparedSystem, system: str, has_name: bool) -> Iterator[str]:
    """Yield where a system that is better by the first metric is worse.

    Args:
        has_name: whether to name the system, because the sentence before is about several.
    """
    worse = [fact.metric for fact in compared.overall if (fact.system, fact.verdict) == (system, WORSE)]
    where = [f"on {named(worse, 'metrics')}"] if worse else []
    where += [f"in {place}" for place in _places(compared, system, WORSE)]
    if where:
        yield f"{f'{system} is ' if has_name else ''}worse than {compared.baseline} {' and '.join(where)}"


def _places(compared: ComparedSystem, system: str, verdict: str) -> list[str]:
    """Return the slices with a verdict on the first metric, and those where a system is worse on others."""
    own = [fact for fact in compared.facts if fact.place and fact.system == system]
    found: dict[str, list[str]] = {}
    for fact in own:
        if fact.verdict == verdict:
            found.setdefault(fact.place, []).append(fact.metric)
    total = len({fact.place for fact in own})
    first = [place for place, metrics in found.items() if compared.metric in metrics]
    told = []
    if first:
        part = f"all {total} slices" if len(first) == total else f"{len(first)} of {total} slices"
        told.append(joined(first) if len(first) <= FEW_NAMES else part)
    others = {place: metrics for place, metrics in found.items() if compared.metric not in metrics}
    if others and verdict == WORSE:
        # Those that are worse on most metrics are named first.
        others = dict(sorted(others.items(), key=lambda one: -len(one[1])))
        told += _on_others(others)
    return told


def _on_others(others: Mapping[str, Sequence[str]]) -> list[str]:
    """Return slices with the metrics that they are worse on; those with the same metrics stand together."""
    if len(others) == 1:
        ((place, metrics),) = others.items()
        return [f"{place} on {named(metrics, 'other metrics')}"]
    groups: dict[tuple[str, ...], list[str]] = {}
    for place, metrics in others.items():
        groups.setdefault(tuple(metrics), []).append(place)
    if len(groups) > MOST_GROUPS:
        metrics = list(dict.fromkeys(metric for each in others.values() for metric in each))
        return [f"{_first(list(others))} (on one or more of {_first(metrics)})"]
    return [f"{_first(places)} ({_first(metrics)})" for metrics, places in groups.items()]


def _first(names: Sequence[str]) -> str:
    """Name a few, and count the others: ``a, b and 3 more``."""
    if len(names) <= FEW_NAMES:
        return joined(names)
    return joined([*names[: FEW_NAMES - 1], f"{len(names) - FEW_NAMES + 1} more"])


@dataclass(frozen=True)
class Pair:
    """The verdict on a system against another by one metric, over all rows or queries."""

    system: str
    against: str
    verdict: str


def verdict_of_pair(row: Mapping[str, Any]) -> str:
    """Return the verdict on a pair that does not depend on the order of its systems.

    A system that is worse within a margin is equivalent or not worse, but the other one is better.
    """
    if row["verdict"] not in (EQUIVALENT, NOT_WORSE) or not row["delta"]:
        return str(row["verdict"])
    is_directed = row["better"] is not None or row["target"] is not None
    return WORSE if is_directed and row["p_adjusted"] < row["alpha"] else str(row["verdict"])


def sentence_of_pairs(metric: str, systems: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Return the best systems by one metric in a sentence, without a full stop."""
    return visible(_pair_told(metric, systems, pairs))


def _pair_told(metric: str, systems: Sequence[str], pairs: Sequence[Pair]) -> str:
    verdicts = [pair.verdict for pair in pairs]
    if all(verdict == UNTESTED for verdict in verdicts):
        return f"The {len(systems)} systems were not tested against each other by {metric}"
    won = {(pair.system, pair.against) for pair in pairs if pair.verdict == BETTER}
    won |= {(pair.against, pair.system) for pair in pairs if pair.verdict == WORSE}
    if not won and DIFFERENT in verdicts:
        return (
            f"{verdicts.count(DIFFERENT)} of {len(pairs)} pairs of {len(systems)} systems differ by {metric}"
        )
    if all(verdict == EQUIVALENT for verdict in verdicts):
        return f"The {len(systems)} systems are equivalent by {metric}"
    if not won:
        return f"The {len(systems)} systems do not clearly differ by {metric}"
    return _of_winners(metric, systems, won)


def _of_winners(metric: str, systems: Sequence[str], won: Collection[tuple[str, str]]) -> str:
    """Return the sentence about systems of which some are better than others: pairs of winner and loser."""
    top = [system for system in systems if not any(loser == system for _, loser in won)]
    others = [system for system in systems if system not in top]
    are = verb(len(top), "is", "are")
    start = f"{named(top, 'systems')} {are} the best of {len(systems)} systems by {metric}"
    near = [other for other in others if any((best, other) not in won for best in top)]
    if len(top) == 1:
        return f"{start}, but not clearly better than {named(near, 'systems')}" if near else start
    if top and not near:
        return f"{start}, and do not clearly differ"
    if not top:
        return f"None of {len(systems)} systems is better than all others by {metric}"
    return f"Of {len(systems)} systems, none is clearly better than {named(top, 'systems', 'or')} by {metric}"
