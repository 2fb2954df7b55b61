"""The inputs that an evaluation reads: canonical queries, and facts about their rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckmetrics.compose.composer import Composer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Role


CLUSTER = "cluster_id"
# The inputs that know more than relevance.
HISTORY: Role = "history"
ITEMS: Role = "items"
REFERENCE: Role = "reference"
# The values per query of metrics that were computed elsewhere.
VALUES: Role = "values"


@dataclass(frozen=True)
class Inputs:
    """Canonical queries by input name, and facts about them for the composer.

    Attributes:
        systems: the names given by a mapping; None when a column names them, or nobody does.
        has_truth: whether a table has the relevance of items.
        catalog_columns: the user's columns of the catalogue.
        truth_lists: whether an item that is NULL stands for an empty list of the truth.
        by_source: where the slicing columns come from, for messages.
        names: canonical column, with its table -> the user's column.
        query_type: the type in which query ids are shown.
        query_parts: the columns that make up a query id.
        item_kinds: the kinds of the columns that make up an item id: integer, text, date, ...
        constants: the columns that are the same in every row, with their value.
        weighted: whether the weights of the rows count.
        weight: the column of the weights of rows, or queries, if there is one.
        rows: the predictions once each, where slices repeat them.
        by_rank: whether ranks are given, also by the places in a list, so that the score is their negative.
        text_ids: the ids that are text, or have a part that is text.
        cluster: the column of the independent units of intervals, None for the query or row itself.
        wide_scores: whether a DOUBLE may lose digits of the scores.
        runs: the columns that may distinguish several systems, though nobody asked for them.
        shares_rows: whether the systems are scores of the same rows, which pairs them.
        by_day: whether the times of the history are compared with others by day.
        derived: the slicing columns that no table has, and that come from the history.
        unread_grade: the column of the truth that looks like grades, although every item has grade 1.
        words: the words of advice about each table.
        judged_columns: all columns of the truth.
        own_columns: the columns of rows that metrics of the user read.
        unread: the columns of a table of values that are no metrics.
        unasked: the columns whose name suggests a meaning, and that nobody named: the table, the column, and
            whether it is taken.
        leftovers: the ids of the predictions with the columns that nobody asked for, where it is one table.
    """

    queries: Mapping[str, exp.Query]
    labels: Mapping[str, str]
    one_system: bool
    systems: tuple[str, ...] | None
    truth_lists: bool
    by: tuple[tuple[str, ...], ...]
    by_source: str | None
    names: Mapping[str, str] = field(default_factory=dict)
    query_type: str | None = None
    query_parts: tuple[str, ...] = ()
    item_kinds: tuple[str, ...] = ()
    constants: Mapping[str, Value] = field(default_factory=dict)
    weighted: bool = False
    weight: str | None = None
    rows: exp.Query | None = None
    by_rank: bool = False
    text_ids: frozenset[str] = frozenset()
    cluster: str | None = None
    wide_scores: bool = False
    runs: tuple[str, ...] = ()
    leftovers: exp.Query | None = None
    unread_grade: str | None = None
    unasked: tuple[tuple[str, str, bool], ...] = ()
    shares_rows: bool = False
    has_truth: bool = True
    catalog_columns: tuple[str, ...] = ()
    by_day: bool = False
    derived: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    judged_columns: tuple[str, ...] = ()
    own_columns: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def facts(self) -> Mapping[str, Value]:
        """Facts about the rows for the composer, as values of parameters."""
        unjudged: Mapping[str, Value] = {} if self.has_truth else {"relevance": "none"}
        return {"by_rank": self.by_rank, **unjudged}

    @property
    def unsliced(self) -> Mapping[str, exp.Query]:
        """The queries, each row of the predictions once."""
        return self.queries if self.rows is None else {**self.queries, "predictions": self.rows}

    def composer(self, catalog: Catalog, queries: Mapping[str, exp.Query] | None = None) -> Composer:
        """Return a composer of queries over these inputs.

        Args:
            queries: in place of the canonical ones.
        """
        return Composer(catalog, self.queries if queries is None else queries, self.constants, self.facts)

    def column_label(self, table: str, column: str) -> str:
        """Return the user's name for a canonical column."""
        return self.names.get(f"{table}.{column}", column)

    @property
    def by_columns(self) -> tuple[str, ...]:
        """Every slicing column once, in the order asked for."""
        return tuple(dict.fromkeys(column for grouping in self.by for column in grouping))
