"""From the rows of the two tables to judgments and ranked lists."""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from duckmetrics.reference.query import Id, Judged, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from duckmetrics.reference.switches import Switches

# The columns that metrics of users read stand at the end, if there are some, by their names.
# system, query_id, item_id, score
Prediction: TypeAlias = tuple[str, Id, Id, float] | tuple[str, Id, Id, float, Mapping[str, Any]]
# query_id, item_id, relevance
Judgment: TypeAlias = tuple[Id, Id, float | None] | tuple[Id, Id, float | None, Mapping[str, Any]]
Judgments: TypeAlias = dict[Id, dict[Id, float]]  # query_id -> item_id -> grade
Lists: TypeAlias = dict[tuple[str, Id], list[Row]]  # (system, query_id) -> rows, best first

# The longest list that is made of given ranks.
DEEPEST = 1_000_000

TIE_ORDERS: Mapping[str, Callable[[list[Row]], list[Row]]] = {
    "item_asc": lambda rows: sorted(rows, key=lambda row: row.item),
    "item_desc": lambda rows: sorted(rows, key=lambda row: row.item, reverse=True),
    "item_asc_text": lambda rows: sorted(rows, key=lambda row: str(row.item)),
    "item_desc_text": lambda rows: sorted(rows, key=lambda row: str(row.item), reverse=True),
    "pessimistic": lambda rows: sorted(rows, key=lambda row: (_worth(row), row.item)),
    "optimistic": lambda rows: sorted(rows, key=lambda row: (-_worth(row), row.item)),
    "input": lambda rows: rows,
    "expected": lambda rows: sorted(rows, key=lambda row: row.item),
}


def _worth(row: Row) -> float:
    """Return the grade; an unjudged item stands below the judged ones of grade 0, as `judged` has it."""
    return -1.0 if row.grade is None else row.grade


def judgments(truth: Iterable[Judgment], switches: Switches) -> Judgments:
    """Return the grade of every judged item; of an item judged twice the highest."""
    truth = list(truth)
    if switches.duplicates == "error":
        _refuse_duplicates("truth", [row[:2] for row in truth])
    judged: Judgments = defaultdict(dict)
    for query, item, relevance, *_ in truth:
        grade = _grade(relevance, switches)
        judged[query][item] = max(grade, judged[query].get(item, grade))
    return dict(judged)


def rows_of_truth(truth: Iterable[Judgment]) -> dict[Id, list[Judged]]:
    """Return the rows of every query."""
    rows: dict[Id, list[Judged]] = defaultdict(list)
    for query, *row in truth:
        rows[query].append(Judged(*row))
    return dict(rows)


def of_returned_rows(predictions: Iterable[Prediction], judged: Judgments) -> Judgments:
    """Return the grades of the returned rows, 0 where nobody judged them: all that a table of rows has."""
    rows: Judgments = defaultdict(dict)
    for _, query, item, *_ in predictions:
        rows[query][item] = judged.get(query, {}).get(item, 0.0)
    return dict(rows)


def ranked_lists(predictions: Iterable[Prediction], judged: Judgments, switches: Switches) -> Lists:
    """Return the rows of every (system, query) in rank order.

    A list is empty when unjudged='skip' took all its rows: the query is not missing then. A given rank
    is the rank: between the rows stand items that nobody judged, unless unjudged='skip' closes the gaps.

    Raises:
        ValueError: a rank is not whole, below 1 or repeated within a query.
        OverflowError: the last rank is so far down that the list would not fit into memory.
    """
    predictions = list(predictions)
    if switches.duplicates == "error":
        _refuse_duplicates("predictions", [row[:3] for row in predictions])
    lists: Lists = defaultdict(list)
    for system, query, item, score, *columns in predictions:
        rounded = _float32(score) if switches.scores == "float32" and not switches.by_rank else float(score)
        lists[system, query].append(Row(item, rounded, judged.get(query, {}).get(item), *columns))
    return {key: _of_all_items(_ranked(rows, switches), switches.catalog_size) for key, rows in lists.items()}


def _with_holes(ranked: list[Row]) -> list[Row]:
    """Return the list with the given ranks: the row of rank r in the r-th place."""
    given = [-row.score for row in ranked]
    if any(rank < 1 or not rank.is_integer() for rank in given) or len(set(given)) < len(given):
        raise ValueError("ranks are whole numbers from 1 on, each once in a query")
    if max(given, default=0) > DEEPEST:
        raise OverflowError(f"rank {max(given)} is too far down")
    places = {int(rank): row for rank, row in zip(given, ranked, strict=True)}
    return [places.get(rank, Row(None, -float(rank), None)) for rank in range(1, max(places, default=0) + 1)]


def _of_all_items(sample: list[Row], catalog_size: int | None) -> list[Row]:
    """Return a ranking of all n items, from a ranking of m sampled items and the relevant one.

    The row of rank r goes to the rank floor(1 + (n - 1) (r - 1) / m), where the share of items
    above it is the same; between the rows stand items that nobody judged. Krichene and Rendle,
    KDD 2020, doi:10.1145/3394486.3403226.
    """
    if catalog_size is None or not sample:
        return sample
    if len(sample) > catalog_size:
        raise ValueError(f"{len(sample)} rows are not a sample of {catalog_size} items")
    ranking = [Row(None, -math.inf, None)] * catalog_size
    for place, row in enumerate(sample):
        ranking[(catalog_size - 1) * place // max(len(sample) - 1, 1)] = row
    return ranking


def _ranked(rows: list[Row], switches: Switches) -> list[Row]:
    if switches.unjudged == "skip":
        rows = [row for row in rows if row.grade is not None]
    in_tie_order = TIE_ORDERS[switches.ties](rows)
    ranked = sorted(in_tie_order, key=lambda row: row.score, reverse=True)  # stable
    kept = _first_of_each_item(ranked) if switches.duplicates == "first" else ranked
    return _with_holes(kept) if switches.by_rank and switches.unjudged == "nonrelevant" else kept


def _first_of_each_item(ranked: list[Row]) -> list[Row]:
    first: dict[Id, Row] = {}
    for row in ranked:
        first.setdefault(row.item, row)
    return list(first.values())


def _grade(relevance: float | None, switches: Switches) -> float:
    if relevance is None:
        if switches.null_relevance == "error":
            raise ValueError("a relevance is null")
        return 0.0
    if relevance < 0 and switches.negative_grade == "error":
        raise ValueError(f"a grade is negative: {relevance}")
    return max(0.0, float(relevance))


def _float32(score: float) -> float:
    """Return the nearest single-precision number; beyond their range infinity, as a C cast."""
    try:
        (rounded,) = struct.unpack("<f", struct.pack("<f", score))
    except OverflowError:
        return math.copysign(math.inf, score)
    return float(rounded)


def _refuse_duplicates(table: str, keys: list[Hashable]) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise ValueError(f"{table}: more than one row for {', '.join(map(repr, twice[:3]))}")
