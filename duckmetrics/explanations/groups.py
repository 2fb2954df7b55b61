"""Explanations of groups in words: a table of groups of items or rows, and the lines around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.explanations.words import BASELINE, Table, grade_text, number, values_text
from duckmetrics.expressions.visible import visible, visible_key
from duckmetrics.sentences.lists import counted

if TYPE_CHECKING:
    from duckmetrics.explanations.facts import GroupFacts

PARTS = "each row is a part: the columns add up to the values above"


def total_line(found: GroupFacts) -> str:
    """Return the values that the groups add up to."""
    better = ", lower is better" if found.lower_is_better else ""
    if found.target is not None:
        better = f", aims at {found.target:g}"
    return f"{visible(found.metric)} by {visible(found.by)}: {values_text(found)}{better}"


def group_table(found: GroupFacts) -> Table:
    """Return a line for each group: its contributions, their difference and its share."""
    compared = found.baseline_side is not None
    header = [visible(found.by)]
    if found.baseline_side is not None:
        header += [visible(str(found.baseline_side.system)), visible(str(found.side.system)), "difference"]
    else:
        header += ["adds" if found.side.system is None else visible(found.side.system)]
    header += ["share", *(_detail_names(found) or [f"{found.noun}s"])]
    cells = []
    for row in found.rows:
        values = [row[f"{BASELINE}contribution"], row["contribution"]] if compared else [row["contribution"]]
        line = [_group_text(found, row), *map(number, values)]
        if compared:
            line.append(number(row["difference"], "+"))
        share = "" if row["share"] is None else f"{row['share']:z.1%}"
        cells.append([*line, share, *(_details(found, row) if found.details else [_count_of(row, compared)])])
    return Table(header, cells, header[1:])


def _count_of(row: dict[str, Any], compared: bool) -> str:
    """Return the number of items, rows or queries of a group, in both systems where they differ."""
    text = f"{row['n']:,}"
    if compared and row["baseline_n"] != row["n"]:
        text = f"{row['baseline_n']:,} → {text}"
    if row["kind"] == "policy":
        return f"{text} {'query' if text == '1' else 'queries'}"
    return text


def _detail_names(found: GroupFacts) -> list[str]:
    """Return the heads of the columns of groups of one row."""
    return [visible(name) for name in found.details if name != f"{BASELINE}score"]


def _details(found: GroupFacts, row: dict[str, Any]) -> list[str]:
    """Return the label and score of the one row of a group, and the columns that the caller wants to see."""
    if row["kind"] != "group":
        counted_rows = f"{counted(row['n'], found.noun)}" if row["kind"] == "others" else ""
        return [counted_rows, *[""] * (len(_detail_names(found)) - 1)]
    cells = []
    for name in found.details:
        value = row[name]
        if name == "score":
            scores = [row[n] for n in (f"{BASELINE}score", name) if n in found.details]
            cells.append(" → ".join(map(number, scores)))
        elif name != f"{BASELINE}score":
            text = grade_text(value) if name == "label" else visible_key(value)
            cells.append("" if value is None else text)
    return cells


def closing_notes(found: GroupFacts) -> list[str]:
    """Return the lines below the table of groups."""
    return [*([PARTS] if found.rows else []), *group_lines(found), *found.metric_notes]


def group_lines(found: GroupFacts) -> list[str]:
    """Return in words how many groups raise and lower a value, and how much the largest of them make."""
    sizes = found.sizes
    if sizes is None or sizes.n_groups <= len(found.rows):
        return []
    kind = f"{found.noun}s" if found.details else f"groups of {visible(found.by)}"
    groups = f"{sizes.n_groups:,} {kind}"
    lines = []
    if found.baseline_side is not None:
        up = _movement(sizes.n_up, "raise", "the value", sizes.up)
        down = _movement(sizes.n_down, "lower", "it", -sizes.down)
        lines.append(f"of {groups}, {up}, and {down}")
    if sizes.share is not None:
        whole = "all changes" if found.baseline_side is not None else "the value"
        largest = "largest makes" if sizes.n_largest == 1 else f"{sizes.n_largest:,} largest make"
        lines.append(f"the {largest} {sizes.share:.1%} of {whole}")
    return lines


def _movement(n: int, verb: str, what: str, by: float) -> str:
    """Write how many groups move a value, and how far."""
    many = "none" if n == 0 else f"{n:,}"
    return f"{many} {verb}{'s' if n < 2 else ''} {what}" + (f" by {number(by)}" if n else "")


def _group_text(found: GroupFacts, row: dict[str, Any]) -> str:
    if row["kind"] == "policy":
        return "(queries by policy)"
    if row["kind"] == "constant":
        return "(constant)"
    if row["kind"] == "others":
        return f"({counted(row['n_groups'], 'other')})"
    value = row[found.by]
    if value is None:
        return "(not judged)" if found.by == "grade" else "(NULL)"
    if isinstance(value, float):
        return f"{value:g}"
    return visible_key(value)
