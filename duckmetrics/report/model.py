"""The data of a report: plain values that the results fill in, and that the page shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duckmetrics.verdicts import ALPHA, UNTESTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.sentences.pairs import Pair
    from duckmetrics.sentences.relevance import NoRelevant

RANKING, CLASSIFICATION = "ranking", "classification"
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
class Curve:
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
    curves: tuple[Curve, ...] = ()


@dataclass(frozen=True)
class ReportData:
    """All that a report shows.

    Attributes:
        kind: RANKING or CLASSIFICATION, as the first metric.
        baseline: the system that the others are compared with; None for an evaluation.
        unit: the units of the intervals of the first metric in the plural, such as "users".
        counted: the rows or queries that the first metric counts, in the plural.
        pairs: the verdicts on all pairs of systems by the first metric, if every pair was tested.
        no_relevant: queries without a relevant item, and how they count.
        otherwise: the verdict as it is, and then under other conventions.
        alpha: an adjusted p below it gives a verdict.
        rule: the method of the comparison, in a sentence.
        notes: sentences about the method.
        conditions: the conditions of the rows that count, by table.
        signatures: the conventions of each metric.
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
    movers: tuple[Mover, ...] = ()
    checked: Checked = Checked()
    otherwise: tuple[Recounted, ...] = ()
    rule: str = ""
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    signatures: tuple[str, ...] = ()
    sql: str = ""
