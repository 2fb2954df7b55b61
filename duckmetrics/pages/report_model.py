"""The data of a report, and questions about it: its best system, rows by name, changes for the better."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from duckmetrics.pages.changes import DIRECTIONS, Change, digits_of_row
from duckmetrics.pages.marks import between, number
from duckmetrics.pages.values import Named
from duckmetrics.words.lists import p_text
from duckmetrics.words.units import sized
from duckmetrics.words.verdict import gain_of
from duckmetrics.words.verdict import place_of as segment_words
from duckmetrics.words.verdicts import ALPHA, UNTESTED, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.pages.curves import Picture
    from duckmetrics.words.units import NoRelevant
    from duckmetrics.words.verdict import Pair


# Changes with a wider interval are shown in whole per cent.
WIDE = 0.01
# The numbers of a finding: "4,645 of 4,664 " before it, ", 0.3 of all" behind it.
_NUMBERS = re.compile(r"^[\d,]+( of [\d,]+)? |, [\d.e+-]+ of all$")
# The beginning of a title that keeps its capital: an acronym, and the name of a person.
_CAPITAL = re.compile(r"[A-Z]{2}|\w+'s\b|\w+-[A-Z]|(Brier|Gini|Matthews)\b")


def what_of(sentence: str) -> str:
    """Return a finding without its numbers: ``queries of the population with no predictions``."""
    return _NUMBERS.sub("", sentence)


def inside(title: str) -> str:
    """Return a title as it stands within a sentence; AUC stays AUC, and Brier stays Brier."""
    return title if _CAPITAL.match(title) else f"{title[:1].lower()}{title[1:]}"


def rough(change: float, half_width: float | None, sign: bool = True) -> str:
    """Return a change in per cent with no more digits than its interval supports."""
    digits = 0 if half_width is not None and half_width >= WIDE else 1
    return f"{number(100 * change, digits, sign)}%"


def span(lower: float | None, upper: float | None, digits: int, sign: bool = False) -> str:
    """Return an interval; empty if there is none."""
    return between(lower, upper, lambda end: number(end, digits, sign))


def p_words(p: float, name: str) -> str:
    """Return a p-value in words, by its name."""
    return f"{name} under 0.001" if p < 0.001 else f"{name} = {p_text(p)}"


# The family of metrics of queries, and an experiment; all others are of rows.
RANKING, EXPERIMENT = "ranking", "experiment"
# Findings about intervals: how they were computed, or that few units are behind them.
OF_INTERVAL, FEW_UNITS = "interval", "few_units"
# The values of the slicing columns in force, as text; empty for all rows.
Segment = tuple[str, ...]
# A slice: its columns and their values.
Key = tuple[tuple[str, ...], Segment]


@dataclass(frozen=True)
class Metric:
    """A metric of the report.

    Attributes:
        name: the metric as typed.
        title: the title of its file under sql/.
        better: "higher", "lower" or "target"; None if no direction is better.
        target: the best value of a metric that aims at a number.
        low, high: the ends of its range, None where it has no end.
        k: its cut-off, if it has one.
    """

    name: str
    title: str = ""
    better: str | None = "higher"
    target: float | None = None
    low: float | None = None
    high: float | None = None
    k: int | None = None


@dataclass(frozen=True)
class Row:
    """One value: of a system and a metric, overall or in a slice, with its difference to the baseline.

    Attributes:
        by: the slicing columns in force, such as country; empty for the overall row.
        segment: the values of these columns.
    """

    system: str
    metric: str
    by: tuple[str, ...] = ()
    segment: Segment = ()
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    n: int | None = None
    n_units: int | None = None
    n_undefined: int | None = None
    delta: float | None = None
    delta_lower: float | None = None
    delta_upper: float | None = None
    relative_change: float | None = None
    relative_lower: float | None = None
    relative_upper: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    verdict: str = UNTESTED
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    reason: str | None = None

    @property
    def key(self) -> Key:
        """The slice of the row."""
        return self.by, self.segment

    @property
    def units(self) -> int:
        """The number of units behind the value: queries, users or rows."""
        return self.n_units or self.n or 0


@dataclass(frozen=True)
class Problem:
    """A finding of a check.

    Attributes:
        severity: "error", "warning" or "note".
        sentence: the problem, without a path, examples or advice.
        share: the share of the rows that it concerns.
    """

    severity: str
    sentence: str
    check: str = ""
    table: str = ""
    share: float | None = None
    examples: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True)
class Checked:
    """The result of the complete check of the data.

    Attributes:
        performed: the number of checks, 0 if the data could not be checked again.
        looked_at: the number of rows by table.
        scores: the number of scores in each of these rows.
    """

    problems: tuple[Problem, ...] = ()
    performed: int = 0
    looked_at: Mapping[str, int] = field(default_factory=dict)
    scores: int = 1


@dataclass(frozen=True)
class Recounted:
    """The verdict under another convention.

    Attributes:
        name: the convention, such as "unjudged=skip".
        error: why the systems cannot be compared under it.
    """

    name: str
    n: int | None = None
    relative_change: float | None = None
    verdict: str = UNTESTED
    error: str = ""


@dataclass(frozen=True)
class Mover:
    """A query that gains or loses much against the baseline."""

    direction: str
    query: str
    before: float
    after: float
    difference: float


@dataclass(frozen=True)
class AtCutoff:
    """The value of a metric at one cut-off, for one system."""

    system: str
    k: int
    value: float | None
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class ReportCurve:
    """The rows of a table of a classifier.

    Attributes:
        drawing: the drawing of the table, a key of `charts.tables.DRAWINGS`.
        rows: the system, and the columns that the drawing reads.
    """

    table: str
    drawing: str
    rows: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Pictures:
    """Aggregated numbers behind the charts.

    Attributes:
        at_k: the values of the first metric at several cut-offs.
        at_k_name: this metric without its cut-off.
        differences: quantiles of the differences of the queries to the baseline, the smallest first.
        curves: the tables of a classifier that are drawn.
    """

    at_k: tuple[AtCutoff, ...] = ()
    at_k_name: str = ""
    differences: tuple[float, ...] = ()
    curves: tuple[ReportCurve, ...] = ()


@dataclass(frozen=True)
class ReportData:
    """All that a report shows.

    Attributes:
        kind: the family of the first metric, or EXPERIMENT.
        baseline: the system that the others are compared with; None for an evaluation.
        unit: the units of the intervals of the first metric in the plural, such as "users".
        counted: the rows or queries that the first metric counts, in the plural.
        pairs: the verdicts on all pairs of systems by the first metric, if every pair was tested.
        trends: the charts of the metrics over the runs of a log.
        no_relevant: queries without a relevant item, and how they count.
        otherwise: the verdict as it is, and then under other conventions.
        alpha: an adjusted p below it gives a verdict.
        rule: the method of the comparison, in a sentence.
        notes: sentences about the method.
        conditions: the conditions of the rows that count, by table.
        signatures: the conventions of each metric.
        subject: the word for what is compared, such as system.
        sentence: the verdict of a result that has its own sentence.
        withheld: why no difference is shown; empty if the differences can be trusted.
        about_slices: sentences about all slices together.
        places: the rows of a leaderboard, whose systems were all tested against each other, with their slice
            as in `Row`.
    """

    title: str
    kind: str
    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]
    version: str
    baseline: str | None = None
    unit: str = "rows"
    counted: str = "rows"
    pairs: tuple[Pair, ...] = ()
    no_relevant: tuple[NoRelevant, ...] = ()
    level: float | None = None
    alpha: float = ALPHA
    pictures: Pictures = Pictures()
    trends: tuple[Picture, ...] = ()
    movers: tuple[Mover, ...] = ()
    checked: Checked = Checked()
    otherwise: tuple[Recounted, ...] = ()
    rule: str = ""
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    signatures: tuple[str, ...] = ()
    sql: str = ""
    subject: str = "system"
    sentence: str = ""
    withheld: str = ""
    about_slices: tuple[str, ...] = ()
    places: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_of_rows(self) -> bool:
        """Whether the first metric is one of rows with a label."""
        return self.kind not in (RANKING, EXPERIMENT)


OVERALL: Key = ((), ())


def title_of(
    systems: Sequence[str], baseline: str | None, sources: Sequence[str], subject: str = "system"
) -> str:
    """Return the title of a report without one."""
    others = [name for name in systems if name != baseline]
    several = f"{len(others)} {subject}s"
    if baseline is None:
        known = others[0] or (PurePath(sources[0]).name if sources else "Evaluation")
        return several if len(others) > 1 else known
    return f"{others[0] if len(others) == 1 else several} against {baseline}"


# A temporary table, whose number depends on the calls before.
TEMPORARY = re.compile(r"\b(duckmetrics_\w*?_)(\d+)\b")


def renumbered(sql: str) -> str:
    """Number temporary tables as they appear, so that the same call gives the same text."""
    places: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"{found[1]}{places.setdefault(found[2], len(places) + 1)}"

    return TEMPORARY.sub(numbered, sql)


class Reading:
    """The data of a report with the answers that several sections need."""

    def __init__(self, data: ReportData) -> None:
        self.data = data
        self.metrics = {metric.name: metric for metric in data.metrics}
        self.primary = data.metrics[0]
        self.rows = {(row.system, row.metric, row.key): row for row in data.rows}
        self.others = tuple(name for name in data.systems if name != data.baseline)
        self.slices = tuple(dict.fromkeys(row.key for row in data.rows if row.by))

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The systems other than the baseline, the best first."""
        return tuple(sorted(self.others, key=self._place))

    def _place(self, system: str) -> float:
        row = self.row(system)
        return -self.worth_of(None if row is None else row.value)

    @property
    def best(self) -> str:
        """The system that the report is about: the best one that is not the baseline."""
        return self.ranked[0]

    @property
    def drawn(self) -> tuple[str, ...]:
        """The systems that a chart shows: the baseline and the best one."""
        return (self.best,) if self.data.baseline is None else (self.data.baseline, self.best)

    @property
    def top(self) -> Row | None:
        """The overall row of that system for the first metric."""
        return self.row(self.best)

    def worth_of(self, value: float | None) -> float:
        """Return a number that grows as a value of the first metric gets better; no value is worst."""
        if value is None:
            return -math.inf
        if self.primary.target is not None:
            return -abs(value - self.primary.target)
        return -value if self.primary.better == "lower" else value

    def row(self, system: str, metric: str | None = None, key: Key = OVERALL) -> Row | None:
        """Return a row, by default of the first metric overall; None if there is none."""
        return self.rows.get((system, metric or self.primary.name, key))

    def places(self, key: Key) -> list[Mapping[str, Any]]:
        """Return the rows of a leaderboard by the first metric in a slice, the best system first."""
        wanted = (*key, self.primary.name)
        return [one for one in self.data.places if (one["by"], one["segment"], one["metric"]) == wanted]

    @property
    def is_tested(self) -> bool:
        """Whether tests show the places of the systems of a leaderboard."""
        return any(one["tier"] for one in self.places(OVERALL))

    def base(self, row: Row) -> Row | None:
        """Return the row of the baseline for the same metric and slice."""
        if self.data.baseline is None:
            return None
        return self.rows.get((self.data.baseline, row.metric, row.key))

    def sign(self, metric: str) -> int:
        """Return 1 if higher is better, -1 if lower is, 0 if neither is."""
        return DIRECTIONS.get(self.metrics[metric].better or "", 0)

    def as_change(self, row: Row, label: str = "", note: str = "") -> Change:
        """Return a row as the change that charts draw."""
        base, target = self.base(row), self.metrics[row.metric].target
        before = None if base is None else base.value
        return Change(label, vars(row), before, self.sign(row.metric), target, note)

    def named(self, row: Row, label: str, note: str = "") -> Named:
        """Return a row as the value that charts draw."""
        return Named(label, note, [{**vars(row), "system": None}])

    def change(self, row: Row | None) -> float | None:
        """Return the relative change, turned so that more is better; None if no direction is."""
        return None if row is None else self.as_change(row).relative[0]

    def shown_change(self, row: Row | None) -> float | None:
        """Return the relative change of the value, as a reader computes it from both values."""
        change = self.change(row)
        return None if change is None or row is None else self.sign(row.metric) * change

    def shown_ends(self, row: Row) -> tuple[float, float] | None:
        """Return the interval of `shown_change`."""
        ends = self.ends(row)
        return ends if ends is None or self.sign(row.metric) > 0 else (-ends[1], -ends[0])

    def ends(self, row: Row) -> tuple[float, float] | None:
        """Return the interval of `change`."""
        _, lower, upper = self.as_change(row).relative
        return None if lower is None or upper is None else (lower, upper)

    def segments_of(self, system: str, verdict: str) -> list[Row]:
        """Return the rows of the first metric in the slices that have a verdict, the worst first."""
        found = (self.row(system, None, key) for key in self.slices)
        rows = [row for row in found if row is not None and row.verdict == verdict]
        return sorted(rows, key=self.badness)

    def worse_elsewhere(self, system: str) -> list[Row]:
        """Return the rows in slices where a system is worse by another metric, but not by the first."""
        known = {row.key for row in self.segments_of(system, WORSE)}
        return [
            row
            for name in self.metrics if name != self.primary.name
            for key in self.slices if key not in known
            if (row := self.row(system, name, key)) is not None and row.verdict == WORSE
        ]  # fmt: skip

    @property
    def total(self) -> str:
        """The number of units behind the first metric; of clusters, also that of their rows or queries."""
        if self.top is None:
            return f"0 {self.data.counted}"
        if self.data.kind == EXPERIMENT:  # a row has the units of two variants
            return f"{sum(self.data.checked.looked_at.values()):,} {self.data.counted}"
        more = f", {self.top.n or 0:,} {self.data.counted}"
        return self.size(self.top) + (more if self.data.unit != self.data.counted else "")

    def size(self, row: Row) -> str:
        """Write the number of units behind a value: ``2,400 users``."""
        return sized(row.n_units, self.data.unit, row.n or 0, self.data.counted)

    def gain(self, row: Row) -> float | None:
        """Return the change, higher for better, as a screen sorts by it; None if there is none."""
        base, metric = self.base(row), self.metrics[row.metric]
        return gain_of(vars(row), None if base is None else base.value, metric.better, metric.target)

    def badness(self, row: Row) -> float:
        """Return the key that sorts rows, the worst first: the change, or the value without a baseline."""
        if self.data.baseline is None:
            return math.inf if row.value is None else self.worth_of(row.value)
        gain = self.gain(row)
        return math.inf if gain is None else gain


def digits(row: Row | None) -> int:
    """Return the number of decimals that the interval of a row supports."""
    return 3 if row is None else digits_of_row(vars(row))


def place_of(row: Row) -> str:
    """Return the slice of a row in words: ``country JP``."""
    return place_of_key(row.key)


def place_of_key(key: Key) -> str:
    """Return a slice in words."""
    return segment_words(dict(zip(*key, strict=True)))


def label_of(key: Key) -> str:
    """Return the values of a slice."""
    return ", ".join(key[1]) or "overall"
