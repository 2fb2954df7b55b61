"""Caps on the values of units: extreme values count as the cap, which a value or a percentile sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from duckmetrics.errors import InputError, MetricError, UnsupportedError, unknown
from duckmetrics.expressions.build import call, cast_to, quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import grade_expression, selected
from duckmetrics.words.lists import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.arms import Outcome


# Between the lower and the upper cap.
AND = ":"
PER_CENT = "%"
HOW = "write '99%', a value such as 500, or both ends as in '1%:99%'"


class Bound(NamedTuple):
    """An end of a cap: a value, or the share of units below it."""

    number: float
    is_share: bool


@dataclass(frozen=True)
class Cap:
    """The caps of one metric; an end without a cap is None."""

    text: str
    low: Bound | None
    high: Bound | None

    @property
    def bounds(self) -> list[Bound]:
        """Those that are there."""
        return [bound for bound in (self.low, self.high) if bound is not None]


class Capped(NamedTuple):
    """The result of caps: the table, the metrics over it, both ends by metric, and notes."""

    source: Source
    outcomes: list[Outcome]
    caps: dict[str, tuple[float | None, float | None]]
    notes: list[str]


def read_caps(given: Any, outcomes: Sequence[Outcome], is_sequential: bool) -> dict[str, Cap]:
    """Read the caps of metrics, such as ``{"revenue": "99%"}``.

    Raises:
        MetricError: a cap cannot be read, or names no metric.
        UnsupportedError: a cap of a ratio or a quantile, or a percentile in a sequential test.
    """
    if given is not None and not (isinstance(given, Mapping) and given):
        raise MetricError("cap", f"{given!r} maps no metric", "write {'revenue': '99%'}")
    known = {outcome.name: outcome for outcome in outcomes}
    found = {}
    for name, text in (given or {}).items():
        if name not in known:
            raise MetricError("cap", *unknown("metric", str(name), known))
        if known[name].denominator is not None:
            raise UnsupportedError(f"cap {name}", "there is no cap of a ratio", "cap a metric of one column")
        if known[name].q is not None:
            what = "extreme values do not move a quantile, so there is no cap of one"
            raise UnsupportedError(f"cap {name}", what, "leave it out")
        found[name] = cap = _read(name, text)
        if is_sequential and any(bound.is_share for bound in cap.bounds):
            what = "a percentile moves with every look, and the test holds only if values stay as they are"
            raise UnsupportedError(f"cap {name}", what, "write a value that you chose before the first look")
    return found


def _read(name: str, given: Any) -> Cap:
    text = str(given).strip()
    low, is_range, high = text.rpartition(AND)
    cap = Cap(text, _bound(name, given, low), _bound(name, given, high))
    if isinstance(given, bool) or not cap.bounds:
        raise MetricError(f"cap {name}", f"{given!r} is not a cap", HOW)
    ends = [bound.number for bound in cap.bounds]
    same_kind = len({bound.is_share for bound in cap.bounds}) == 1
    if is_range and same_kind and len(ends) > 1 and ends[0] >= ends[1]:
        what = f"{text!r} begins above its end"
        raise MetricError(f"cap {name}", what, "write the lower end first, as in '1%:99%'")
    return cap


def _bound(name: str, given: Any, text: str) -> Bound | None:
    """Read one end; None if it is left open."""
    text = text.strip()
    if not text:
        return None
    is_share = text.endswith(PER_CENT)
    try:
        number = float(text.removesuffix(PER_CENT))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MetricError(f"cap {name}", f"{given!r} is not a cap", HOW)
    if is_share and not 0 < number < 100:
        raise MetricError(f"cap {name}", f"{text!r} is not between 0% and 100%", HOW)
    return Bound(number / 100, True) if is_share else Bound(number, False)


def capped(
    engine: Engine, source: Source, variant: str, outcomes: Sequence[Outcome], caps: Mapping[str, Cap]
) -> Capped:
    """Cap the values of units; percentiles are those of the units of all variants together.

    Args:
        source: one row per unit.

    Raises:
        InputError: a value is NaN or infinite, or a cap leaves nothing to compare.
    """
    if not caps:
        return Capped(source, list(outcomes), {}, [])
    ends, notes, read = {}, [], list(outcomes)
    values: dict[str, exp.Expr] = {}
    for place, outcome in enumerate(outcomes):
        cap = caps.get(outcome.name)
        if cap is None:
            continue
        value = grade_expression(source, outcome.value)
        low, high = _ends(engine, source, outcome, cap)
        notes.append(_note(engine, source, variant, outcome, cap, (low, high)))
        ends[outcome.name] = (low, high)
        name = f"{outcome.value} (cap {cap.text})"
        values[name] = _between(value, low, high)
        read[place] = replace(outcome, value=name)
    rows = exp.select(exp.Star(), *(value.as_(name, quoted=True) for name, value in values.items()))
    relation = rows.from_(source.relation.copy()).subquery("capped")
    columns = {**source.columns, **dict.fromkeys(values, "DOUBLE")}
    return Capped(replace(source, relation=relation, columns=columns, text=None), read, ends, notes)


def _between(value: exp.Expr, low: float | None, high: float | None) -> exp.Expr:
    """Write a value between its caps; NULL stays NULL."""
    if low is high is None:
        return value.copy()
    case = exp.Case()
    if low is not None:
        case = case.when(exp.LT(this=value.copy(), expression=literal(low)), literal(low))
    if high is not None:
        case = case.when(exp.GT(this=value.copy(), expression=literal(high)), literal(high))
    return case.else_(value.copy())


def _ends(engine: Engine, source: Source, outcome: Outcome, cap: Cap) -> tuple[float | None, float | None]:
    """Return the values of both ends, None for an open one or without any value."""
    rows = selected(source, {"value": grade_expression(source, outcome.value)}).subquery("units")
    value = exp.column("value")
    bad = exp.Count(this=exp.Case().when(exp.not_(call("isfinite", value)), literal(1)))
    bounds = (
        cast_to(None, "DOUBLE") if bound is None
        else call("quantile_cont", value.copy(), literal(bound.number)) if bound.is_share
        else cast_to(literal(bound.number), "DOUBLE")
        for bound in (cap.low, cap.high)
    )  # fmt: skip
    query = exp.select(exp.Count(this=value.copy()), bad, *bounds).from_(rows)
    ((known, n_bad, low, high),) = engine.rows(query)
    if n_bad:
        what = f"column {outcome.value!r}: {counted(n_bad, 'row')} with NaN or an infinite value"
        raise InputError(source.label, what, "give finite numbers, or NULL for a missing number")
    if not known:
        return None, None
    ends = (None if low is None else float(low), None if high is None else float(high))
    if low is not None and high is not None and low >= high:
        what = f"{cap.text!r} begins at {low:.6g}, and ends at {high:.6g}"
        raise InputError(f"cap {outcome.name}", what, "write the lower end first, as in '1%:99%'")
    return ends


def _note(
    engine: Engine, source: Source, variant: str, outcome: Outcome, cap: Cap,
    ends: tuple[float | None, float | None],
) -> str:  # fmt: skip
    """Return a note on the units whose values are capped; refuse caps that leave nothing to compare."""
    value, (low, high) = grade_expression(source, outcome.value), ends
    columns = {
        "arm": cast_to(quoted(variant), "VARCHAR"),
        "value": value,
        "capped": _between(value, low, high),
    }
    given, kept = exp.column("value"), exp.column("capped")
    moved = exp.Count(this=exp.Case().when(exp.NEQ(this=given, expression=kept), literal(1)))
    query = exp.select(
        "arm", moved, exp.Count(this=given.copy()), exp.Min(this=given.copy()), exp.Max(this=given.copy()),
        exp.Min(this=kept.copy()), exp.Max(this=kept.copy()),
    ).from_(selected(source, columns).subquery("units")).group_by("arm").order_by("arm")  # fmt: skip
    found = [row for row in engine.rows(query) if row[2]]
    told = " and ".join(
        f"{side} {end:.6g}"
        + (f" (the {100 * bound.number:g} % quantile of all units)" if bound.is_share else "")
        for side, end, bound in (("below", low, cap.low), ("above", high, cap.high))
        if end is not None and bound is not None
    )
    each = {arm: n for arm, n, *_ in found if n}
    n, known = sum(each.values()), sum(row[2] for row in found)
    where = f"cap {outcome.name} {cap.text}"
    if found and min(row[3] for row in found) < max(row[4] for row in found):
        if min(row[5] for row in found) == max(row[6] for row in found):
            what = f"all values are equal if those {told} are capped"
            raise InputError(where, what, "choose a higher percentile or a value")
        if n > known / 2:
            what = f"{n:,} of {known:,} values are {told}; a cap is for a few extreme values"
            raise InputError(where, what, "for a percentile, write '99%'; it caps the highest 1 %")
    arms = f" ({', '.join(f'{n:,} of {arm}' for arm, n in each.items())})" if each else ""
    return f"{outcome.name}: values {told} are capped: {counted(n, 'unit')}{arms}"
