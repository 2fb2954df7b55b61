"""Random runs with a history, a catalog and a reference run, as tables and for the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEMS = st.sampled_from("abcdefg")
USERS = st.sampled_from(["q1", "q2", "q3"])
SCORES = st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.0])
RUN = st.dictionaries(USERS, st.dictionaries(ITEMS, SCORES, min_size=1), min_size=1)
TRUTH = st.dictionaries(
    USERS, st.dictionaries(ITEMS, st.sampled_from([0.0, 1.0, 2.0]), min_size=1), min_size=1
)
HISTORY = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q4", "q5"]), st.sampled_from("abcdez")), min_size=1
)
CATALOGUE = st.dictionaries(
    st.sampled_from("abcdexyz"),
    st.tuples(
        st.sets(st.sampled_from(["c", "d", "e"])),
        st.none() | st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=2, max_size=2),
    ),
    min_size=1,
)


def rows_of(tree: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, item, value) for query, items in tree.items() for item, value in items.items()]


def table(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> pa.Table:
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def items_table(catalogue: dict[str, Any]) -> pa.Table:
    categories, vectors = zip(*catalogue.values(), strict=True)
    return pa.table({
        "item_id": list(catalogue),
        "category": pa.array([sorted(own) for own in categories], pa.list_(pa.string())),
        "vector": pa.array(vectors, pa.list_(pa.float64())),
    })  # fmt: skip


def side_of(history: Any, catalogue: dict[str, Any], other: Any) -> dict[str, Any]:
    return {
        "history": history,
        "catalog": list(catalogue),
        "categories": {item: frozenset(own) for item, (own, _) in catalogue.items()},
        "vectors": {item: vector for item, (_, vector) in catalogue.items() if vector is not None},
        "reference": rows_of(other),
    }
