"""The conventions that hold for every metric, each with its words and its default."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.choice import choose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.reference.query import Id

WORDS: Mapping[str, Sequence[str]] = {
    "ties": [
        "item_asc",
        "item_desc",
        "item_asc_text",
        "item_desc_text",
        "pessimistic",
        "optimistic",
        "input",
        "expected",
    ],
    "scores": ["double", "float32"],
    "unjudged": ["nonrelevant", "skip"],
    "labels": ["truth", "returned"],
    "duplicates": ["count", "first", "error"],
    "negative_grade": ["error", "zero"],
    "null_relevance": ["error", "zero"],
    "population": ["truth", "predictions", "both"],
    "missing": ["zero", "skip", "undefined"],
    "no_relevant": ["null", "zero", "one", "keep"],
}


@dataclass(frozen=True)
class Switches:
    """One word per convention; population may also be the query ids themselves.

    catalog_size: the number of all items, of which the rows of a query are the relevant one and a
    uniform sample of the others; None: the rows are what the system returned.
    by_rank: whether the scores are negative ranks, which are taken as they are given.
    """

    ties: str = "item_asc"
    scores: str = "double"
    unjudged: str = "nonrelevant"
    labels: str = "truth"
    duplicates: str = "count"
    negative_grade: str = "error"
    null_relevance: str = "error"
    population: str | Sequence[Id] = "truth"
    missing: str = "zero"
    no_relevant: str = "null"
    catalog_size: int | None = None
    by_rank: bool = False

    def __post_init__(self) -> None:
        """Refuse a word that no switch has."""
        for switch, words in WORDS.items():
            word = getattr(self, switch)
            if isinstance(word, str):
                choose(dict.fromkeys(words), word)

    @classmethod
    def split(cls, params: dict[str, Any]) -> tuple[Switches, dict[str, Any]]:
        """Separate the switches from the parameters of a metric."""
        names = {field.name for field in fields(cls)}
        own = {name: value for name, value in params.items() if name not in names}
        return cls(**{name: params[name] for name in params.keys() & names}), own
