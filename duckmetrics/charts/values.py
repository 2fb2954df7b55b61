"""Charts of an evaluation: values of all metrics, or of all slices, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.charts.curves import Picture
from duckmetrics.charts.forest import Forest, Group, Line
from duckmetrics.charts.numbers import digits_of, number, plain
from duckmetrics.charts.rows import values_parts
from duckmetrics.charts.scales import Domain, known, span
from duckmetrics.charts.words import MOST_LINES, half_width, joined, key_of, kinds_of, with_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Row = Mapping[str, Any]

UNIT = (0.0, 1.0)


def intervals(rows: Sequence[Row]) -> Picture:
    """Draw the overall values of all metrics; metrics between 0 and 1 share an axis.

    Args:
        rows: system, metric, value, lower and upper.
    """
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    own = {metric: [row for row in rows if row["metric"] == metric] for metric in metrics}
    inside = [metric for metric in metrics if all(0 <= x <= 1 for x in _ends(own[metric]))]
    groups = []
    if inside:
        domain = span([x for metric in inside for x in _ends(own[metric])])
        groups += _groups([(metric, own[metric]) for metric in inside], systems, _cut(domain), None)
    for metric in metrics:
        if metric not in inside:
            groups += _groups([(metric, own[metric])], systems, span(_ends(own[metric])), None)
    first = own[metrics[0]]
    told = joined([f"{with_interval(row)}{_of(row, systems)}" for row in first[:3]])
    title = f"{metrics[0]} is {told}" + (f"; {len(metrics)} metrics" if len(metrics) > 1 else "")
    return Picture(title, _in_words(rows, lambda row: row["metric"]), _forest(groups, systems, "metric"))


def slices(metric: str, rows: Sequence[Row], name: Callable[[Row], str], target: float | None) -> Picture:
    """Draw the values of a metric in every slice, with the overall value first and as a dotted line.

    Args:
        rows: those of one metric, overall and by slice; `slice` is empty for the overall ones.
        name: writes the slice of a row.
        target: the best value, drawn as a line; None if the metric has none.
    """
    systems = list(dict.fromkeys(row["system"] for row in rows))
    domain = span([*_ends(rows), *known([target])])
    last = [row for row in rows if row["system"] == systems[-1]]
    guide = None if target is not None else next((r["value"] for r in last if not r["slice"]), None)
    named: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        named.setdefault(row["slice"], {}).setdefault(name(row), []).append(row)
    groups: list[Group] = []
    for slicing, lines in named.items():
        heading = f"by {slicing}" if slicing else ""
        found = _groups(list(lines.items()), systems, domain, target, guide)
        groups += [Group(heading or group.heading, group.lines, None, plain) for group in found]
    groups[-1] = Group(groups[-1].heading, groups[-1].lines, domain, plain)
    within = [row for row in last if row["slice"] and row["value"] is not None]
    title = f"{metric}{_of(last[0], systems)} by {joined([s for s in named if s]) or 'slice'}"
    if within:
        ends = min(within, key=lambda row: row["value"]), max(within, key=lambda row: row["value"])
        digits = [digits_of(half_width(row)) for row in ends]
        told = [f"{number(row['value'], d)} ({name(row)})" for row, d in zip(ends, digits, strict=True)]
        title += f": from {told[0]} to {told[1]}"
    return Picture(title, _in_words(rows, name), _forest(groups, systems, "slice"))


def _groups(
    lines: Sequence[tuple[str, Sequence[Row]]],
    systems: Sequence[str | None],
    domain: Domain,
    target: float | None,
    guide: float | None = None,
) -> list[Group]:
    """Return rows for one or two systems each; of more systems, a row for each below the name."""
    if len(systems) <= MOST_LINES:
        return [Group("", [_line(label, rows, systems, domain, target, guide) for label, rows in lines],
                      domain, plain)]  # fmt: skip
    groups = []
    for label, rows in lines:
        own = [_line(str(row["system"]), [row], [row["system"]], domain, target, guide) for row in rows]
        groups.append(Group(label, own, domain if label == lines[-1][0] else None, plain))
    return groups


def _line(
    label: str,
    rows: Sequence[Row],
    systems: Sequence[str | None],
    domain: Domain,
    target: float | None,
    guide: float | None,
) -> Line:
    kinds = kinds_of(systems)
    drawn = [(row["value"], row.get("lower"), row.get("upper"), kinds[row["system"]]) for row in rows]
    there = {row["system"]: row for row in rows}
    cells = tuple(_value(there[system]) if system in there else "–" for system in systems)
    sizes = sorted({row["n"] for row in rows})
    note = f"n = {sizes[0]:,}" if len(sizes) == 1 else f"n = {sizes[0]:,} to {sizes[-1]:,}"
    return Line(label, note, cells, values_parts(drawn, domain, target, guide))


def _forest(groups: Sequence[Group], systems: Sequence[str | None], first: str) -> Forest:
    if len(systems) > MOST_LINES:
        return Forest(groups, (first, "value", "value with its interval", ""))
    names = ["value" if len(systems) == 1 else str(system) for system in systems]
    return Forest(groups, (first, *names, "value with its interval", ""), key_of(systems, ("ring", "dot")))


def _value(row: Row) -> str:
    return number(row["value"], digits_of(half_width(row)))


def _ends(rows: Iterable[Row]) -> list[float]:
    return known(row.get(name) for row in rows for name in ("value", "lower", "upper"))


def _cut(domain: Domain) -> Domain:
    """Return the part of an axis that lies between 0 and 1, with room for a mark at the ends."""
    return max(domain[0], -0.03), min(domain[1], 1.03)


def _of(row: Row, systems: Sequence[str | None]) -> str:
    return f" of {row['system']}" if len(systems) > 1 else ""


def _in_words(rows: Sequence[Row], name: Callable[[Row], str]) -> str:
    systems = {row["system"] for row in rows}
    told = (f"{name(row)}{_of(row, list(systems))}: {with_interval(row)}" for row in rows)
    return "; ".join(told) + "."
