"""From the tests of all pairs to a leaderboard: places, rank intervals, tiers, chances to be the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from duckmetrics.comparison.families import OF_METRIC
from duckmetrics.comparison.leaderboard import OF_BEST_PAIR, OF_PAIR, Leaderboard
from duckmetrics.comparison.margins import adjust_margins, verdict_within, with_margins
from duckmetrics.comparison.pairing import Row, is_clustered, key_of_row, of_all_pairs
from duckmetrics.comparison.rows import placed_after
from duckmetrics.errors import MetricError
from duckmetrics.inference.intervals import chances_of_best, direction, samples_of_chances
from duckmetrics.results.grid import slice_key
from duckmetrics.results.tabular import letter_of
from duckmetrics.words.rounding import ROUNDING
from duckmetrics.words.verdicts import (
    AMONG_BEST,
    BEST,
    BETTER,
    DIFFERENT,
    NO_VALUE,
    OF_MARGINS,
    UNCLEAR,
    UNTESTED,
    WORSE,
    WORSE_SYSTEM,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.results.comparison import Comparison


def margins_of_pairs(
    comparer: Comparer,
    engine: Engine,
    contests: Sequence[tuple[FamilyEvaluation, Sequence[Row]]],
    systems: Sequence[str],
) -> list[Row]:
    """Return the comparisons with the columns of their margins; none without a margin.

    The data decide which system is the best. The p-values are therefore adjusted for all pairs.

    Args:
        contests: the comparisons of each metric and slice.
    """
    if comparer.margins is None:
        return []
    parts = list({id(part): part for part, _ in contests}.values())
    margins = comparer.margins.of([measure for part in parts for measure in part.measures])
    # Each comparison has a baseline of its own.
    values = comparer.values("", comparer.enough(parts, systems))
    rows: list[Row] = []
    for part in parts:
        pairs = [row for own, given in contests if own is part for row in given]
        rows += with_margins(comparer.catalog, engine, part, pairs, margins, comparer.test.name, values)
    adjust_margins(comparer.catalog, engine, rows, comparer.adjust, OF_METRIC)
    return rows


def verdict_near(row: Mapping[str, Any], usual: str, alpha: float) -> str:
    """Return the verdict on a system with a margin.

    Args:
        row: the columns of its margin to the best system.
        usual: the verdict without the margin.
    """
    found = verdict_within(row, UNCLEAR if usual == AMONG_BEST else usual, alpha)
    return usual if found == UNCLEAR else found


T = TypeVar("T")


def tiers(systems: Sequence[T], differing: Iterable[tuple[T, T]]) -> list[list[T]]:
    """Return the groups of systems that share a letter: insert and absorb.

    Each group is in the order of the systems, and so are the groups, by their members. A system is in several
    groups where the tests are not transitive.

    Args:
        systems: the best first.
        differing: the pairs that a test distinguishes.

    Source:
        Piepho, Journal of Computational and Graphical Statistics 2004, doi:10.1198/1061860043515.
    """
    places = {system: place for place, system in enumerate(systems)}
    groups = [frozenset(places.values())] if places else []
    for pair in differing:
        one, other = (places[system] for system in pair)
        torn = [group for group in groups if one in group and other in group]
        groups = [group for group in groups if group not in torn]
        pieces = [group - {place} for place in (one, other) for group in torn]
        # A piece that no pair needs would only add a letter.
        for piece in sorted(pieces, key=lambda group: (-len(group), sorted(group))):
            groups = groups if _is_covered(piece, groups) else [*groups, piece]
    for group in sorted(groups, key=sorted, reverse=True):
        rest = [other for other in groups if other != group]
        groups = rest if _is_covered(group, rest) else groups
    return [[systems[place] for place in sorted(group)] for group in sorted(groups, key=sorted)]


def _is_covered(group: frozenset[int], others: Collection[frozenset[int]]) -> bool:
    """Return whether other groups hold every pair of a group, and every system of it."""
    return all(group <= {place for other in others if one in other for place in other} for one in group)


# The verdicts of tests that distinguish two systems.
DISTINGUISHED = (BETTER, WORSE, DIFFERENT)
OPPOSITE = {BETTER: WORSE, WORSE: BETTER}
# The columns of the test of a pair that the test of a margin reads.
OF_TESTED = ("delta", "p", "p_adjusted", "n_units", "test")
# The methods that keep the chance of any false verdict below alpha, whatever the dependence of the tests.
FAMILYWISE = ("holm", "bonferroni")


def refuse_directionless(measures: Sequence[Measure]) -> None:
    """Refuse metrics that have no best value.

    Raises:
        MetricError: the header of a metric does not say which values are better.
    """
    for measure in measures:
        if direction(measure) is None:
            raise MetricError(
                measure.text, "no value is better than another, so that no system is the best", "leave it out"
            )


def leaderboard(comparer: Comparer, session: Session, parts: Sequence[FamilyEvaluation]) -> Leaderboard:
    """Rank the systems of parts that were evaluated with units.

    Raises:
        MetricError: one system only, or a metric without a best value.
        InputError: the systems have values of different queries or rows, or rows that nothing pairs.
    """
    for part in parts:
        refuse_directionless(part.measures)
    # Letters and ranks come from the tests without a margin.
    result = replace(comparer, margins=None).result(session, parts, None)
    samples, groups = samples_of_chances(comparer.inference, sum(len(part.rows) for part in parts))
    values = {"resamples": samples, "groups": groups, "seed": comparer.inference.seed}
    order, engine = comparer.systems(session, parts), session.engine.results()
    contests = list(_contests(result, parts, order))
    tested_pairs = [(part, list(contest.pairs_from_the_best())) for part, contest in contests]
    near = margins_of_pairs(comparer, engine, tested_pairs, order)
    by_pair = {_pair_key(result, row, row["baseline"]): row for row in near}
    chances: dict[Any, float | None] = {}
    for part in parts:
        if part.units is not None:
            chances |= chances_of_best(comparer.catalog, engine, part.units, part.measures, values)
    rows: list[Row] = []
    for part, contest in contests:
        own = {row["system"]: chances.get(key_of_row(part, row)) for row in contest.ranked}
        if part.per_query is not None and not is_clustered(part) and contest.is_of_other_queries:
            own = {}
        best = contest.ranked[0]["system"]
        margins = {row["system"]: by_pair.get(_pair_key(result, row, best), {}) for row in contest.ranked}
        rows += contest.rows(own, None if comparer.margins is None else margins)
    tests = result.pairs if comparer.margins is None else tuple(_with_margins(result, by_pair))
    kinds = dict.fromkeys(part.units.kind for part in parts if part.units is not None)
    at_once = comparer.adjust in FAMILYWISE or of_all_pairs(comparer.test)
    return Leaderboard(tuple(rows), result, " or ".join(kinds), samples, at_once, tests)


def _contests(
    result: Comparison, parts: Sequence[FamilyEvaluation], order: Sequence[str]
) -> Iterator[tuple[FamilyEvaluation, _Contest]]:
    """Yield the contest of each metric and slice, with the part that it belongs to."""
    pairs = _by_group(result)
    for part in parts:
        for measure in part.measures:
            for group in _groups(part, measure.text):
                tested = pairs[measure.text, slice_key(result.evaluation, group[0])]
                # Of equal systems, the one that was given first comes first.
                group.sort(key=lambda row: order.index(row["system"]))
                yield part, _Contest.of(measure, group, tested)


def _pair_key(result: Comparison, row: Row, other: str) -> tuple[Any, ...]:
    """Return the metric and slice of a row, and its system with another one, in either order."""
    return row["metric"], slice_key(result.evaluation, row), frozenset((row["system"], other))


def _with_margins(result: Comparison, near: Mapping[tuple[Any, ...], Row]) -> Iterator[Row]:
    """Yield the tests of the pairs with the columns of the margin.

    The tests of a margin compare the system with the worse value with the other one.
    """
    for pair in result.pairs:
        found = near.get(_pair_key(result, pair, pair["against"]), {})
        columns = {name: found.get(name) for name in OF_MARGINS}
        yield placed_after(pair, "p_adjusted", {WORSE_SYSTEM: found.get("system"), **columns})


def _by_group(result: Comparison) -> dict[tuple[str, Any], list[Row]]:
    """Return the tests of the pairs by metric and slice."""
    found: dict[tuple[str, Any], list[Row]] = {}
    for pair in result.pairs:
        found.setdefault((pair["metric"], slice_key(result.evaluation, pair)), []).append(pair)
    return found


def _groups(part: FamilyEvaluation, metric: str) -> Iterator[list[Row]]:
    """Yield the rows of a metric, slice by slice."""
    groups: dict[Any, list[Row]] = {}
    for row in part.rows:
        if row["metric"] == metric:
            groups.setdefault(key_of_row(part, row)[1:], []).append(row)
    yield from groups.values()


@dataclass(frozen=True)
class _Contest:
    """The systems of one metric in one slice.

    Attributes:
        ranked: the rows of the evaluation, the best first; those without a value last.
        pairs: the rows of the tests, by system and the one that it is compared with, in both directions.
    """

    measure: Measure
    ranked: list[Row]
    pairs: Mapping[tuple[str, str], Row]

    @classmethod
    def of(cls, measure: Measure, group: Sequence[Row], tested: Sequence[Row]) -> _Contest:
        pairs = {(pair["system"], pair["against"]): pair for pair in tested}
        pairs |= {(pair["against"], pair["system"]): _turned(pair) for pair in tested}
        known = [row for row in group if row["value"] is not None]
        known.sort(key=lambda row: -_goodness(measure, row))
        return cls(measure, [*known, *(row for row in group if row["value"] is None)], pairs)

    @property
    def systems(self) -> list[str]:
        """The systems that have a value, the best first."""
        return [row["system"] for row in self.ranked if row["value"] is not None]

    @property
    def is_of_other_queries(self) -> bool:
        """Whether systems have values of different queries, so that samples of them cannot be compared."""
        n = {row["system"]: row["n"] for row in self.ranked}
        common = ((n[one], n[other], pair["n_units"]) for (one, other), pair in self.pairs.items())
        return any(units is not None and units < max(own, its) for own, its, units in common)

    @property
    def is_tested(self) -> bool:
        return any(pair["verdict"] != UNTESTED for pair in self.pairs.values())

    def verdicts(self, system: str) -> list[str]:
        """Return the verdicts about a system, against all others that have a value."""
        return [self.pairs[system, other]["verdict"] for other in self.systems if other != system]

    def row_of_pair(self, system: str, best: str) -> Row:
        """Return the comparison of a system with the best; nothing for the best itself."""
        return {} if system == best else self.pairs[system, best]

    def pairs_from_the_best(self) -> Iterator[Row]:
        """Yield the test of every pair, as a comparison of a system with a better one."""
        for i, best in enumerate(self.systems):
            for row in self.ranked[i + 1 : len(self.systems)]:
                pair = self.pairs[row["system"], best]
                yield {**row, "baseline": best, **{name: pair[name] for name in OF_TESTED}}

    def rows(self, chances: Mapping[str, float | None], margins: Mapping[str, Row] | None) -> Iterator[Row]:
        """Yield a row for every system.

        Args:
            margins: the columns of the margin, by system; None if nobody gave a margin.
        """
        letters, places = self.letters(), self.places()
        example = next(iter(self.pairs.values()))
        for row in self.ranked:
            system = row["system"]
            best = self.row_of_pair(system, self.systems[0]) if places else {}
            verdicts = self.verdicts(system) if system in places else []
            names = [*row][: [*row].index("value")]
            near = {} if margins is None else {name: margins[system].get(name) for name in OF_MARGINS}
            verdict = self._verdict(system, verdicts)
            yield {
                **{name: row[name] for name in (*names, "value", "lower", "upper")},
                "place": places.get(system),
                "rank_lower": 1 + verdicts.count(WORSE) if letters.get(system) else None,
                "rank_upper": len(places) - verdicts.count(BETTER) if letters.get(system) else None,
                "tier": letters.get(system),
                **{name: best.get(name) for name in OF_BEST_PAIR},
                **near,
                "probability_best": chances.get(system) if len(places) > 1 else None,
                "verdict": verdict_near(near, verdict, example["alpha"]) if near and best else verdict,
                "n": row["n"],
                **{name: example[name] for name in OF_PAIR},
                "reason": row["reason"] or best.get("reason"),
                **{name: row[name] for name in ("better", "target", "signature")},
            }

    def letters(self) -> dict[str, str]:
        """Return the letters of each system; none if no pair was tested."""
        if not self.is_tested:
            return {}
        systems, found = self.systems, dict.fromkeys(self.systems, "")
        differing = [
            (one, other) for i, one in enumerate(systems) for other in systems[i + 1 :]
            if self.pairs[one, other]["verdict"] in DISTINGUISHED
        ]  # fmt: skip
        for number, group in enumerate(tiers(systems, differing)):
            for system in group:
                found[system] += letter_of(number)
        return found

    def places(self) -> dict[str, int]:
        """Return the place of each system that has a value; equal values share the better place."""
        found: dict[str, int] = {}
        first: Row = {}
        for number, row in enumerate(self.ranked[: len(self.systems)], start=1):
            if not first or _gap(self.measure, first, row) > ROUNDING * abs(first["value"]):
                first, place = row, number
            found[row["system"]] = place
        return found

    def _verdict(self, system: str, verdicts: Sequence[str]) -> str:
        """Return what the tests show about the place of a system."""
        if system not in self.systems:
            return NO_VALUE
        best = self.systems[0]
        if system == best:
            # With no other system, there is no test either.
            if all(verdict == UNTESTED for verdict in verdicts):
                return UNTESTED
            return BEST if all(verdict == BETTER for verdict in verdicts) else AMONG_BEST
        found = str(self.pairs[system, best]["verdict"])
        return {WORSE: WORSE, UNTESTED: UNTESTED, BETTER: DIFFERENT, DIFFERENT: DIFFERENT}.get(
            found, AMONG_BEST
        )


def _turned(pair: Row) -> Row:
    """Return the test of a pair, its difference and verdict as if the other system were compared."""
    low, high = pair["delta_lower"], pair["delta_upper"]
    return {
        **{name: pair[name] for name in ("p", "p_adjusted", "n_units", "reason", *OF_PAIR)},
        "delta": None if pair["delta"] is None else -pair["delta"],
        "delta_lower": None if high is None else -high,
        "delta_upper": None if low is None else -low,
        "verdict": OPPOSITE.get(pair["verdict"], pair["verdict"]),
    }


def _goodness(measure: Measure, row: Row) -> float:
    """Return a number that grows as a value gets better."""
    declared, value = measure.metric.range, float(row["value"])
    if declared.target is not None:
        return -abs(value - declared.target)
    return value if declared.direction == "higher" else -value


def _gap(measure: Measure, one: Row, other: Row) -> float:
    return _goodness(measure, one) - _goodness(measure, other)
