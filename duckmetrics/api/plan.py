"""Compute how many queries or users a comparison needs, from data or from a standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.api.compared import compared, read_comparer
from duckmetrics.catalog.specs import refuse_misspelled
from duckmetrics.comparison.pairing import PAIRED
from duckmetrics.comparison.planner import (
    Goal,
    Pilot,
    name_of_units,
    paired_pilots,
    planned,
    planned_rate,
    read_goal,
    read_number,
    single_pilots,
)
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import MetricError, suggestion
from duckmetrics.inference.adjustment import NONE
from duckmetrics.inputs.interval_options import LEVEL, read_inference
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from datetime import date
    from typing import Unpack

    import duckdb

    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.comparison.plan import Plan
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.switches import Switches

# Half of the units are in the control arm.
HALF = 0.5


def plan(
    predictions: Any = None,
    truth: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    difference: float | str | None = None,
    units: int | None = None,
    power: float = 0.8,
    alpha: float = ALPHA,
    comparisons: int | None = None,
    adjust: str | None = None,
    margin: float | str | None = None,
    unpaired: bool = False,
    share: float | None = None,
    sd: float | None = None,
    rate: float | None = None,
    baseline: str | None = None,
    system: str | Mapping[str, Any] | None = None,
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
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
    time_zone: str | None = None,
    like: str | None = None,
    cluster: str | None = None,
    allow_different: bool = False,
    **switches: Unpack[Switches],
) -> Plan:
    """Return how many units a comparison needs, and which difference it finds with the units that you have.

    The standard deviation comes from your data: from the differences of systems per query, or per cluster.
    If the data have only one system, it comes from the values of this system, and the plan is for two arms
    with different units. Without data, give ``sd`` or ``rate``.

    Args:
        predictions, truth, metrics, system, columns, layout, positive, score, where, version, as_of,
            queries, history, items, reference, connection, threads, memory_limit, temp_directory,
            snapshot, time_zone, like, cluster, allow_different, **switches: as for `compare`.
        baseline: the system to compare with; with ``unpaired``, the one that gives the standard deviation.
        difference: the difference to find, or ``"1%"`` of the value of the baseline.
        units: compute the smallest difference and the power for this number of units; by default, for the
            units in the data.
        power: the probability of finding the difference, from 0.5 on.
        alpha: the error rate of all comparisons together.
        comparisons: the number of comparisons; by default, the compared systems times the metrics.
        adjust: with ``"holm"``, ``"bonferroni"`` or ``"max_t"``, alpha is divided by the number of
            comparisons, as in the first step of Holm's method. With ``"none"``, it is not divided.
        margin: the margin of a one-sided test that a system is not worse, instead of a difference.
        unpaired: plan two arms with different units, although the data have several systems.
        share: the share of the units in the control arm, for unpaired arms; 0.5 by default.
        sd: the standard deviation of the differences per unit; with ``unpaired``, that of the values.
        rate: a proportion, such as a click-through rate; the plan is for two arms of equal size.

    Raises:
        MetricError: neither difference nor units, a number that is not allowed, or no known spread.
        InputError: the data cannot be evaluated or compared.
        EngineError: the database refused a query.

    Source:
        Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587

    Example:
        result = duckmetrics.plan(sd=0.2, difference=0.02)
        result.rows[0]["units"]  # 787
    """
    refuse_misspelled(plan, switches)
    goal = read_goal(difference, margin, units, power, alpha, comparisons, adjust)
    share = _read_share(share, rate)
    if predictions is None and system is None and score is None:
        if switches:
            raise MetricError(
                next(iter(switches)), "belongs to metrics of data, and no data are given", "leave it out"
            )
        return _from_numbers(goal, sd, rate, unpaired, share)
    if sd is not None or rate is not None:
        raise MetricError("plan", "data together with sd or rate", "give either")
    # Systems with other units are evaluated as `compare` does it: each on the queries that it answered.
    are_others = unpaired and (system is not None or score is not None or isinstance(predictions, Mapping))
    comparer = read_comparer(
        read_inference(LEVEL, cluster=cluster), PAIRED, NONE, ALPHA, 0.8, allow_different, False,
        unpaired=are_others,
    )  # fmt: skip
    comparer = replace(comparer, command="plan")
    given: dict[str, Any] = {
        "truth": truth, "columns": columns, "queries": queries, "like": like, "layout": layout,
        "positive": positive, "score": score, "where": where, "version": version, "as_of": as_of,
        "history": history, "items": items, "reference": reference, "by": None,
    }  # fmt: skip
    opening = (None, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with compared(comparer, predictions, metrics, system, None, given, switches, opening) as found:
        session, parts, _ = found
        pilots, is_paired = _pilots(comparer, session, parts, baseline, unpaired)
        return planned(session.engine, pilots, goal, name_of_units(parts), _control_arm(share, is_paired))


def _pilots(
    comparer: Comparer,
    session: Session,
    parts: Sequence[FamilyEvaluation],
    baseline: str | None,
    unpaired: bool,
) -> tuple[list[Pilot], bool]:
    """Return the spread of every metric, and whether it is that of paired differences."""
    known = list(dict.fromkeys(row["system"] for part in parts for row in part.rows))
    if baseline is not None and baseline not in known:
        raise MetricError(f"baseline {baseline!r}", "no such system", suggestion(baseline, known))
    if len(known) > 1 and not unpaired:
        if baseline is None and isinstance(session.request.system, str):
            names = " or ".join(map(repr, known))
            raise MetricError("baseline", "not given", f"set baseline= (--baseline) to {names}")
        return paired_pilots(comparer, session, parts, baseline), True
    chosen = known[0] if baseline is None else baseline
    return list(single_pilots(comparer, session, parts, chosen)), False


def _from_numbers(goal: Goal, sd: Any, rate: Any, unpaired: bool, share: float | None) -> Plan:
    """Return the plan of one comparison whose spread is a number."""
    if sd is not None and rate is not None:
        raise MetricError("plan", "takes sd or rate, not both", "give sd for a mean, rate for a share")
    if sd is None and rate is None:
        raise MetricError("plan", "nothing to plan from", "give predictions, or one of sd=0.2 and rate=0.03")
    with closing(open_engine()) as engine:
        if rate is not None:
            return planned_rate(engine, rate, goal)
        spread = read_number("sd", sd, "0.2")
        if spread <= 0:
            raise MetricError(f"sd={sd!r}", "is not a positive standard deviation", "write one such as 0.2")
        if goal.relative:
            raise MetricError("difference", "a share, and sd has no value", "write it as a number")
        pilot = Pilot("", None, None, spread, None, None)
        return planned(engine, [pilot], goal, "units", _control_arm(share, not unpaired))


def _read_share(share: Any, rate: Any) -> float | None:
    """Read the share of the control arm; None if nobody gave one."""
    if share is None:
        return None
    if rate is not None:
        raise MetricError("share", "a rate plans two arms of equal size", "leave share out (--share)")
    read = read_number("share", share, "0.5")
    if not 0 < read < 1:
        raise MetricError(f"share={share!r}", "is not between 0 and 1", "write 0.9 for nine of ten units")
    return read


def _control_arm(share: float | None, is_paired: bool) -> float | None:
    """Return the share of the units in the control arm; None if each unit has a difference."""
    if not is_paired:
        return share or HALF
    if share is not None:
        raise MetricError("share", "is for unpaired arms", "add unpaired=True (--unpaired)")
    return None
