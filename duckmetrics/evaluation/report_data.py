"""The data of a report, from an evaluation or a comparison."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from duckmetrics.errors import InputError, MetricError, UnsupportedError
from duckmetrics.expressions.visible import visible_key
from duckmetrics.report.model import (
    CLASSIFICATION,
    OF_INTERVAL,
    RANKING,
    Checked,
    Pictures,
    Problem,
    Recounted,
    ReportData,
    Row,
)
from duckmetrics.report.page import Report
from duckmetrics.report.reading import Reading
from duckmetrics.results.comparison import Comparison
from duckmetrics.results.findings import WARNING
from duckmetrics.results.pairwise import pairs_of
from duckmetrics.sentences.relevance import no_relevant_of
from duckmetrics.verdicts import ALPHA, UNTESTED
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from duckmetrics.evaluation.material import Inspected, Material
    from duckmetrics.report.model import Mover
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.findings import Finding

T = TypeVar("T")

# Findings about the method, which are not about the data.
OF_METHOD = ("layout", "interval", "test")
# A check of the evaluation, and the complete one that reports the same fact.
SAME = {"missing_query": "unanswered_query"}
MOVERS = 5
AS_IT_IS = "as it is"
# A temporary table, whose number depends on the calls before.
TEMPORARY = re.compile(r"\b(duckmetrics_\w*?_)(\d+)\b")
# Counts of four digits or more, which are not part of a number or name.
COUNTS = re.compile(r"(?<![\w.,=-])\d{4,}(?![\w.])")
# The columns of a result that a row of the report has under the same name.
SHARED = tuple(one.name for one in fields(Row) if one.name not in ("system", "by", "segment"))
# Column of the JSON -> table of the checks, in words.
TABLES = {"predictions": "predictions", "truth": "judgments", "queries": "queries"}


def report_of(
    result: Evaluation | Comparison, material: Material, title: str | None, ids: bool,
    otherwise: Sequence[Mapping[str, Any]] | None = None,
) -> Report:  # fmt: skip
    """Return the report of an evaluation, or of a comparison."""
    comparison = result if isinstance(result, Comparison) else None
    evaluation = result.evaluation if isinstance(result, Comparison) else result
    return Report.of(_Builder(evaluation, comparison, material, ids).data(title, otherwise))


class _Builder:
    """Collects the data of a report."""

    def __init__(
        self, evaluation: Evaluation, comparison: Comparison | None, material: Material, ids: bool
    ) -> None:
        self._evaluation = evaluation
        self._comparison = comparison
        self._material = material
        self._ids = ids
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
            sql=_renumbered(self._evaluation.sql),
        )

    def _values(self, title: str | None) -> ReportData:
        """Return the data of the rows."""
        evaluation, comparison = self._evaluation, self._comparison
        metrics = self._material.metrics()
        rows = evaluation.rows if comparison is None else comparison.rows
        systems = tuple(str(name or "") for name in evaluation.systems)
        baseline = None if comparison is None else comparison.baseline
        return ReportData(
            title=title or _title(systems, baseline, self._material.sources()),
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
        if reading.data.kind == CLASSIFICATION:
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
        told = () if self._comparison is None else self._comparison.told
        return [*self._evaluation.checks, *told]

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


def _title(systems: Sequence[str], baseline: str | None, sources: Sequence[str]) -> str:
    """Return the title of a report without one."""
    others = [name for name in systems if name != baseline]
    if baseline is None:
        known = others[0] or (PurePath(sources[0]).name if sources else "Evaluation")
        return f"{len(others)} systems" if len(others) > 1 else known
    return f"{others[0] if len(others) == 1 else f'{len(others)} systems'} against {baseline}"


def _is_of_method(finding: Finding) -> bool:
    """Return whether a finding is about the method; few units behind an interval are a matter of the data."""
    return finding.check in OF_METHOD and not (finding.check == OF_INTERVAL and finding.severity == WARNING)


def _counted(sentence: str) -> str:
    """Write the counts of a sentence with commas."""
    return COUNTS.sub(lambda match: f"{int(match[0]):,}", sentence)


def _renumbered(sql: str) -> str:
    """Number temporary tables as they appear, so that the same call gives the same text."""
    places: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"{found[1]}{places.setdefault(found[2], len(places) + 1)}"

    return TEMPORARY.sub(numbered, sql)
