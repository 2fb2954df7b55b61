"""Systems that were evaluated on other units: what is chosen, refused and reported in place of pairing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.checks.notes import MISSING, UNANSWERED
from duckmetrics.comparison.findings import warning
from duckmetrics.errors import MetricError
from duckmetrics.inference.units import N_BASELINE, QUERIES
from duckmetrics.inputs.request import with_switches
from duckmetrics.results.findings import NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inference.units import Units

# A query that a system did not answer belongs to another system, and has no value.
SKIP = "skip"
EACH_ITS_TRUTH = (
    "to count unanswered queries as 0, evaluate each system with its own truth and compare the results, as "
    "in compare({'A': evaluate(...), 'B': evaluate(...)}, unpaired=True)"
)
CHECK = "unpaired"
# The most units, of all metrics, systems and slices, that are exchanged at random.
MOST_EXCHANGED = 200_000
# A correlation that changes an interval by less than 5 %.
SLIGHT = 0.1


def of_own_queries(session: Session, specs: Sequence[str], measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures without the queries that a system did not answer, which are those of others.

    Raises:
        MetricError: a switch says that such queries count.
    """
    if not any(MISSING in measure.values for measure in measures):
        return list(measures)
    session.request = with_switches(
        session.catalog, session.request, {MISSING: session.request.switches.get(MISSING, SKIP)}
    )
    found = session.measures(specs)
    for measure in found:
        if measure.values.get(MISSING, SKIP) != SKIP:
            raise MetricError(
                measure.text,
                f"{MISSING}={measure.values[MISSING]} also counts the queries of the other systems",
                f"leave it out; {EACH_ITS_TRUTH}",
            )
    return found


def without_unanswered(parts: Sequence[FamilyEvaluation]) -> list[FamilyEvaluation]:
    """Return the results with one note in place of warnings that systems lack the queries of others."""
    told = []
    for part in parts:
        kept = tuple(finding for finding in part.findings if finding.check != UNANSWERED)
        if len(kept) < len(part.findings):
            message = f"each system counts the queries that it answered; {EACH_ITS_TRUTH}"
            kept = (*kept, Finding(CHECK, NOTE, "", "", 0, (), message))
        told.append(replace(part, findings=kept))
    return told


def shared_units(catalog: Catalog, engine: Engine, units: Units | None, baseline: str) -> list[Finding]:
    """Warn of systems that have units in common with the baseline, which a paired test makes use of."""
    if units is None or not units.measures:
        return []
    found: dict[str, dict[str, Any]] = {}
    for row in engine.arrow(units.shared(catalog, baseline)).to_pylist():
        if not row["slice"] and row["n"] > found.get(row["system"], {"n": 0})["n"]:
            found[row["system"]] = row
    return [
        warning(
            CHECK,
            f"{system} and {baseline} have {row['n']:,} {units.kind} in common{_effect(row['correlation'])}",
            "leave unpaired out to compare the common ones in pairs",
        )
        for system, row in found.items()
    ]  # fmt: skip


def _effect(correlation: float | None) -> str:
    """Write what the correlation of common units does to the test, which takes them as independent."""
    if correlation is None:
        return ", and the test takes them as independent"
    if abs(correlation) < SLIGHT:
        return f"; their values hardly correlate ({correlation:+.2f}), so this changes little"
    error = "too wide, and p too large" if correlation >= 0 else "too narrow, and p too small"
    return f"; their values correlate by {correlation:+.2f}, so the intervals are {error}"


def refuse_many_units(number: int) -> None:
    """Refuse to exchange units at random if it takes minutes.

    Raises:
        MetricError: there are too many units, for which Welch's test keeps its error rate.
    """
    if number > MOST_EXCHANGED:
        raise MetricError(
            "test",
            f"randomization exchanges units at random, and all metrics together have {number:,}",
            "leave test out: with many units, Welch's t-test keeps its error rate",
        )


def reason_without_p(found: Mapping[str, Any], kind: str) -> str:
    """Return why a comparison of other units has no p-value."""
    sizes = [found[name] for name in (N_BASELINE, "n") if found.get(name)]
    if len(sizes) < 2:
        return f"no {kind} have a value, in the system or in the baseline"
    if min(sizes) < 2:
        one = "query" if kind == QUERIES else kind.replace("clusters", "cluster", 1)
        return f"only one {one} has a value, in the system or in the baseline"
    if found.get("statistic") is None:
        return "all values of each system are equal, so their spread is unknown"
    return f"the {kind} of a system are worth fewer than two of equal weight"
