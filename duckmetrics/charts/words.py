"""Words of titles and descriptions that several charts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.charts.numbers import digits_of, number
from duckmetrics.charts.scales import ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.charts.scales import Domain

# The systems that one chart distinguishes by line; of more, each has a small chart.
MOST_LINES = 2


def each(values: Mapping[str | None, float | None], text: Callable[[float | None], str]) -> str:
    """Write a number of each system: ``0.781 of gbm, 0.731 of lr``; of many the lowest and the highest.

    Args:
        values: by system, the one to look at last.
        text: writes a number.
    """
    if len(values) == 1:
        ((system, value),) = values.items()
        return text(value) if system is None else f"{text(value)} of {system}"
    if len(values) == MOST_LINES:
        return ", ".join(f"{text(value)} of {system}" for system, value in reversed(list(values.items())))
    known = sorted((value, str(system)) for system, value in values.items() if value is not None)
    if not known:
        return text(None)
    (least, lowest), (most, highest) = known[0], known[-1]
    return f"{text(most)} of {highest} to {text(least)} of {lowest}, {len(values)} systems"


def kinds_of(systems: Sequence[str | None]) -> dict[str | None, str]:
    """Return the class of each of one or two systems: the last is solid, the one before it dashed."""
    return dict(zip(systems, ("s0", "s1")[-len(systems) :], strict=True))


def key_of(
    systems: Sequence[str | None], swatches: tuple[str, str] = ("s0", "s1")
) -> tuple[tuple[str, str], ...]:
    """Return the entries of the key; one system needs none."""
    if len(systems) < MOST_LINES:
        return ()
    return tuple(zip(map(str, systems), swatches, strict=True))


def with_interval(row: Mapping[str, Any]) -> str:
    """Write a value with its interval: ``0.974 [0.962, 0.987]``."""
    digits = digits_of(half_width(row))
    if row["value"] is None:
        return "without a value"
    if row.get("lower") is None:
        return number(row["value"], digits)
    return f"{number(row['value'], digits)} [{number(row['lower'], digits)}, {number(row['upper'], digits)}]"


def half_width(row: Mapping[str, Any], lower: str = "lower", upper: str = "upper") -> float | None:
    """Return half the length of the interval of a row; None if it has none."""
    if row.get(lower) is None or row.get(upper) is None:
        return None
    return abs(float(row[upper]) - float(row[lower])) / 2


def between(lower: float | None, upper: float | None, text: Callable[[float], str]) -> str:
    """Write an interval as ``+1.0% to +3.0%``; nothing if it lacks an end."""
    return "" if lower is None or upper is None else f"{text(lower)} to {text(upper)}"


def interval_name(level: float | None) -> str:
    """Return the name of intervals: ``95 % interval``, or without a number if the level is not known."""
    return "interval" if level is None else f"{100 * level:g} % interval"


def decimals_of(domain: Domain, sign: bool = False) -> Callable[[float], str]:
    """Return the writer of the labels of an axis, which gives all but 0 the same number of decimals.

    Args:
        sign: whether positive numbers have a plus.
    """
    digits = max((len(f"{t:.10g}".partition(".")[2]) for t in ticks(*domain)), default=0)
    return lambda x: number(x, digits, sign) if x else "0"
