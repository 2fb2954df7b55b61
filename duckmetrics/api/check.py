"""Findings about the data, as a table, before any metric is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from duckmetrics.api.arguments import session_of
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import refuse_metrics_as_truth, refuse_misspelled
from duckmetrics.checks.counting import singular
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import InputError
from duckmetrics.evaluation.inspection import INSPECT
from duckmetrics.evaluation.session import opened
from duckmetrics.inputs.ranking import MEANINGS
from duckmetrics.inputs.request import read_request
from duckmetrics.results.findings import ERROR, NOTE, SEVERITIES, WARNING
from duckmetrics.results.tabular import Tabular, document, html, readable, screen_width
from duckmetrics.words.lists import counted
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date
    from typing import Unpack

    import duckdb
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.evaluation.session import Session
    from duckmetrics.results.findings import Finding
    from duckmetrics.switches import Switches

UNITS = {
    "predictions": "predictions", "truth": "judgments", "queries": "queries", "history": "interactions",
    "items": "items of the catalogue", "reference": "rows of the reference run",
}  # fmt: skip
ROWS = "rows"


@dataclass(frozen=True)
class Findings(Tabular):
    """Findings of the checks, the worst first.

    ``findings.errors`` is true if `evaluate` would refuse the data.

    Attributes:
        rows: one for each finding; `count` is the number of occurrences, `examples` names up to three.
        performed: the names of the checks that ran.
        looked_at: the number of rows of each table, and of queries.
    """

    command = "check"

    rows: tuple[Finding, ...]
    performed: frozenset[str] = field(repr=False)
    looked_at: Mapping[str, int] = field(repr=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make an evaluation impossible."""
        return self._of(ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that can make a number wrong."""
        return self._of(WARNING)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """The findings that help to interpret the numbers."""
        return self._of(NOTE)

    def _of(self, severity: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.rows if finding.severity == severity)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.rows)

    @property
    def summary(self) -> pa.Table:
        """One row per finding.

        (severity, check, table, column, count, of, share, examples, sentence, message, advice), see
        `duckmetrics.results.findings.Finding`.
        """
        import pyarrow as pa

        texts = {name: pa.string() for name in ("severity", "check", "table", "column")}
        types = {**texts, "count": pa.int64(), "of": pa.int64(), "share": pa.float64(),
                 "examples": pa.list_(pa.string()), "sentence": pa.string(), "message": pa.string(),
                 "advice": pa.string()}  # fmt: skip
        rows = [{name: getattr(finding, name) for name in types} for finding in self.rows]
        return readable(pa.Table.from_pylist(rows, pa.schema(types)))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics check`` prints it in JSON, see docs/reference/json.md."""
        known = document(self.command, self.summary.to_pylist(), self.rows, verdict=self.verdict)
        # The rows name them already.
        del known["checks"]
        return known

    @property
    def verdict(self) -> str:
        """One line: the number of findings, of rows and of checks."""
        found = [
            f"{n} {severity}{'s' if n > 1 else ''}"
            for severity in SEVERITIES if (n := len(self._of(severity)))
        ]  # fmt: skip
        told = ", ".join(found) or "nothing found"
        parts = [
            counted(self.looked_at[name], singular(unit), unit)
            for name, unit in self._units() if name in self.looked_at
        ]  # fmt: skip
        checks = counted(len(self.performed), "check")
        return f"{told}; looked at {', '.join(parts) or 'no row'} with {checks}"

    def _units(self) -> list[tuple[str, str]]:
        side = self.looked_at.keys() & MEANINGS
        if "truth" not in self.looked_at and not side:
            return [("predictions", ROWS)]
        return list(UNITS.items())

    def __repr__(self) -> str:
        lines: list[str] = []
        for finding in self.rows:
            lines.append(visible(f"{finding.severity:<9}{finding.check}"))
            lines += _broken(_what(finding), "  ", "  ")
            lines += [*_broken(finding.advice, "  -> ", "     "), ""]
        return "\n".join([*lines, self.verdict])

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{self.verdict}</p>"
        cells = [[found.severity, found.check, _what(found), found.advice] for found in self.rows]
        return html(["severity", "check", "message", "advice"], cells, [self.verdict])


def _broken(text: str, first: str, others: str) -> list[str]:
    """Break a text into lines that the terminal holds."""
    return wrap(
        visible(text), screen_width(), initial_indent=first, subsequent_indent=others,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _what(finding: Finding) -> str:
    """Return the message without the advice at its end."""
    return finding.message.removesuffix(f"; {finding.advice}")


def check(
    predictions: Any,
    truth: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str | Mapping[str, str] | None = None,
    positive: str | float | None = None,
    score: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    version: int | Mapping[str, int] | None = None,
    as_of: str | date | Mapping[str, str | date] | None = None,
    queries: Any = None,
    history: Any = None,
    items: Any = None,
    reference: Any = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    engine: SparkSession | str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
    time_zone: str | None = None,
    like: str | None = None,
    **switches: Unpack[Switches],
) -> Findings:
    """Look for problems that would make results wrong, or impossible, before any is computed.

    It runs all checks of `evaluate` and more, and reports all findings at once. Bad data do not raise an
    error: a problem that `evaluate` would refuse is a finding of severity error.

    Args:
        metrics: the metrics to evaluate, as for `evaluate`; their inputs are checked, at their cut-offs.
            By default ``ndcg@10`` if there is a truth or a query_id, else ``auc``. A history, a catalogue
            and a reference run are checked even if no metric reads them; next to one of them, there may be
            no truth, and the default is ``personalization@10``.
        predictions, truth, system, by, columns, layout, positive, score, where, version, as_of, queries,
            history, items, reference, connection, engine, threads, memory_limit, temp_directory, snapshot,
            time_zone, like, **switches: as for `evaluate`.

    Returns:
        The findings, the worst first; empty if the data are clean.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        InputError: there is no such table.
        EngineError: the database refused a query.

    Example:
        run = {"q1": {"a": 0.5, "b": 0.5}}
        findings = duckmetrics.check(run, {"q1": {"b": 1}}, "mrr")
        [finding.check for finding in findings.warnings]  # ['constant_score']
        len(findings.errors)  # 0
    """
    refuse_misspelled(check, switches)
    refuse_metrics_as_truth(truth, metrics, connection)
    if engine is None:
        tables = (predictions, truth, queries, history, items, reference, system, *switches.values())
        engine = session_of(*tables)
    request = read_request(
        catalog(), predictions, truth, system=system, by=by, columns=columns, queries=queries, like=like,
        switches=switches, layout=layout, positive=positive, score=score, where=where, version=version,
        as_of=as_of, history=history, items=items, reference=reference,
    )  # fmt: skip
    used = open_engine(engine, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with opened(request, used, keep=False) as session:
        asked = _usual(session) if metrics is None else metrics
        return _findings(session, read_specs(asked))


def _family(session: Session) -> str:
    """Return the family of metrics that the tables are made for; classification if no table shows it."""
    if session.request.truth is not None:
        return RANKING
    try:
        family = session.family() or RANKING
    except InputError:
        return CLASSIFICATION
    # Items without labels belong to a truth that was forgotten.
    return RANKING if session.has_items and session.has_no_truth else family


def _usual(session: Session) -> str:
    """Return the metric whose inputs are checked if the caller names none.

    Next to a history, a catalogue or a reference run, a truth is not needed.
    """
    family = _family(session)
    is_alone = family == RANKING and session.request.has_side_tables and session.has_no_truth
    return session.catalog.usual(family, has_truth=not is_alone)


def _findings(session: Session, specs: Sequence[str]) -> Findings:
    """Check the inputs of the measures of each family."""
    measures = session.measures(specs, lambda: _family(session))
    request = session.request_for(measures)
    found: dict[str, Finding] = {}
    checks: set[str] = set()
    looked_at: dict[str, int] = {}
    for family in dict.fromkeys(measure.family for measure in measures):
        chosen = [measure for measure in measures if measure.family == family]
        inspection = INSPECT[family](session.catalog, session.engine, request, chosen, session.attach)
        found |= {finding.message: finding for finding in inspection.findings}
        checks |= inspection.checks
        looked_at |= inspection.looked_at or {}
    found |= {note.message: note for note in session.notes}
    rows = sorted(found.values(), key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings(tuple(rows), frozenset(checks), looked_at)
