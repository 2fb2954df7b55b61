"""The value of a metric under the conventions of other tools, as bars and as a table."""

from __future__ import annotations

import html
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.presets import preset
from duckmetrics.inputs.inputs import ITEMS
from pages.calls import usual
from pages.markdown import dropdown, paragraphs, raw_html, table

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition
    from pages.computed import Numbers

    Row = dict[str, Any]

OURS = "duckmetrics"
SHOWN = 4  # digits
VISIBLE = 5e-5  # the smallest difference that four digits show
SAMPLES = {
    "ranking": "the shop's model `candidate`", "classification": "the shop's impressions",
    "multiclass": "the wines with the model `tree`",
}  # fmt: skip
_HEAD = ("tool", "its name", "value", "settings that make a difference")


def tools_section(definition: Definition, numbers: Numbers) -> list[str]:
    """Show the value under the conventions of every tool; nothing if no other tool has the metric."""
    rows = _with_value(numbers.get("tools", []))
    if len(rows) < 2:
        return []
    lines = paragraphs("## The same name in other tools", _summary(definition, rows))
    if _differ(rows):
        lines += raw_html(bars(rows))
    title = "Which setting makes the difference" if _differ(rows) else "The names in these tools"
    lines += dropdown(title, _settings(rows))
    lines += _refused(numbers["tools"])
    name = next((row["like"] for row in rows if row["like"] != OURS), None)
    use = f'To use a tool\'s conventions, add `like="{name}"` in Python, `--like {name}` on the command line.'
    return [*lines, *paragraphs(use)]


def bars(rows: list[Row]) -> str:
    """Return a bar chart in plain HTML; it takes the colors of the theme and folds on a phone."""
    rows = _with_value(rows)
    top = max(row["value"] for row in rows) or 1
    start = '<div class="bars" role="list" aria-label="value under the conventions of each tool">'
    return "\n".join([start, *(_bar(value, found, top) for value, found in _grouped(rows)), "</div>"])


def _bar(value: float, rows: list[Row], top: float) -> str:
    """Return one bar, for the tools that give the same value."""
    ours = " ours" if any(row["like"] == OURS for row in rows) else ""
    label = ", ".join(html.escape(_title(row["like"])) for row in rows)
    width = f"{100 * value / top:.1f}%"
    return (
        f'<div role="listitem" class="bar{ours}"><span class="who">{label}</span>'
        f'<span class="track" aria-hidden="true"><span style="width:{width}"></span></span>'
        f'<span class="num">{value:.4f}</span></div>'
    )


def _with_value(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["value"] is not None]


def _differ(rows: list[Row]) -> bool:
    values: list[float] = [row["value"] for row in rows]
    return max(values) - min(values) >= VISIBLE


def _summary(definition: Definition, rows: list[Row]) -> str:
    """State whether the tools agree, and the data that they read."""
    values, asked = [row["value"] for row in rows], usual(definition)
    tools = len({row["like"] for row in rows}) - 1
    low, high = f"**{min(values):.4f}**", f"**{max(values):.4f}**"
    some = f"{tools} other tool{'s' if tools > 1 else ''}"
    text = (
        f"The same predictions, the conventions of {some}: {asked} is {low} to {high}."
        if _differ(rows)
        else f"On these data, {some} and duckmetrics agree: {asked} is {low}."
    )
    catalog = " The catalogue is the items of the history." if ITEMS in definition.inputs else ""
    return f"{text} The data are {SAMPLES[definition.family]}.{catalog}"


def _grouped(rows: list[Row]) -> list[tuple[float, list[Row]]]:
    """Return the tools with the same value together, the highest value first."""
    groups: dict[float, list[Row]] = defaultdict(list)
    for row in rows:
        groups[round(row["value"], SHOWN)].append(row)
    return sorted(groups.items(), key=lambda group: -group[0])


def _settings(rows: list[Row]) -> list[str]:
    """Return the table of tools, their values and the settings that change them."""
    cells = [_cells(value, row) for value, found in _grouped(rows) for row in found]
    text = (
        "The number after a setting is the change that this setting makes alone. "
        "Settings interact, so the changes need not add up."
    )
    return [*table(_HEAD, cells, right="value"), text]


def _cells(value: float, row: Row) -> tuple[str, str, str, str]:
    name = f"`{row['name']}`"
    if row["like"] == OURS:
        return f"**{OURS}**", name, f"**{value:.4f}**", "the defaults"
    visible = {setting: effect for setting, effect in row["effects"].items() if abs(effect) >= VISIBLE}
    signed = {setting: f"{effect:+.4f}".replace("-", "−") for setting, effect in visible.items()}
    why = ", ".join(f"`{setting}` {effect}" for setting, effect in signed.items())
    title = f"{_title(row['like'])} {preset(row['like']).version}"
    return _linked(title, row["like"]), name, f"{value:.4f}", why or "as the defaults"


def _refused(rows: list[Row]) -> list[str]:
    """List the tools that have the metric in a way that has no number here."""
    refused = [row for row in rows if row["value"] is None and row["reason"]]
    reasons = [f"- {_linked(_title(row['like']), row['like'])}: {row['reason']}" for row in refused]
    title = paragraphs("These tools have the metric, but give no number here:")
    return [*title, *reasons, ""] if reasons else []


def _title(like: str) -> str:
    return like if like == OURS else preset(like).title


def _linked(title: str, like: str) -> str:
    """Return a link to the page of a preset."""
    return f"[{title}](../../presets/{like}.md)"
