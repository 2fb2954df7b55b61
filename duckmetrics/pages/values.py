"""Charts of an evaluation: values of all metrics, or of all slices, with their intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.pages.curves import Picture
from duckmetrics.pages.forest import SHORT, Forest, ForestColumn, ForestLine, Group, values_parts
from duckmetrics.pages.marks import (
    MOST_LINES,
    Domain,
    between,
    digits_of,
    half_width,
    interval_name,
    key_of,
    kinds_of,
    known,
    number,
    plain,
    span,
    with_interval,
)
from duckmetrics.words.lists import chance_words, joined
from duckmetrics.words.verdicts import BY_MARGIN, ranks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Row = Mapping[str, Any]


class Named(NamedTuple):
    """A row of a table of values: its name, a note below it, and the row of each system."""

    label: str
    note: str
    rows: Sequence[Row]


class Marked(NamedTuple):
    """The lines that all rows of values share.

    Attributes:
        target: the best value, drawn as a line; None if the metric has none.
        guide: the overall value, drawn as a dotted line.
    """

    target: float | None = None
    guide: float | None = None


UNMARKED = Marked()


def forest(
    first: str,
    groups: Iterable[tuple[str, Sequence[Named]]],
    marked: Marked = UNMARKED,
    level: float | None = None,
) -> Forest:
    """Put values of one metric on one axis.

    Args:
        first: the name of the first column.
        groups: headings with their rows; an empty heading is not shown.
        level: the level of the intervals.
    """
    given = list(groups)
    ends = [end for _, own in given for named in own for end in _ends(named.rows)]
    domain = span([*ends, *known(marked)])
    systems = _systems([named for _, own in given for named in own])
    shown: list[Group] = []
    for heading, own in given:
        found = _groups(own, systems, domain, marked)
        shown += [Group(heading or one.heading, one.lines, None, plain) for one in found]
    shown[-1] = replace(shown[-1], domain=domain)
    return _forest(shown, systems, first, level)


def metrics_forest(named: Sequence[Named], level: float | None = None) -> Forest:
    """Put values of metrics into one table; those between 0 and 1 share an axis.

    Args:
        named: the rows of each metric.
        level: the level of the intervals.
    """
    systems = _systems(named)
    inside = [one for one in named if all(0 <= x <= 1 for x in _ends(one.rows))]
    groups: list[Group] = []
    if inside:
        shared = _cut(span([x for one in inside for x in _ends(one.rows)]))
        groups += _groups(inside, systems, shared, UNMARKED)
    for one in named:
        if one not in inside:
            groups += _groups([one], systems, span(_ends(one.rows)), UNMARKED)
    return _forest(groups, systems, "metric", level)


def intervals(rows: Sequence[Row], level: float | None = None) -> Picture:
    """Draw the overall values of all metrics; metrics between 0 and 1 share an axis.

    Args:
        rows: system, metric, value, lower and upper.
        level: the level of the intervals.
    """
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    own = {metric: [row for row in rows if row["metric"] == metric] for metric in metrics}
    first = own[metrics[0]]
    told = joined([f"{with_interval(row)}{_of(row, systems)}" for row in first[:3]])
    title = f"{metrics[0]} is {told}" + (f"; {len(metrics)} metrics" if len(metrics) > 1 else "")
    drawn = metrics_forest([_sized(metric, rows) for metric, rows in own.items()], level)
    return Picture(title, _in_words(rows, lambda row: row["metric"]), drawn)


def slices(
    metric: str,
    rows: Sequence[Row],
    name: Callable[[Row], str],
    target: float | None,
    level: float | None = None,
) -> Picture:
    """Draw the values of a metric in every slice, with the overall value first and as a dotted line.

    Args:
        rows: those of one metric, overall and by slice; `slice` is empty for the overall ones.
        name: writes the slice of a row.
        target: the best value, drawn as a line; None if the metric has none.
        level: the level of the intervals.
    """
    systems = list(dict.fromkeys(row["system"] for row in rows))
    last = [row for row in rows if row["system"] == systems[-1]]
    guide = None if target is not None else next((r["value"] for r in last if not r["slice"]), None)
    named: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        named.setdefault(row["slice"], {}).setdefault(name(row), []).append(row)
    groups = [
        (f"by {slicing}" if slicing else "", [_sized(label, own) for label, own in lines.items()])
        for slicing, lines in named.items()
    ]
    within = [row for row in last if row["slice"] and row["value"] is not None]
    of = f"{metric}{_of(last[0], systems)}"
    if target is not None and within:
        farthest = max(within, key=lambda row: abs(row["value"] - target))
        title = f"{of} aims at {target:g}: farthest in {name(farthest)}, {_value(farthest)}"
    else:
        title = f"{of} by {joined([s for s in named if s]) or 'slice'}"
        if within:
            ends = (min(within, key=lambda row: row["value"]), max(within, key=lambda row: row["value"]))
            told = [f"{_value(row)} ({name(row)})" for row in ends]
            title += f": from {told[0]} to {told[1]}"
    drawn = forest("slice", groups, Marked(target, guide), level)
    return Picture(title, _in_words(rows, name), drawn)


# How a system is drawn, by the class of its color: its mark in words, and the swatch.
_PLACES = {"s1": ("no test finds a better one", "dot"), "s0": ("another is better", "ring"),
           "none": ("not tested", "none")}  # fmt: skip


def places(title: str, groups: Sequence[tuple[str, Sequence[Row]]], level: float | None) -> Picture:
    """Draw the values of systems, the best first, with the letters of their tiers, see `places_forest`."""
    told = (
        f"{heading}{': ' if heading else ''}{row['system']}: {with_interval(row)}"
        for heading, rows in groups for row in rows
    )  # fmt: skip
    return Picture(title, "; ".join(told) + ".", places_forest(groups, level))


def places_forest(groups: Sequence[tuple[str, Sequence[Row]]], level: float | None) -> Forest:
    """Return a row for each system, the best first.

    Args:
        groups: headings with the rows of a leaderboard; an empty heading is not shown.
        level: the level of the intervals.
    """
    every = [row for _, rows in groups for row in rows]
    domain = span(_ends(every))
    digits = max(digits_of(half_width(row)) for row in every)
    shown: list[Group] = []
    for heading, rows in groups:
        sizes = {row["n"] for row in rows if row["n"]}
        # A size that all systems share stands in the heading.
        shared = f"n = {sizes.pop():,}" if len(sizes) == 1 else ""
        own = [_placed(row, domain, digits, "" if shared else f"n = {row['n'] or 0:,}") for row in rows]
        shown.append(Group(", ".join(filter(None, (heading, shared))), own, None, plain))
    shown[-1] = replace(shown[-1], domain=domain)
    kinds = {_kind_of_place(row) for row in every if row["value"] is not None}
    key = tuple(swatch for kind, swatch in _PLACES.items() if kind in kinds)
    columns = (
        ForestColumn("value", "n b"), ForestColumn(interval_name(level), "ci", False),
        ForestColumn("ranks", SHORT), ForestColumn("tier", SHORT), ForestColumn("P(best)", SHORT, False),
        ForestColumn("verdict", SHORT, False),
    )  # fmt: skip
    return Forest(shown, "system", columns, f"value with {interval_name(level)}", key=key)


def _placed(row: Row, domain: Domain, digits: int, note: str) -> ForestLine:
    plot = values_parts([(row["value"], row["lower"], row["upper"], _kind_of_place(row))], domain)
    within = between(row["lower"], row["upper"], lambda end: number(end, digits))
    cells = (
        number(row["value"], digits), within, ranks_of(row), row["tier"] or "",
        chance_words(row["probability_best"]),
        row["verdict"] if row["verdict"] in BY_MARGIN else "",  # others follow from the letters
    )  # fmt: skip
    return ForestLine(str(row["system"]), note, cells, plot)


def _kind_of_place(row: Row) -> str:
    return "none" if row["rank_lower"] is None else "s1" if row["rank_lower"] == 1 else "s0"


def _systems(named: Sequence[Named]) -> list[str | None]:
    return list(dict.fromkeys(row["system"] for one in named for row in one.rows))


def _sized(label: str, rows: Sequence[Row]) -> Named:
    """Return rows with their number of units as a note."""
    sizes = sorted({row["n"] for row in rows})
    note = f"n = {sizes[0]:,}" if len(sizes) == 1 else f"n = {sizes[0]:,} to {sizes[-1]:,}"
    return Named(label, note, rows)


def _groups(
    named: Sequence[Named], systems: Sequence[str | None], domain: Domain, marked: Marked
) -> list[Group]:
    """Return rows for one or two systems each; of more systems, a row for each below the name."""
    if len(systems) <= MOST_LINES:
        return [Group("", [_line(one, systems, domain, marked) for one in named], domain, plain)]
    groups = []
    for one in named:
        own = [_line(_sized(str(row["system"]), [row]), [row["system"]], domain, marked) for row in one.rows]
        groups.append(Group(one.label, own, domain if one is named[-1] else None, plain))
    return groups


def _line(named: Named, systems: Sequence[str | None], domain: Domain, marked: Marked) -> ForestLine:
    kinds = kinds_of(systems)
    drawn = [(row["value"], row.get("lower"), row.get("upper"), kinds[row["system"]]) for row in named.rows]
    there = {row["system"]: row for row in named.rows}
    cells = [_value(there[system]) if system in there else "–" for system in systems]
    if len(systems) == 1:
        cells.append(_within(named.rows[0]))
    return ForestLine(named.label, named.note, tuple(cells), values_parts(drawn, domain, *marked))


def _within(row: Row) -> str:
    digits = digits_of(half_width(row))
    return between(row.get("lower"), row.get("upper"), lambda end: number(end, digits))


def _forest(
    groups: Sequence[Group], systems: Sequence[str | None], first: str, level: float | None
) -> Forest:
    name = interval_name(level)
    plot = f"value with {'its interval' if level is None else name}"
    if len(systems) == MOST_LINES:
        columns = tuple(ForestColumn(str(system), f"n {kind}") for system, kind in kinds_of(systems).items())
        return Forest(groups, first, columns, plot, key=key_of(systems, ("ring", "dot")))
    return Forest(groups, first, (ForestColumn("value", "n b"), ForestColumn(name, "ci", False)), plot)


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
