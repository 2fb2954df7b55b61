"""The data of a report, from an evaluation or a comparison."""

from __future__ import annotations

import math
import re
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.engine import Feature
from duckmetrics.errors import InputError, MetricError, UnsupportedError
from duckmetrics.evaluation.inspection import INSPECT
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.kept import SharedRelations
from duckmetrics.inference.units import over_rows
from duckmetrics.pages.changes import pairs_of
from duckmetrics.pages.report import MOST_BOARDS, Report
from duckmetrics.pages.report_model import (
    OF_INTERVAL,
    AtCutoff,
    Checked,
    Metric,
    Mover,
    Pictures,
    Problem,
    Reading,
    Recounted,
    ReportCurve,
    ReportData,
    Row,
    renumbered,
    title_of,
)
from duckmetrics.pages.tables import DRAWINGS, in_order
from duckmetrics.results.comparison import Comparison
from duckmetrics.results.findings import WARNING
from duckmetrics.version import __version__
from duckmetrics.words.lists import joined
from duckmetrics.words.units import CLUSTERS, QUERIES, ROWS, cluster_units, no_relevant_of, plural
from duckmetrics.words.verdicts import ALPHA, UNTESTED
from duckmetrics.words.visible import visible_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.attached import AttachedTables
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.pages.curves import Developing, Picture
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.findings import Finding


# The cut-offs of the curve of a ranking metric, up to the deepest rank that is computed anyway.
CUTOFFS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)
# The depth of the curve of a metric without a cut-off, and the least depth of all curves.
USUAL_DEPTH, LEAST_DEPTH = 50, 10
# The number of quantiles of the differences of queries.
STEPS = 201


@dataclass(frozen=True)
class Inspected:
    """The result of the complete check of the data.

    Attributes:
        performed: the names of the checks.
        looked_at: the number of rows by table.
    """

    findings: tuple[Finding, ...]
    performed: frozenset[str]
    looked_at: Mapping[str, int]


