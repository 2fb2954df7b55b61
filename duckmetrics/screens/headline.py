"""The verdict of a comparison in one sentence, with its exception in the same sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.verdicts import BETTER, DIFFERENT, UNCLEAR, UNTESTED, WORSE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

# More names than these are counted.
FEW_NAMES = 3
# The verdicts on the other metrics, in the order in which a sentence names them.
_REST = {WORSE: "worse on", BETTER: "better on", DIFFERENT: "different on", UNCLEAR: "unclear on",
         UNTESTED: "not tested on"}  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """The rows that a headline is about.

    Attributes:
        baseline: the system that the others are compared with.
        overall: the rows over all queries, without those of the baseline: system, metric, verdict.
        slices: the rows of slices, each with the name of its slice, such as "country JP".
    """

    baseline: str
    overall: Sequence[Row]
    slices: Sequence[tuple[str, Row]] = ()

    @property
    def systems(self) -> list[str]:
        """The systems other than the baseline."""
        return list(dict.fromkeys(str(row["system"]) for row in self.overall))


def headline(compared: Compared) -> str:
    """Return the verdict in one sentence."""
    systems = compared.systems
    if len(systems) == 1:
        return f"{_of_one(compared, systems[0])}{_in_slices(compared, systems[0])}"
    return _of_several(compared, systems)


def headline_of_pairs(metric: str, systems: Sequence[str], pairs: Sequence[Row]) -> str:
    """Return the sentence about systems of which every pair was tested.

    Args:
        pairs: the rows of one metric over all queries: system, against, verdict.
    """
    verdicts = [row["verdict"] for row in pairs]
    if all(verdict == UNTESTED for verdict in verdicts):
        return f"The {len(systems)} systems were not tested against each other by {metric}"
    won = {(row["system"], row["against"]) for row in pairs if row["verdict"] == BETTER}
    won |= {(row["against"], row["system"]) for row in pairs if row["verdict"] == WORSE}
    if not won and DIFFERENT in verdicts:
        return (
            f"{verdicts.count(DIFFERENT)} of {len(pairs)} pairs of {len(systems)} systems differ by {metric}"
        )
    if not won:
        return f"No clear difference between {len(systems)} systems by {metric}"
    return _of_winners(metric, systems, won)


def _of_winners(metric: str, systems: Sequence[str], won: Collection[tuple[str, str]]) -> str:
    """Return the sentence about systems of which some are better than others: pairs of winner and loser."""
    top = [system for system in systems if not any(loser == system for _, loser in won)]
    others = [system for system in systems if system not in top]
    start = f"{_listed(top, 'systems')} {_is(top)} the best of {len(systems)} systems by {metric}"
    near = [other for other in others if any((best, other) not in won for best in top)]
    if len(top) == 1:
        return f"{start}, but not clearly better than {_listed(near, 'systems')}" if near else start
    if top and not near:
        return f"{start}, with no clear difference between them"
    if not top:
        return f"None of {len(systems)} systems is better than all others by {metric}"
    near_top = _listed(top, "systems").replace(" and ", " or ")
    return f"Of {len(systems)} systems, none is clearly better than {near_top} by {metric}"


def verdict_of(name: str, baseline: str, verdicts: Mapping[str, str]) -> str:
    """Return the sentence about one system or variant over all its metrics.

    Args:
        verdicts: metric -> verdict; the first metric leads if it has a better or a worse value.
    """
    by_verdict: dict[str, list[str]] = {}
    for metric, verdict in verdicts.items():
        by_verdict.setdefault(verdict, []).append(metric)
    first = next(iter(verdicts.values()), UNTESTED)
    if first not in (BETTER, WORSE):
        first = max((BETTER, WORSE), key=lambda verdict: len(by_verdict.get(verdict, ())))
    leading = next((v for v in (first, DIFFERENT, UNCLEAR) if v in by_verdict), UNTESTED)
    of = len(by_verdict.get(leading, ()))
    on = "" if of == len(verdicts) else f" on {of} of {len(verdicts)} metrics"
    if on and len(verdicts) == 2:
        on = f" on {by_verdict[leading][0]}"
    match leading:
        case str() as word if word in (BETTER, WORSE):
            start = f"{name} is {word} than {baseline}{on}"
        case str() as word if word == DIFFERENT:
            start = f"{name} differs from {baseline}{on}"
        case str() as word if word == UNCLEAR:
            start = f"No clear difference between {name} and {baseline}{on}"
        case _:
            start = f"{name} was not tested against {baseline}"
    rest = [f"{words} {_listed(by_verdict[verdict], 'metrics')}"
            for verdict, words in _REST.items() if verdict in by_verdict and verdict != leading]  # fmt: skip
    return _joined_exceptions(start, rest, leading)


def _joined_exceptions(start: str, rest: Sequence[str], leading: str) -> str:
    """Join a sentence and its exceptions: the opposite verdict after "but"."""
    if not rest:
        return start
    is_opposite = leading in (BETTER, WORSE) and rest[0].startswith((BETTER, WORSE))
    return f"{start}, {'but ' if is_opposite else ''}{', '.join(rest)}"


def _of_one(compared: Compared, system: str) -> str:
    verdicts = {row["metric"]: row["verdict"] for row in compared.overall if str(row["system"]) == system}
    return verdict_of(system, compared.baseline, verdicts)


def _of_several(compared: Compared, systems: Sequence[str]) -> str:
    """Return the sentence about several systems by the first metric, with the exceptions of better ones."""
    metric = compared.overall[0]["metric"]
    verdicts = {str(row["system"]): row["verdict"] for row in compared.overall if row["metric"] == metric}
    groups = {word: [system for system in systems if verdicts[system] == word] for word in _REST}
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
    others = sum(len(group) for word, group in groups.items() if word not in (BETTER, WORSE))
    if others or len(groups[BETTER]) > 1:
        return None
    return groups[BETTER][0] if groups[BETTER] else baseline


def _standings(groups: Mapping[str, Sequence[str]], baseline: str) -> Iterator[str]:
    """Yield how systems stand to the baseline, those with the same verdict together."""
    for word in (BETTER, WORSE):
        if groups[word]:
            yield f"{_listed(groups[word], 'systems')} {_is(groups[word])} {word} than {baseline}"
    if groups[DIFFERENT]:
        differ = "differs" if len(groups[DIFFERENT]) == 1 else "differ"
        yield f"{_listed(groups[DIFFERENT], 'systems')} {differ} from {baseline}"
    if groups[UNCLEAR]:
        do = "does" if len(groups[UNCLEAR]) == 1 else "do"
        yield f"{_listed(groups[UNCLEAR], 'systems')} {do} not clearly differ from {baseline}"
    if groups[UNTESTED]:
        yield f"{_listed(groups[UNTESTED], 'systems')} {_is(groups[UNTESTED])} not tested against {baseline}"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _exceptions(compared: Compared, system: str, named: bool) -> Iterator[str]:
    """Yield where a system that is better by the first metric is worse.

    Args:
        named: whether to name the system, because there are several.
    """
    rows = [row for row in compared.overall if str(row["system"]) == system and row["verdict"] == WORSE]
    places = [f"on {_listed([row['metric'] for row in rows], 'metrics')}"] if rows else []
    places += [f"in {place}" for place in [_places(compared, system, WORSE)] if place]
    if places:
        yield f"{f'{system} is ' if named else ''}worse than {compared.baseline} {' and '.join(places)}"


def _in_slices(compared: Compared, system: str) -> str:
    """Return the exception in slices of the verdict on one system."""
    first = next(row["verdict"] for row in compared.overall if str(row["system"]) == system)
    words = {BETTER: (WORSE,), WORSE: (BETTER,)}.get(first, (WORSE, BETTER))
    places = ((word, _places(compared, system, word, only_first=word == BETTER)) for word in words)
    told = [f"{word} in {place}" for word, place in places if place]
    return f", but {' and '.join(told)}" if told else ""


def _places(compared: Compared, system: str, word: str, only_first: bool = False) -> str:
    """Return the slices with a verdict; where it is not on the first metric, also the metrics.

    Args:
        only_first: whether other metrics are left out.
    """
    first = compared.overall[0]["metric"]
    own = [
        (name, row) for name, row in compared.slices
        if str(row["system"]) == system and (row["metric"] == first or not only_first)
    ]  # fmt: skip
    found: dict[str, list[str]] = {}
    for name, row in own:
        if row["verdict"] == word:
            found.setdefault(name, []).append(row["metric"])
    if len(found) > FEW_NAMES:
        return f"{len(found)} of {len({name for name, _ in own})} slices"
    return _and(
        name if first in metrics else f"{name} on {_listed(metrics, 'metrics')}"
        for name, metrics in found.items()
    )


def _listed(names: Iterable[str], what: str) -> str:
    """Name a few, or count many."""
    every = list(names)
    return _and(every) if len(every) <= FEW_NAMES else f"{len(every)} {what}"


def _and(names: Iterable[str]) -> str:
    *others, last = [*names] or [""]
    return f"{', '.join(others)} and {last}" if others else last
