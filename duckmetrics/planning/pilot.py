"""The spread of a metric in data at hand: of the differences to a baseline, or of one system's values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.comparison.rows import tested_units
from duckmetrics.comparison.slices import ERROR
from duckmetrics.inference.intervals import HINT, HINT_OF_PAIRS
from duckmetrics.inference.units import ROWS, SHARED_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session

# The statistic whose rows have the spread of the values of one system.
ONE_SYSTEM = "mean_interval"


class Pilot(NamedTuple):
    """A metric in data at hand.

    Attributes:
        system: the system that is compared; None if there is only one.
        value: that of the baseline, or of the only system.
        sd: the standard deviation of the differences of units, or of their values; None if unknown.
        n: the number of units.
        n_effective: how many units of equal weight they are worth.
        reason: why sd is unknown.
        better: higher, lower, or None if there is no direction.
    """

    metric: str
    system: str | None
    value: float | None
    sd: float | None
    n: int | None
    n_effective: float | None
    reason: str | None = None
    better: str | None = "higher"


def paired_pilots(
    comparer: Comparer, session: Session, parts: Sequence[FamilyEvaluation], baseline: str | None
) -> list[Pilot]:
    """Return the spread of the differences of every system from the baseline.

    Raises:
        MetricError: no such baseline.
        InputError: the systems have values of different queries or rows, or rows that nothing pairs.
    """
    rows, base, _ = comparer.judged(session, parts, baseline)
    return [_paired(row) for row in rows if row["system"] != base and not row["slice"]]


def _paired(row: Row) -> Pilot:
    delta, value = row["delta"], row["value"]
    base = None if value is None or delta is None else value - delta
    n, (error, df) = row["n_units"], row[ERROR] or (None, None)
    if not error or not df:
        reason = row["reason"] or "all differences are equal, so their spread is unknown"
        return Pilot(row["metric"], row["system"], base, None, n, None, _without_hint(reason))
    sd = error * n**0.5
    return Pilot(row["metric"], row["system"], base, sd, n, float(df) + 1, better=row["better"])


def single_pilots(
    comparer: Comparer, session: Session, parts: Sequence[FamilyEvaluation], system: str | None
) -> Iterator[Pilot]:
    """Yield the spread of the values of one system."""
    statistic = comparer.catalog.statistics[ONE_SYSTEM]
    for part in parts:
        values = comparer.inference.values()
        tested = tested_units(comparer.catalog, session.engine, part, statistic, values)
        spreads = {_key(row): row for row in tested if not row["slice"]}
        for row in part.rows:
            if row["slice"] or (system is not None and row["system"] != system):
                continue
            found = spreads.get((row["metric"], row["system"])) or spreads.get((row["metric"], None), {})
            yield _single(row, found, part)


def _key(row: Row) -> tuple[str, str | None]:
    return row["metric"], row["system"] or None


def _single(row: Row, found: Row, part: FamilyEvaluation) -> Pilot:
    sd, n = found.get("sd"), found.get("n")
    if not sd or not n or n < 2:
        reason = row["reason"] or "its units do not differ, or there is only one"
        if part.units is not None and row["metric"] in part.units.without:
            reason = part.units.without[row["metric"]]
        return Pilot(row["metric"], row["system"], row["value"], None, n, None, _without_hint(reason))
    # Without clusters, every unit weighs the same.
    effective = row.get("n_effective") if part.units is not None and part.units.clustered else None
    return Pilot(row["metric"], row["system"], row["value"], sd, n, effective, better=row["better"])


def _without_hint(reason: str) -> str:
    """Return a reason without the advice to use the bootstrap, which has no plan."""
    return reason.partition(f"; {HINT}")[0].partition(f"; {HINT_OF_PAIRS}")[0]


def name_of_units(parts: Sequence[FamilyEvaluation]) -> str:
    """Return the name of the units as sentences have it: queries, user_id or rows."""
    kinds = dict.fromkeys(part.units.kind for part in parts if part.units is not None)
    kind = " or ".join(kinds) or "units"
    return ROWS if kind == SHARED_ROWS else kind
