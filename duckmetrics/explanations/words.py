"""Explanations in words: sentences from templates, the lists side by side, and the lines around them."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.expressions.numbers import ROUNDING
from duckmetrics.expressions.visible import visible
from duckmetrics.sentences.lists import counted, ordinal
from duckmetrics.sentences.numbers import four_decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.explanations.facts import QueryFacts, Side, Values

# The number of sentences about single items, and of items that a list in a sentence names.
MOST_SENTENCES, MOST_NAMED = 6, 5
# The mark of an item without a judgment, and of no value.
UNJUDGED, NOTHING = "?", "-"
BASELINE = "baseline_"


class Table(NamedTuple):
    """A table in text, with the columns that are aligned to the right."""

    header: list[str]
    cells: list[list[str]]
    numeric: list[str]


def name_of(side: Side) -> str:
    """Return the name of a system for a reader."""
    return "the system" if side.system is None else visible(side.system)


def number(value: float | None, sign: str = "") -> str:
    """Write a value with four digits; a small one keeps its size."""
    if value is None:
        return "NULL"
    if abs(value) <= ROUNDING:
        return f"{0.0:.4f}"
    return four_decimals(value, sign)


def heading(found: QueryFacts) -> str:
    """Return the values of the query and their difference."""
    return f"query {visible_query(found.query)}, {visible(found.metric)}: {values_text(found)}"


def values_text(found: Values) -> str:
    """Write the values of both systems and their difference."""
    if found.baseline_side is None:
        name = "" if found.side.system is None else f"{name_of(found.side)} "
        return f"{name}{number(found.value)}"
    values = f"{name_of(found.side)} {number(found.value)}, {name_of(found.baseline_side)} "
    delta = "" if found.delta is None else f" ({number(found.delta, '+')})"
    return f"{values}{number(found.baseline_value)}{delta}"


def place_lines(found: QueryFacts) -> list[str]:
    """Return the place of the difference among those of all queries, if it is known."""
    if found.place is None:
        return []
    what = "gain" if found.place.is_gain else "loss"
    of = counted(found.place.of, "query", "queries")
    which = "largest" if found.place.place == 1 else f"{ordinal(found.place.place)} largest"
    return [f"the {which} {what} of {of}"]


def visible_query(query: Any) -> str:
    """Return the id of a query; of a composite one, its parts."""
    if isinstance(query, dict):
        return "+".join(visible(str(part)) for part in query.values())
    return visible(str(query))


def item_text(row: dict[str, Any], show: Sequence[str]) -> str:
    """Return an item with the columns that the caller wants to see."""
    shown = [visible(str(row[name])) for name in show if row.get(name) is not None]
    return " ".join([_item(row), *shown])


def _item(row: dict[str, Any]) -> str:
    item = row["item_id"]
    return "+".join(visible(str(p)) for p in item.values()) if isinstance(item, dict) else visible(str(item))


def grade_text(relevance: float | None) -> str:
    """Return the grade of an item."""
    return UNJUDGED if relevance is None else f"{relevance:g}"


# --- sentences ---------------------------------------------------------------------------------------


def sentences_of(found: QueryFacts) -> list[str]:
    """Return what explains the value, or the difference: the largest part first."""
    policies = [_policy(side) for side in (found.side, found.baseline_side) if side is not None]
    sentences = [text for text in policies if text]
    if found.baseline_side is not None:
        sentences += _changes(found)
    return [*sentences, *_unjudged(found), *_ties(found), *_not_found(found)]


def _policy(side: Side) -> str:
    if side.by_policy is None:
        return ""
    value = "it has no value" if side.value is None else f"its value is {number(side.value)}"
    if side.by_policy.startswith("missing"):
        return f"{name_of(side)} returned nothing for this query; {value} by {side.by_policy}"
    return f"the query has no relevant item; {value} for {name_of(side)} by {side.by_policy}"


def _changes(found: QueryFacts) -> list[str]:
    """Return a sentence for each of the items that make the largest differences, and one for the others."""
    rows = [row for row in found.rows if abs(row["difference"]) > ROUNDING]
    rows.sort(key=lambda row: -abs(row["difference"]))
    told = [
        f"{item_text(row, found.show)} ({_grade(row)}) {_movement(found, row)}: "
        f"{number(row['difference'], '+')}"
        for row in rows[:MOST_SENTENCES]
    ]
    rest = rows[MOST_SENTENCES:]
    if rest:
        total = sum(row["difference"] for row in rest)
        told.append(f"{counted(len(rest), 'more item')}: {number(total, '+')}")
    return told


def _grade(row: dict[str, Any]) -> str:
    return "not judged" if row["relevance"] is None else f"grade {grade_text(row['relevance'])}"


def _movement(found: QueryFacts, row: dict[str, Any]) -> str:
    """Return how an item moved from the list of the baseline to that of the system."""
    before, after = row[f"{BASELINE}rank"], row["rank"]
    beyond = f", below the cut-off at {found.cutoff}" if found.cutoff else ""
    if before is None:
        return f"was found, at rank {after}"
    if after is None:
        return f"was lost, from rank {before}"
    if after == before:
        return f"stayed at rank {after}, and counts differently as other items moved"
    if found.cutoff and after > found.cutoff >= before:
        return f"fell from rank {before} to rank {after}{beyond}"
    if found.cutoff and before > found.cutoff >= after:
        return f"rose from rank {before}{beyond}, to rank {after}"
    return f"{'rose' if after < before else 'fell'} from rank {before} to rank {after}"


def _unjudged(found: QueryFacts) -> list[str]:
    """Return how many of the items that could count are not judged."""
    last = found.cutoff or found.n

    def count(rank: str, other: str) -> tuple[int, int]:
        inside = [r for r in found.rows if r["relevance"] is None and r[rank] is not None and r[rank] <= last]
        return len(inside), sum(r[other] is None or r[other] > last for r in inside)

    if found.baseline_side is None:
        ours, _ = count("rank", "rank")
        return [f"{counted(ours, 'item')} of the first {last} not judged"] if ours else []
    ours, came = count("rank", f"{BASELINE}rank")
    theirs, _ = count(f"{BASELINE}rank", "rank")
    if not ours and not theirs:
        return []
    told = f"not judged among the first {last}: {ours} ({name_of(found.baseline_side)} {theirs})"
    return [f"{told}; {counted(came, 'unjudged item')} came in" if came else told]


def _ties(found: QueryFacts) -> list[str]:
    """Return a sentence for each system whose equal scores decide ranks that count."""
    told = []
    for start, side in (("", found.side), (BASELINE, found.baseline_side)):
        last = found.cutoff or found.n
        tied = [r[f"{start}rank"] for r in found.rows if r[f"{start}tied"] and r[f"{start}rank"] is not None]
        ranks = sorted(rank for rank in tied if rank <= last)
        if side is not None and ranks and found.ties:
            named = ", ".join(map(str, ranks[:MOST_NAMED])) + (", …" if len(ranks) > MOST_NAMED else "")
            where = f"{'rank' if len(ranks) == 1 else 'ranks'} {named}"
            order = f"{found.ties} orders them"
            told.append(f"{name_of(side)} has equal scores for items of other grades at {where}; {order}")
    return told


def _not_found(found: QueryFacts) -> list[str]:
    """Return the relevant items that add nothing, with what they could add."""
    value = {place: added for place, added in found.potential if added > ROUNDING}
    rows = [
        (place, row) for place, row in enumerate(found.rows)
        if row["is_relevant"] and not row["contribution"] and not row[f"{BASELINE}contribution"]
    ]  # fmt: skip
    if not rows:
        return []
    rows.sort(key=lambda one: -one[1]["relevance"])
    named = [
        f"{item_text(row, found.show)} ({grade_text(row['relevance'])}"
        + (f", at rank 1 {number(value[place], '+')})" if place in value else ")")
        for place, row in rows[:MOST_NAMED]
    ]
    more = f", and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    who = "" if found.baseline_side is None else " for either system"
    return [f"relevant items that add nothing{who}: {', '.join(named)}{more}"]


# --- lists -------------------------------------------------------------------------------------------


def list_tables(found: QueryFacts, together: bool) -> list[Table]:
    """Return the lists of the systems.

    Args:
        together: in one table, side by side.
    """
    sides = [("", found.side)]
    if found.baseline_side is not None:
        sides.insert(0, (BASELINE, found.baseline_side))
    return [_lists(found, sides)] if together else [_lists(found, [side]) for side in sides]


def _lists(found: QueryFacts, sides: Sequence[tuple[str, Side]]) -> Table:
    """Return a line for each rank, and the sums that the columns add up to."""
    header, numeric = ["rank"], ["rank"]
    columns: list[list[list[str]]] = []
    lists = [_ranked(found, start) for start, _ in sides]
    last = max((max(ranked, default=0) for ranked in lists), default=0)
    ranks = range(1, min(found.n, found.cutoff or last, last) + 1)
    for (start, side), ranked in zip(sides, lists, strict=True):
        name = "item" if side.system is None else visible(side.system)
        # A space at the end distinguishes equal names of columns.
        number_of = " " * sides.index((start, side))
        header += [f"{name}{number_of}", f"grade{number_of}", f"adds{number_of}"]
        numeric += [f"grade{number_of}", f"adds{number_of}"]
        columns.append(_list_cells(found, start, side, ranked, ranks))
    labels = [*map(str, ranks), "", ""]
    cells = [[label, *(c for column in columns for c in column[i])] for i, label in enumerate(labels)]
    return Table(header, [line for line in cells if any(c for c in line)], numeric)


def _ranked(found: QueryFacts, start: str) -> dict[int, dict[str, Any]]:
    """Return the items of a list by rank."""
    return {row[f"{start}rank"]: row for row in found.rows if row[f"{start}rank"] is not None}


def _list_cells(
    found: QueryFacts, start: str, side: Side, ranked: dict[int, dict[str, Any]], ranks: range
) -> list[list[str]]:
    """Return item, grade and contribution of each rank, then those of all lower ranks, and the sum."""
    cells = []
    for rank in ranks:
        row = ranked.get(rank)
        if row is None:
            cells.append([NOTHING if ranked and rank < max(ranked) else "", "", ""])
        else:
            added = row[f"{start}contribution"]
            text = NOTHING if added is None else number(added) if abs(added) > ROUNDING else "0"
            cells.append([item_text(row, found.show), grade_text(row["relevance"]), text])
    below = [row for rank, row in ranked.items() if rank not in ranks]
    added = sum(row[f"{start}contribution"] or 0.0 for row in below)
    told = f"ranks after {ranks[-1] if ranks else 0}"
    cells.append([told, "", number(added)] if abs(added) > ROUNDING else ["", "", ""])
    total = side.by_policy if side.by_policy and not any(
        row[f"{start}contribution"] for row in found.rows
    ) else "sum"  # fmt: skip
    cells.append([total, "", number(side.value)])
    return cells


def closing_lines(found: QueryFacts, width: int) -> list[str]:
    """Return the formula, the best order and the sentences, in lines of a width; 0 for any."""
    lines = [f"{visible(found.metric)} = {found.formula}"] if found.formula else []
    ideal = found.ideal
    if ideal:
        named = ", ".join(f"{_item(one)} ({grade_text(one['relevance'])})" for one in ideal[: found.n])
        more = f", and {len(ideal) - found.n} more" if len(ideal) > found.n else ""
        lines.append(f"best order: {named}{more}")
    lines += [*place_lines(found), *sentences_of(found), *found.metric_notes]
    return wrapped(lines, width)


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Return lines that fit a width, the rest of a long one indented; 0 for any width."""
    if width <= 0:
        return list(lines)
    return [
        part for line in lines for part in wrap(line, width, subsequent_indent="  ", break_long_words=False)
    ]
