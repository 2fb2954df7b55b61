"""The columns that hold numbers: scores, ranks, grades, labels and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.checks.refusals import refusal
from duckmetrics.expressions.build import quoted, try_cast
from duckmetrics.inputs import values
from duckmetrics.inputs.columns import WEIGHT, ColumnMap, missing_column
from duckmetrics.inputs.lists import items_of, list_column
from duckmetrics.ranking_inputs.truth import no_labels

if TYPE_CHECKING:
    from duckmetrics.checks.mended_tables import MendedTables, Place
    from duckmetrics.inputs.sources import Role


class NumberColumns:
    """Examines and fixes the columns of numbers."""

    def __init__(self, tables: MendedTables) -> None:
        self._tables = tables

    def order(self, place: Place) -> None:
        """Examine the score or rank of a row."""
        tables, role = self._tables, place[1]
        score, rank = tables.find(place, "score"), tables.find(place, "rank")
        error = refusal(values.score_expression, tables[place], tables.columns, role)
        if error is not None and score is not None and rank is not None and not self._is_chosen(role):
            tables.refuse("two_orders", place, "score", error)
            tables.columns = ColumnMap({**tables.columns.names, f"{role}.score": score})
        elif error is not None and score is None and rank is None:
            tables.add_missing(place, "score", error)
        if score is not None or rank is not None:
            self._number(place, "score", str(score if score is not None else rank))

    def listed_order(self, place: Place) -> None:
        """Examine the scores next to a list of items."""
        scores = list_column(self._tables[place], self._tables.columns, "predictions", "scores")
        if scores is not None:
            self._number(place, "score", scores, is_list=True)

    def grade(self, place: Place, reader: str) -> None:
        """Examine the relevance of the truth, or the label of a prediction.

        Args:
            reader: the metric that needs it, for messages.
        """
        order = ("relevance", "label") if place[1] == "truth" else ("label", "relevance")
        found = (self._tables.find(place, column) for column in order)
        name = next((name for name in found if name is not None), None)
        if name is not None:
            self._number(place, "relevance", name, graded=True)
        elif place[1] == "predictions":
            source = self._tables[place]
            self._tables.add_missing(place, "label", no_labels(source, reader))

    def observation(self, place: Place) -> None:
        """Examine the label, score and weight of a row of a classifier."""
        source = self._tables[place]
        for column in ("label", "score"):
            name = self._tables.find(place, column)
            if name is None:
                self._tables.add_missing(place, column, missing_column(source, column, "predictions"))
            else:
                self._number(place, column, name, graded=column == "label")
        weight = self._tables.find(place, WEIGHT)
        if weight is not None:
            self._number(place, WEIGHT, weight)

    def _is_chosen(self, role: Role) -> bool:
        """Return whether the caller names either the score or the rank."""
        given = self._tables.columns.given
        return sum(given(role, column) is not None for column in ("score", "rank")) == 1

    def _number(
        self, place: Place, column: str, name: str, graded: bool = False, is_list: bool = False
    ) -> None:
        """Fix a column that should hold numbers."""
        source = self._tables[place]
        read = values.grade_expression if graded else values.number_expression
        error = refusal(read, items_of(source, name) if is_list else source, name)
        if error is not None:
            type_ = "DOUBLE[]" if is_list else "DOUBLE"
            self._tables.refuse(f"{column}_type", place, column, error, name)
            number = try_cast(quoted(name), exp.DataType.build(type_, dialect=DIALECT))
            self._tables.replace(place, name, number, type_)
