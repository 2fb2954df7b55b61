"""The predictions of rankings: rows of items with scores or ranks, or lists of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted, stacked
from duckmetrics.expressions.column_types import is_wide
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs import values
from duckmetrics.inputs.columns import CANONICAL, is_name, selected
from duckmetrics.inputs.lists import elements, items_of, list_column, list_places, list_size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duckmetrics.ranking_inputs.tables import RankingIds, RankingTables, Table


class RankingPredictions:
    """Writes the canonical predictions of all systems.

    Args:
        positions: whether the order of the rows matters (``ties=input``).
    """

    def __init__(self, tables: RankingTables, ids: RankingIds, positions: bool) -> None:
        self._all = tables
        self._tables = tables.predictions
        self._systems = tables.systems
        self._columns = tables.columns
        self._ids = ids
        self._positions = positions

    def query(self) -> exp.Query:
        """Write the input `predictions`: one row for each item that a system ranks."""
        return stacked(
            self._rows(table) if table.listed is None else self._elements(table, table.listed)
            for table in self._tables
        )

    def answers(self) -> exp.Query | None:
        """Write the input `answers` for lists: an empty one is an answer, and leaves no prediction."""
        if not self._has_lists():
            return None
        parts = [self._answered(table) for table in self._tables]
        number = exp.cast(exp.Sum(this=exp.column("n")), "BIGINT").as_("n_predicted")
        rows = stacked(parts).subquery("answered")
        return exp.select("system", "query_id", number).from_(rows).group_by("system", "query_id")

    def leftovers(self, used: Iterable[str]) -> exp.Query | None:
        """Write the ids with the columns that could be names of systems, as text.

        Args:
            used: the user's columns that mean something already.
        """
        if not self._systems.only or self._has_lists():
            return None
        (table,) = self._tables
        whole = table.source.whole  # read again only to explain rows that are there twice
        known = {part for column in used for part in column.split("+")}
        others = [
            exp.cast(quoted(column), "VARCHAR").as_(column, quoted=True)
            for column, type_ in whole.columns.items()
            if column not in known and column.lower() not in CANONICAL and is_name(type_)
        ]
        if not others:
            return None
        ids = {"query_id": self._ids.query_id(table), "item_id": self._ids.item_id(table)}
        return selected(whole, ids).select(*others, copy=False)

    def runs(self, table: Table) -> list[str]:
        """Return the columns that may distinguish several systems, although the caller named none."""
        if self._systems.column is not None:
            return []
        return values.run_columns(table.source, self._columns, self._all.asked)

    @property
    def all_runs(self) -> tuple[str, ...]:
        """The same columns of all tables."""
        return tuple(dict.fromkeys(name for table in self._tables for name in self.runs(table)))

    def by_rank(self) -> bool:
        """Return whether the tables give ranks.

        Raises:
            InputError: some do and others give scores.
        """
        given = [(table.source.label, self._gives_ranks(table)) for table in self._tables]
        if len({by_rank for _, by_rank in given}) > 1:
            ranks, scores = (
                next(label for label, by_rank in given if by_rank is wanted) for wanted in (True, False)
            )
            raise InputError(
                "predictions",
                f"{ranks} gives ranks and {scores} gives scores, and a rank is taken as it is",
                "give both of all systems, or number the others with row_number() AS rank",
            )
        return all(by_rank for _, by_rank in given)

    def has_wide_scores(self) -> bool:
        """Return whether a DOUBLE may lose digits of the scores."""
        return any(is_wide(self._score_type(table) or "") for table in self._tables)

    # --- rows and lists --------------------------------------------------------------------------

    def _has_lists(self) -> bool:
        return any(table.listed for table in self._tables)

    def _shared(self, table: Table) -> dict[str, exp.Expr]:
        """Write the columns that rows and lists have in common."""
        return {
            "system": self._systems.expression(table.source, table.system),
            "query_id": self._ids.query_id(table),
        }

    def _rows(self, table: Table) -> exp.Select:
        """Write the predictions of a table that has one item in each row."""
        source, columns = table.source, self._columns
        return selected(source, {
            **self._shared(table),
            "item_id": self._ids.item_id(table),
            "score": values.score_expression(source, columns),
            **self._exact(table, quoted(columns.find(source, "predictions", "score") or "")),
            "position": values.position_expression(
                source, columns, self._positions and not self._gives_ranks(table)
            ),
            "run": values.run_expression(self.runs(table)),
        })  # fmt: skip

    def _elements(self, table: Table, listed: str) -> exp.Select:
        """Write the predictions of a table that lists the items of a query."""
        source, shared = table.source, self._shared(table)
        scores = list_column(source, self._columns, "predictions", "scores")
        if scores is not None:
            values.number_expression(items_of(source, scores), scores)
        place = list_places(source, listed)
        unnested = selected(source, {
            **shared,
            "item_id": elements(source, listed),
            "score": elements(source, scores) if scores else exp.Neg(this=place.copy()),
            "position": place,
            "run": values.run_expression(self.runs(table)),
        })  # fmt: skip
        rows = exp.select(
            "system", "query_id",
            self._ids.unnested_item(), exp.cast(exp.column("score"), "DOUBLE").as_("score"),
            *(e.as_(n) for n, e in self._exact(table, exp.column("score")).items()), "position", "run",
        ).from_(unnested.subquery("unnested"))  # fmt: skip
        return rows.where(exp.column("item_id").is_(exp.null()).not_()) if source.has_holes else rows

    def _answered(self, table: Table) -> exp.Select:
        """Write the queries of one table; a list that is NULL is not an answer."""
        source, listed = table.source, table.listed
        size = literal(1) if listed is None else list_size(source, listed)
        answered = selected(source, {**self._shared(table), "n": size})
        return answered if listed is None else answered.where(quoted(listed).is_(exp.null()).not_())

    # --- scores and ranks ------------------------------------------------------------------------

    def _gives_ranks(self, table: Table) -> bool:
        """Return whether a table gives ranks; the place in a list without scores is one."""
        if table.listed is not None:
            return list_column(table.source, self._columns, "predictions", "scores") is None
        return isinstance(values.score_expression(table.source, self._columns), exp.Neg)

    def _score_type(self, table: Table) -> str | None:
        """Return the type of the scores of a table, None for ranks, which have a check of their own."""
        source = table.source
        if self._gives_ranks(table):
            return None
        if table.listed is not None:
            scores = list_column(source, self._columns, "predictions", "scores")
            return None if scores is None else items_of(source, scores).columns[scores]
        score = self._columns.find(source, "predictions", "score")
        return None if score is None else source.columns[score]

    def _exact(self, table: Table, score: exp.Expr) -> dict[str, exp.Expr]:
        """Write the scores as they are given, if a DOUBLE may not keep those of any table."""
        if not self.has_wide_scores():
            return {}
        return {"exact_score": values.exact_number(score, self._score_type(table) or "")}