class Opened(Protocol):
    """A session: a request, and the tables that were attached for it."""

    catalog: Catalog
    request: Request
    engine: Engine

    @property
    def tables(self) -> AttachedTables:
        """The tables."""
        ...

    def attach(self, table: Any, role: Role, request: Request | None = None) -> Source:
        """Find out what a table argument means."""
        ...

    def parts(self, measures: Sequence[Measure]) -> list[FamilyEvaluation]:
        """Evaluate the measures of each family together."""
        ...

    def refuse_changed(self) -> None:
        """Refuse to read tables again that are not those that were evaluated."""
        ...

    def longest(self) -> int:
        """Return the number of places of the longest list."""
        ...

    def table(self, spec: str, params: Mapping[str, Any], shared: SharedRelations | None = None) -> pa.Table:
        """Return the rows of a table; `shared` has the relations that other tables read, too."""
        ...

    def again(self, specs: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """Return the overall values of other metrics, with intervals."""
        ...


class Ranked(Protocol):
    """The parts of a leaderboard that its report shows."""

    @property
    def rows(self) -> tuple[dict[str, Any], ...]: ...
    @property
    def comparison(self) -> Comparison: ...
    @property
    def evaluation(self) -> Evaluation: ...
    @property
    def verdict(self) -> str: ...
    def footer(self) -> list[str]: ...


class Material:
    """Computes the numbers of a report in the session of an evaluation.

    Args:
        per_query: the values of the queries; None if no metric has queries.
    """

    def __init__(
        self, session: Opened, parts: Sequence[FamilyEvaluation], per_query: exp.Query | None
    ) -> None:
        self._session = session
        self._parts = parts
        self._per_query = per_query
        self._measures = [measure for part in parts for measure in part.measures]
        self._given = {measure.text for part in parts if part.is_given for measure in part.measures}

    def metrics(self) -> list[tuple[Metric, str]]:
        """Return each metric with its family."""
        return [(_metric(measure), measure.family) for measure in self._measures]

    def unit(self) -> str:
        """Return the units of the intervals of the first metric in the plural, such as "users"."""
        units = self._parts[0].units
        if units is not None and units.kind.startswith(CLUSTERS):
            return cluster_units(units.kind.removeprefix(CLUSTERS))
        return self.counted()

    def counted(self) -> str:
        """Return what the first metric counts in the plural: rows, or queries such as "users"."""
        part = self._parts[0]
        if part.measures[0].family != RANKING:
            return ROWS
        return plural(part.query_name) or QUERIES

    def sources(self) -> list[str]:
        """Return the names of the tables, each once."""
        return list(dict.fromkeys(source.label for source in self._session.tables.sources))

    def conditions(self) -> dict[str, str]:
        """Return the conditions of the rows that count, by table."""
        where, dialect = self._session.request.where, self._session.engine.dialect
        return {str(table): condition.sql(dialect) for table, condition in where.items()}

    def scores(self) -> int:
        """Return the number of columns with scores in one table; 0 if a column names the system."""
        return len(self._session.request.scores)

    def inspected(self) -> Inspected | None:
        """Check the data of each family completely; None if there are no tables to check.

        Of rankings the inputs of the first metric are checked: others repeat the checks at other cut-offs.
        """
        session = self._session
        if not self.is_readable:
            return None
        findings: dict[str, Finding] = {}
        performed: set[str] = set()
        looked_at: dict[str, int] = {}
        with session.engine.exclusive(keep=False):
            session.refuse_changed()
            for part in self._parts:
                if part.is_given:
                    continue
                family = part.measures[0].family
                measures = part.measures[:1] if family == RANKING else part.measures
                asked = replace(session.request.of(session.catalog, measures), checked=True)
                found = INSPECT[family](session.catalog, session.engine, asked, measures, session.attach)
                findings |= {one.message: one for one in found.findings}
                performed |= found.checks
                looked_at |= found.looked_at or {}
        return Inspected(tuple(findings.values()), frozenset(performed), looked_at)

    @property
    def is_readable(self) -> bool:
        """Whether the tables can be read once more; results of other evaluations have none."""
        computed = [part for part in self._parts if not part.is_given]
        from_tables = all(part.query_name for part in computed if part.measures[0].family == RANKING)
        known = bool(self._session.tables.found) and bool(computed) and from_tables
        return known and self._session.engine.supports(Feature.REREADING)

    def at_cutoffs(self, metric: str) -> tuple[str, list[AtCutoff]]:
        """Return the name of a metric without its cut-off, and its values at several cut-offs: one scan."""
        measure = next(one for one in self._measures if one.text == metric)
        cuts = self._cuts(measure)
        if len(cuts) < 2 or not self.is_readable:
            return measure.name, []
        asked = [_at(measure, k) for k in cuts]
        session = self._unsliced()
        session.request = replace(session.request, checked=max(cuts) <= self._checked_depth())
        with session.engine.exclusive(keep=False):
            session.refuse_changed()
            (part,) = session.parts(asked)
        rows = [
            AtCutoff(str(row["system"] or ""), int(row["metric"]), row["value"], row["lower"], row["upper"])
            for row in ({"lower": None, "upper": None, **one} for one in part.rows)
        ]
        return str(measure).partition("@")[0], rows

    def _checked_depth(self) -> float:
        """Return the deepest rank that the evaluation looked at; infinite if a metric has no cut-off."""
        depths = [one.depth for one in self._measures if one.family == RANKING]
        return max(math.inf if depth is None else depth for depth in depths)

    def _cuts(self, measure: Measure) -> list[int]:
        """Return the cut-offs of a curve: no deeper than what was asked for, so that it costs no more."""
        if CUTOFF not in measure.values or measure.family != RANKING or measure.text in self._given:
            return []
        depth = self._checked_depth()
        deepest = USUAL_DEPTH if math.isinf(depth) else max(LEAST_DEPTH, int(depth))
        own = measure.values[CUTOFF]
        asked = {int(own)} if isinstance(own, int) else set()
        if self.is_readable:
            deepest = min(deepest, max(self._session.longest(), *asked, 1))
        return sorted({k for k in CUTOFFS if k <= deepest} | {deepest} | asked)

    def movers(self, metric: str, system: str, baseline: str, n: int) -> list[Mover]:
        """Return the queries that gain and lose most by one metric."""
        rows = self._values(metric, system, baseline)
        if rows is None:
            return []
        session = self._session
        found = session.engine.rows(
            over_rows(session.catalog, "movers", rows, {"baseline": baseline, "n": n})
        )
        lower = next(one.lower_is_better for one in self._measures if one.text == metric)
        ways = {"gain": "loss", "loss": "gain"} if lower else {"gain": "gain", "loss": "loss"}
        return [Mover(ways[row[2]], str(row[4]), row[5], row[6], row[7]) for row in found]

    def differences(self, metric: str, system: str, baseline: str) -> list[float]:
        """Return quantiles of the differences of the queries by one metric, the smallest first."""
        rows = self._values(metric, system, baseline)
        if rows is None:
            return []
        composer = Composer(self._session.catalog, {"per_query": rows})
        step = composer.relation("difference_quantiles", {"baseline": baseline, "points": STEPS})
        query = composer.complete(exp.select("difference").from_(step).order_by("place"))
        return [difference for (difference,) in self._session.engine.rows(query)]

    def _values(self, metric: str, system: str, baseline: str) -> exp.Select | None:
        """Return the values of the queries by one metric, of two systems; None for a metric of rows."""
        if self._per_query is None or metric not in self._texts(RANKING):
            return None
        known = exp.In(this=exp.column("system"), expressions=[literal(system), literal(baseline)])
        names = map(exp.column, ("system", "metric", "query_id", "value"))
        rows = exp.select(*names).from_(self._per_query.subquery("per_query"))
        return rows.where(known, exp.column("metric").eq(literal(metric)))

    def _texts(self, family: str) -> list[str]:
        return [measure.text for measure in self._measures if measure.family == family]

    def curves(
        self, systems: Collection[str], tried: Callable[[str, Callable[[], ReportCurve]], ReportCurve | None]
    ) -> list[ReportCurve]:
        """Return the tables of a classifier that have a chart; none if its rows cannot be read again.

        Args:
            systems: those that are drawn.
            tried: calls a function; returns None if the rows cannot be used for the table of this name.
        """
        if not self.is_readable:
            return []
        session = self._unsliced()
        catalog = session.catalog
        names = in_order(catalog.charts, of_classes=session.request.classes is not None)
        with session.engine.exclusive(keep=False):
            session.refuse_changed()
            shared = SharedRelations(catalog, session.engine, map(catalog.find_table, names))
            found = [tried(name, partial(_curve, session, name, systems, shared)) for name in names]
        return [curve for curve in found if curve is not None and curve.rows]

    def _unsliced(self) -> Opened:
        """Return the session without slices; tables stay attached."""
        session = copy(self._session)
        session.request = replace(session.request, by=(), computed={}, verify=None)
        return session


def _curve(session: Opened, table: str, systems: Collection[str], shared: SharedRelations) -> ReportCurve:
    """Return the rows of a table over all rows, with the columns of its chart.

    Raises:
        InputError: the rows cannot be used for this table.
    """
    drawing, params = session.catalog.charts[table]
    found = session.table(table, params, shared).to_pylist()
    named = [{**row, "system": str(row.get("system") or "")} for row in found]
    columns = ("system", *DRAWINGS[drawing].columns)
    rows = [{name: row[name] for name in columns} for row in named if row["system"] in systems]
    return ReportCurve(table, drawing, tuple(rows))


def _metric(measure: Measure) -> Metric:
    ends = measure.metric.range
    low, high = (end if math.isfinite(end) else None for end in (ends.low, ends.high))
    k = measure.values.get(CUTOFF)
    cutoff = k if isinstance(k, int) else None
    return Metric(measure.text, measure.metric.title, ends.direction, ends.target, low, high, cutoff)


def _at(measure: Measure, k: int) -> Measure:
    """Return a metric at another cut-off, which is its text."""
    params = tuple((name, k if name == CUTOFF else value) for name, value in measure.params)
    return replace(measure, text=str(k), params=params)


T = TypeVar("T")

# Findings about the method, which are not about the data.
OF_METHOD = ("layout", "interval", "test")
# A check of the evaluation, and the complete one that reports the same fact.
SAME = {"missing_query": "unanswered_query"}
MOVERS = 5
AS_IT_IS = "as it is"
# Counts of four digits or more, which are not part of a number or name.
COUNTS = re.compile(r"(?<![\w.,=-])\d{4,}(?![\w.])")
# The columns of a result that a row of the report has under the same name.
SHARED = tuple(one.name for one in fields(Row) if one.name not in ("system", "by", "segment"))
# The columns of a leaderboard that its report shows.
PLACES = ("system", "metric", "value", "lower", "upper", "n", "rank_lower", "rank_upper", "tier",
          "probability_best", "verdict", "reason")  # fmt: skip
# Column of the JSON -> table of the checks, in words.
TABLES = {"predictions": "predictions", "truth": "judgments", "queries": "queries"}


def report_of(
    result: Evaluation | Comparison, material: Material, title: str | None, ids: bool,
    otherwise: Sequence[Mapping[str, Any]] | None = None, trend: Developing | None = None,
    board: Ranked | None = None,
) -> Report:  # fmt: skip
    """Return the report of an evaluation, of a comparison, or of a leaderboard of the evaluation."""
    comparison = result if isinstance(result, Comparison) else None
    evaluation = result.evaluation if isinstance(result, Comparison) else result
    told = comparison.told if comparison is not None else () if board is None else board.comparison.told
    data = _Builder(evaluation, comparison, material, ids, told).data(title, otherwise)
    if board is not None:
        data = _with_places(data, board)
    if trend is not None:
        data = replace(data, trends=_trends(trend, [metric.name for metric in data.metrics]))
    return Report.of(data)


def _with_places(data: ReportData, board: Ranked) -> ReportData:
    """Return the data of the report of a leaderboard."""
    places = []
    for row in board.rows:
        segment = board.evaluation.segment(row)
        places.append({**{name: row[name] for name in PLACES}, "by": tuple(segment),
                       "segment": tuple(map(visible_key, segment.values()))})  # fmt: skip
    head = board.verdict
    sentence = f"By{head[2:]}" if head.startswith("by ") else head
    # The last line is about columns that the page does not show.
    notes = (*board.footer()[:-1], *data.notes)
    slices = {(one["by"], one["segment"]) for one in places if one["by"]}
    about = f"The ranks in these {len(slices)} slices are in the rows of the result"
    data = replace(data, places=tuple(places), sentence=sentence, notes=notes)
    return replace(data, about_slices=(about,)) if len(slices) > MOST_BOARDS else data


def _trends(trend: Developing, metrics: Sequence[str]) -> tuple[Picture, ...]:
    """Return the charts over time of the metrics of a report that a trend has.

    Raises:
        MetricError: it has none of them.
    """
    known = [metric for metric in metrics if metric in trend.metrics]
    if not known:
        raise MetricError(
            "trend", f"has none of the metrics {joined(metrics)}; it has {joined(trend.metrics)}",
            "log the metrics of the report",
        )  # fmt: skip
    return tuple(map(trend.picture, known))


class _Builder:
    """Collects the data of a report."""

    def __init__(
        self, evaluation: Evaluation, comparison: Comparison | None, material: Material, ids: bool,
        told: Sequence[Finding],
    ) -> None:  # fmt: skip
        self._evaluation = evaluation
        self._comparison = comparison
        self._material = material
        self._ids = ids
        self._told = told
        self._left_out: list[str] = []

    def data(self, title: str | None, otherwise: Sequence[Mapping[str, Any]] | None) -> ReportData:
        """Return all data: the rows first, because the charts are about the best system in them."""
        first = self._values(title)
        reading = Reading(first)
        pictures = self._pictures(reading)
        movers = self._movers(reading)
        inspected = self._inspected()
        return replace(
            first,
            pictures=pictures,
            movers=movers,
            checked=self._checked(inspected),
            otherwise=self._otherwise(otherwise, reading),
            rule="" if self._comparison is None else _counted(self._comparison.rule),
            notes=(*self._notes(), *self._left_out),
            sources=tuple(self._material.sources()),
            conditions=self._material.conditions(),
            signatures=tuple(dict.fromkeys(row["signature"] for row in self._evaluation.rows)),
            sql=renumbered(self._evaluation.sql),
        )

    def _values(self, title: str | None) -> ReportData:
        """Return the data of the rows."""
        evaluation, comparison = self._evaluation, self._comparison
        metrics = self._material.metrics()
        rows = evaluation.rows if comparison is None else comparison.rows
        systems = tuple(str(name or "") for name in evaluation.systems)
        baseline = None if comparison is None else comparison.baseline
        return ReportData(
            title=title or title_of(systems, baseline, self._material.sources()),
            kind=metrics[0][1],
            systems=systems,
            metrics=tuple(metric for metric, _ in metrics),
            rows=tuple(map(self._row, rows)),
            version=__version__,
            baseline=baseline,
            pairs=() if comparison is None else tuple(pairs_of(metrics[0][0].name, comparison.pairs)),
            no_relevant=no_relevant_of(evaluation.rows),
            unit=self._material.unit(),
            counted=self._material.counted(),
            level=evaluation.level,
            alpha=next((row["alpha"] for row in rows if row.get("alpha") is not None), ALPHA),
        )

    def _row(self, row: Mapping[str, Any]) -> Row:
        """Return a row of the results as one of the report."""
        segment = self._evaluation.segment(dict(row))
        shared = {name: row[name] for name in SHARED if name in row}
        return Row(
            **shared, system=str(row["system"] or ""), by=tuple(segment),
            segment=tuple(map(visible_key, segment.values())),
        )  # fmt: skip

    # ---- charts

    def _pictures(self, reading: Reading) -> Pictures:
        """Return the numbers behind the charts of the first metric."""
        metric, baseline = reading.primary.name, reading.data.baseline
        if reading.data.is_of_rows:
            return Pictures(curves=tuple(self._material.curves(reading.drawn, self._tried)))
        name, points = self._tried("at_k", lambda: self._material.at_cutoffs(metric)) or ("", ())
        steps = None if baseline is None or self._is_unpaired else self._tried(
            "differences", lambda: self._material.differences(metric, reading.best, baseline)
        )  # fmt: skip
        shown = tuple(one for one in points if one.system in reading.drawn)
        return Pictures(shown, name, tuple(steps or ()))

    @property
    def _is_unpaired(self) -> bool:
        """Whether no query is compared with itself."""
        return self._comparison is not None and self._comparison.unpaired

    def _movers(self, reading: Reading) -> tuple[Mover, ...]:
        baseline = reading.data.baseline
        if baseline is None or not self._ids or reading.data.kind != RANKING or self._is_unpaired:
            return ()
        return tuple(self._material.movers(reading.primary.name, reading.best, baseline, MOVERS))

    def _tried(self, name: str, compute: Callable[[], T]) -> T | None:
        """Return numbers for a chart; without them, the page says which chart is left out."""
        try:
            return compute()
        except (InputError, MetricError, UnsupportedError) as error:
            self._left_out.append(f"{name} is left out{f': {error}' if self._ids else ''}")
            return None

    # ---- the data

    def _inspected(self) -> Inspected | None:
        return self._tried("the complete check of the data", self._material.inspected)

    def _own(self) -> list[Finding]:
        """Return the findings of the evaluation and of the comparison."""
        return [*self._evaluation.checks, *self._told]

    def _checked(self, inspected: Inspected | None) -> Checked:
        """Return the findings about the data; the complete check names a fact that both have."""
        done = frozenset() if inspected is None else inspected.performed
        own = [one for one in self._own() if one.check not in done and SAME.get(one.check) not in done]
        found: Iterable[Finding] = [*(() if inspected is None else inspected.findings), *own]
        problems = tuple(dict.fromkeys(self._problem(one) for one in found if not _is_of_method(one)))
        if inspected is None:
            return Checked(problems)
        scores, looked_at = 1, {TABLES.get(name, name): n for name, n in inspected.looked_at.items()}
        if "judgments" not in looked_at and "predictions" in looked_at:
            n, given = looked_at["predictions"], self._material.scores()
            # The check counts a row for each of its scores.
            scores = given if given and n % given == 0 else 1
            looked_at = {"rows": n // scores}
        return Checked(problems, len(inspected.performed), looked_at, scores)

    def _problem(self, finding: Finding) -> Problem:
        table = PurePath(finding.table).name or finding.table
        return Problem(
            finding.severity, _counted(finding.sentence), finding.check, table, finding.share,
            finding.examples if self._ids else (), finding.advice,
        )  # fmt: skip

    def _notes(self) -> list[str]:
        """Return the findings about the method as sentences."""
        return list(dict.fromkeys(_counted(one.message) for one in self._own() if _is_of_method(one)))

    def _otherwise(
        self, asked: Sequence[Mapping[str, Any]] | None, reading: Reading
    ) -> tuple[Recounted, ...]:
        """Return the verdict of the best system by the first metric, as it is and under others."""
        if self._comparison is None or not asked:
            return ()
        rows = self._comparison.otherwise(asked).to_pylist()
        wanted = reading.primary.name, reading.best
        return tuple(
            Recounted(
                row["otherwise"] or AS_IT_IS, row["n"], row["relative_change"], row["verdict"] or UNTESTED,
                self._why_not(row),
            )
            for row in rows if (row["metric"], row["system"]) in (wanted, (None, None))
        )  # fmt: skip

    def _why_not(self, row: Mapping[str, Any]) -> str:
        """Return why there is no verdict under a convention; the reason may name queries."""
        if row["verdict"] is not None:
            return ""
        return row["reason"] if self._ids else "the systems cannot be compared this way"


def _is_of_method(finding: Finding) -> bool:
    """Return whether a finding is about the method; few units behind an interval are a matter of the data."""
    return finding.check in OF_METHOD and not (finding.check == OF_INTERVAL and finding.severity == WARNING)


def _counted(sentence: str) -> str:
    """Write the counts of a sentence with commas."""
    return COUNTS.sub(lambda match: f"{int(match[0]):,}", sentence)
