"""Findings about the data of a request, before any metric is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.checks.findings import Findings
from duckmetrics.errors import InputError
from duckmetrics.evaluation.inspection import INSPECT
from duckmetrics.results.findings import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.evaluation.session import Session
    from duckmetrics.results.findings import Finding


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


def usual_check(session: Session) -> str:
    """Return the metric whose inputs are checked if the caller names none.

    Next to a history, a catalogue or a reference run, a truth is not needed.
    """
    family = _family(session)
    is_alone = family == RANKING and session.request.has_side_tables and session.has_no_truth
    return session.catalog.usual(family, has_truth=not is_alone)


def inspected(session: Session, specs: Sequence[str]) -> Findings:
    """Check the inputs of the measures of each family.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        InputError: there is no such table.
    """
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
