"""The exceptions to a verdict: slices and metrics where it is another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.report.model import BETTER, DIFFERENT, EVEN, WORSE
from duckmetrics.report.reading import place_of
from duckmetrics.report.words import counted, joined

if TYPE_CHECKING:
    from duckmetrics.report.model import Row
    from duckmetrics.report.reading import Reading

# The verdicts that contradict a verdict; without a clear difference overall, both do.
AGAINST = {BETTER: (WORSE,), WORSE: (BETTER,), EVEN: (BETTER, WORSE), DIFFERENT: (BETTER, WORSE)}


def exceptions(reading: Reading, row: Row) -> str:
    """Return where the verdict of a system is another, such as ``worse in country JP and on ece``."""
    parts = []
    for verdict in AGAINST.get(row.verdict, (BETTER, WORSE)):
        places = [place_of(found) for found in reading.segments_of(row.system, verdict)]
        metrics = metrics_with(reading, row.system, verdict)
        where = [f"in {joined(places, 'other slices')}"] if places else []
        where += [f"on {joined(metrics, 'other metrics')}"] if metrics else []
        parts += [f"{verdict} {' and '.join(where)}"] if where else []
    return "; ".join(parts)


def metrics_with(reading: Reading, system: str, verdict: str) -> list[str]:
    """Return the other metrics for which a system has a verdict overall."""
    found = (reading.row(system, name) for name in reading.metrics if name != reading.primary.name)
    return [row.metric for row in found if row is not None and row.verdict == verdict]


def other_exceptions(reading: Reading, row: Row) -> str:
    """Return where a system is worse by other metrics only, as in ``worse in country JP by map``."""
    found = [] if row.verdict == WORSE else worse_elsewhere(reading, row.system)
    slices = {own.key for own in found}
    if len(slices) == 1:
        return f"worse in {place_of(found[0])} by {joined([own.metric for own in found], 'other metrics')}"
    if not slices:
        return ""
    worst = min(found, key=reading.badness)
    most = f"most in {place_of(worst)} ({worst.metric})"
    return f"worse in {counted(len(slices), 'slice')} by other metrics, {most}"


def worse_elsewhere(reading: Reading, system: str) -> list[Row]:
    """Return the rows in slices where a system is worse by another metric, but not by the first."""
    known = {row.key for row in reading.segments_of(system, WORSE)}
    return [
        row
        for name in reading.metrics if name != reading.primary.name
        for key in reading.slices if key not in known
        if (row := reading.row(system, name, key)) is not None and row.verdict == WORSE
    ]  # fmt: skip
