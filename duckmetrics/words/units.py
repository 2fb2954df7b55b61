"""The names of what a result counts, and of what is relevant: queries, rows, clusters, grades."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from duckmetrics.words.lists import joined, verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]

QUERIES, ROWS = "queries", "rows"
# The beginning of the kind of units that several rows or queries share.
CLUSTERS = "clusters of "


def kind_of(rows: Iterable[Row]) -> str:
    """Return what an evaluation counts: rankings have queries, classifiers have rows."""
    return QUERIES if any(row.get("n_missing") is not None for row in rows) else ROWS


def plural(column: str) -> str:
    """Return the units that a column identifies in the plural: ``users`` for user_id; empty if unclear."""
    stem = column.removesuffix("_id")
    if stem == column or not stem.isidentifier():
        return ""
    words = stem.replace("_", " ")
    if words.endswith("y") and words[-2:-1] not in "aeiou":
        return f"{words[:-1]}ies"
    return words if words.endswith("s") else f"{words}s"


def cluster_units(column: str) -> str:
    """Return the units of intervals by clusters: ``users`` for user_id, else ``clusters of shop``."""
    return plural(column) or f"{CLUSTERS}{column}"


def sized(n_units: int | None, units: str, n: int, counted: str) -> str:
    """Write the number of units, or of rows or queries where a value has no units.

    Args:
        units: the units of the intervals in the plural.
        counted: the rows or queries in the plural.
    """
    return f"{n:,} {counted}" if n_units is None else f"{n_units:,} {units}"


# The switches in a signature that decide which queries count.
_SWITCH = re.compile(r"\|(missing|no_relevant):(\w+)")
_HOW = {
    "null": ("does not count", "do not count"),
    "zero": ("counts as 0", "count as 0"),
    "one": ("counts as 1", "count as 1"),
}


@dataclass(frozen=True)
class NoRelevant:
    """Queries of the population without a relevant item.

    Attributes:
        n: their number.
        of: the number of queries of the population; None if the counts of the result do not add up to it.
        policy: the value of the switch no_relevant.
        metrics, systems: those for which this holds; empty for all.
    """

    n: int
    of: int | None
    policy: str
    metrics: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()


def no_relevant_of(rows: Iterable[Row]) -> tuple[NoRelevant, ...]:
    """Return the queries without a relevant item, from the overall rows of an evaluation."""
    overall = [row for row in rows if not row["slice"]]
    found: dict[NoRelevant, list[Row]] = {}
    for row in overall:
        if row.get("n_no_relevant") and (fact := _fact(row)).policy in _HOW:
            found.setdefault(fact, []).append(row)
    return tuple(
        replace(fact, metrics=_some(own, overall, "metric"), systems=_some(own, overall, "system"))
        for fact, own in found.items()
    )


def _some(own: Sequence[Row], every: Sequence[Row], column: str) -> tuple[str, ...]:
    """Return the values of a column in some rows; empty if these are all of its values."""
    names = tuple(dict.fromkeys(str(row[column]) for row in own))
    return names if len(names) < len({row[column] for row in every}) else ()


def _fact(row: Row) -> NoRelevant:
    switches = dict(_SWITCH.findall(str(row.get("signature") or "")))
    n, policy = int(row["n_no_relevant"]), switches.get("no_relevant", "")
    of = row["n"] + (row["n_undefined"] or 0) + (n if policy == "null" else 0)
    return NoRelevant(n, None if switches.get("missing") == "skip" and row["n_missing"] else of, policy)


def no_relevant_sentence(fact: NoRelevant, queries: str = QUERIES) -> str:
    """Return a sentence, without a full stop.

    Args:
        queries: the name of the queries in the plural.
    """
    number = f"{fact.n:,}" if fact.of is None else f"{fact.n:,} of {fact.of:,}"
    have, how = verb(fact.n, "has", "have"), verb(fact.n, *_HOW[fact.policy])
    groups = [joined(names) for names in (fact.metrics, fact.systems) if names]
    where = f" for {' of '.join(groups)}" if groups else ""
    return f"{number} {queries} {have} no relevant item and {how}{where} (no_relevant={fact.policy})"
