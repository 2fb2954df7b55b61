"""The verdict of a comparison in one sentence, with its exceptions in the same sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.expressions.visible import visible
from duckmetrics.sentences.lists import FEW_NAMES, joined, named, verb
from duckmetrics.verdicts import BETTER, DIFFERENT, UNCLEAR, UNTESTED, WORSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The verdicts that contradict one; where nothing is better or worse, both do.
_AGAINST = {BETTER: (WORSE,), WORSE: (BETTER,)}
# The other verdicts on the other metrics, in the order in which a sentence names them.
_REST = {DIFFERENT: "different on", UNCLEAR: "unclear on", UNTESTED: "not tested on"}


class Fact(NamedTuple):
    """The verdict on a system by one metric.

    Attributes:
        place: the slice in words, such as ``country JP``; empty for all rows or queries.
        words: the meaning of a difference that is neither better nor worse, such as ``no direction is
            better``.
    """

    system: str
    metric: str
    verdict: str
    place: str = ""
    words: str = ""


@dataclass(frozen=True)
class Compared:
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


def leading_sentence(compared: Compared) -> str:
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
    """Return a slice in words: ``country JP``."""
    return ", ".join(f"{name} {value}" for name, value in segment.items())


def _of_one(compared: Compared, system: str) -> str:
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
    return next((verdict for verdict in (first, DIFFERENT, UNCLEAR) if verdict in by_verdict), UNTESTED)


def _start(name: str, baseline: str, own: Sequence[Fact], leading: str, total: int) -> str:
    """Return the beginning of a sentence.

    Args:
        own: the facts with the leading verdict.
        total: the number of metrics.
    """
    on = "" if len(own) == total else f" on {len(own)} of {total} metrics"
    if on and total == 2:
        on = f" on {own[0].metric}"
    if leading in _AGAINST:
        return f"{name} is {leading} than {baseline}{on}"
    if leading == DIFFERENT:
        meaning = _meaning(own)
        return f"{name} differs from {baseline}{f' on {own[0].metric}{meaning}' if meaning else on}"
    if leading == UNCLEAR:
        return f"No clear difference between {name} and {baseline}{on}"
    return f"{name} was not tested against {baseline}"


def _meaning(facts: Sequence[Fact]) -> str:
    """Return the meaning of one difference that is neither better nor worse, in parentheses."""
    is_one = len(facts) == 1 and facts[0].verdict == DIFFERENT and facts[0].words
    return f" ({facts[0].words})" if is_one else ""


def _of_several(compared: Compared, systems: Sequence[str]) -> str:
    """Return the sentence about several systems by the first metric, with the exceptions of better ones."""
    metric = compared.metric
    verdicts = {fact.system: fact.verdict for fact in compared.overall if fact.metric == metric}
    groups = {verdict: [system for system in systems if verdicts[system] == verdict]
              for verdict in (WORSE, BETTER, *_REST)}  # fmt: skip
    better = groups[BETTER]
    best = _best(groups, compared.baseline)
    if best is not None:
        told = [f"{best} is the best of {len(systems) + 1} systems by {metric}"]
    else:
        told = list(_standings(groups, compared.baseline))
        told[0] += f" by {metric}"
    if len(better) > 1:
        told.append("they were not tested against each other")
    exceptions = [text for system in better for text in _exceptions(compared, system, len(better) > 1)]
    return "; ".join(told) + (f", but {'; '.join(exceptions)}" if exceptions else "")


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
        UNCLEAR: ("does not clearly differ from", "do not clearly differ from"),
        UNTESTED: ("was not tested against", "were not tested against"),
    }
    for verdict, forms in said.items():
        if group := groups[verdict]:
            yield f"{named(group, 'systems')} {verb(len(group), *forms)} {baseline}"


def _exceptions(compared: Compared, system: str, has_name: bool) -> Iterator[str]:
    """Yield where a system that is better by the first metric is worse.

    Args:
        has_name: whether to name the system, because there are several.
    """
    worse = [fact.metric for fact in compared.overall if (fact.system, fact.verdict) == (system, WORSE)]
    where = [f"on {named(worse, 'metrics')}"] if worse else []
    where += [f"in {place}" for place in _places(compared, system, WORSE)]
    if where:
        yield f"{f'{system} is ' if has_name else ''}worse than {compared.baseline} {' and '.join(where)}"


def _places(compared: Compared, system: str, verdict: str) -> list[str]:
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
        (place, metrics), *more = others.items()
        told.append(f"{len(others)} of {total} slices on other metrics" if more else
                    f"{place} on {named(metrics, 'metrics')}")  # fmt: skip
    return told
