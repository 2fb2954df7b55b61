"""The predictions of the systems under evaluation: one table, or one for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import picked, quoted, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import looks_like_a_truth, swapped
from duckmetrics.inputs.sources import Role, Source, no_rows

if TYPE_CHECKING:
    from duckmetrics.inputs.columns import ColumnMap


Attach = Callable[[Any, Role], Source]
ONE_SYSTEM = ""


def given_tables(predictions: Any, system: str | Mapping[str, Any] | None) -> Any:
    """Return the table of the predictions, or the mapping of systems to tables, which `system` may give.

    Raises:
        InputError: there is neither, or both.
    """
    if system is None or isinstance(system, str):
        if predictions is None:
            raise InputError("predictions", "none given", "name a table, or map systems to tables")
        return predictions
    if predictions is not None:
        raise InputError(
            "system", "maps systems to tables, and predictions are given too", "leave predictions out (None)"
        )
    return system


def no_system_column(source: Source, column: str) -> InputError:
    """Return the error for a table without the column that names the systems."""
    if looks_like_a_truth(source):
        return swapped(source)
    return InputError(
        source.label,
        f"no column {column!r} to tell systems apart; found {', '.join(source.all_columns)}",
        suggestion(column, source.all_columns, "name one of them with system= (--system)"),
    )


class Systems:
    """The tables of the predictions by system, and the column that names the system of a row.

    Args:
        given: a table, or a mapping of system names to tables.
        column: the column that names the system, when one table holds several.
        scores: the columns of the scores by system, when one table holds those of several.
        role: of the tables, the predictions or values that were computed elsewhere.

    Raises:
        InputError: no table, two ways to distinguish systems, or no row in any table.
    """

    def __init__(
        self, given: Any, column: str | None, attach: Attach, scores: Mapping[str, str] | None = None,
        role: Role = "predictions",
    ) -> None:  # fmt: skip
        mapping = dict(given) if isinstance(given, Mapping) else None
        if mapping is not None and not mapping:
            raise InputError(role, "no system", "name at least one, as in {'A': 'a.parquet'}")
        if mapping is not None and column is not None:
            raise InputError("system", "given as a column and as a mapping", "use one of the two")
        parts = mapping if mapping is not None else {ONE_SYSTEM: given}
        names = [str(name) for name in parts]
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise InputError("system", f"two of them are called {twice!r}", "give each its own name")
        self.column = column
        self.named = mapping is not None or bool(scores)
        self.sources = {str(name): attach(part, role) for name, part in parts.items()}
        if scores:
            self.sources = {name: _scored(self.first, score) for name, score in scores.items()}
        # A system without rows is legal if another one has rows; all of its queries are missing.
        if all(source.empty for source in self.sources.values()):
            raise no_rows(self.first)

    def __iter__(self) -> Iterator[tuple[str, Source]]:
        return iter(self.sources.items())

    @property
    def first(self) -> Source:
        return next(iter(self.sources.values()))

    @property
    def only(self) -> bool:
        """Whether nothing distinguishes systems, so that there is one system without a name."""
        return not self.named and self.column is None

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names given by a mapping; None when a column names them, or nobody does."""
        return tuple(self.sources) if self.named else None

    @property
    def label(self) -> str:
        """The name of the predictions in messages."""
        return ", ".join(dict.fromkeys(source.label for source in self.sources.values()))

    def read_from(self, table: exp.Table) -> None:
        """Read all systems from a table with the same columns and more."""
        self.sources = {name: replace(source, relation=table) for name, source in self}

    def query(self) -> exp.Query | None:
        """Return the input `systems`, None if only the rows show the names."""
        if not self.named and not self.only:
            return None
        return stacked(exp.select(literal(name).as_("system")) for name in self.sources)

    def listing(self) -> exp.Select | None:
        """Return the query of the names in the column of systems, None if there is no such column."""
        if self.column is None:
            return None
        return picked(self.first.relation.copy(), self.expression(self.first, "")).distinct()

    def expression(self, source: Source, name: str) -> exp.Expr:
        """Write the system of a row.

        Raises:
            InputError: the table lacks the column of the systems.
        """
        if self.column is None:
            return literal(name)
        found = source.find(self.column)
        if found is None:
            raise no_system_column(source, self.column)
        return exp.cast(quoted(found), "VARCHAR")


def only_system(column: str, name: str) -> exp.Expr:
    """Write the condition for the rows of one system."""
    return exp.cast(quoted(column), "VARCHAR").eq(literal(name))


def _scored(source: Source, score: str) -> Source:
    """Return a table whose scores are in a column of another name.

    Raises:
        InputError: there is no such column.
    """
    found = source.named(score)
    if found is None:
        raise InputError(
            source.label,
            f"no column {score!r} for score; found {', '.join(source.all_columns)}",
            "name one of these",
        )
    return replace(source, aliases={**source.aliases, "score": found, "rank": None})


def read_scores(given: Any, system: Any, predictions: Any, columns: ColumnMap) -> dict[str, str]:
    """Read ``score=``: the columns of the scores by system, all in one table.

    Raises:
        InputError: it is not a mapping of names, or systems or scores are named twice.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not given or not all(isinstance(c, str) for c in given.values()):
        raise InputError(
            "score",
            f"{given!r} names no scores",
            "map systems to columns, as in {'lr': 'p_lr', 'gbm': 'p_gbm'}",
        )
    if system is not None or isinstance(predictions, Mapping):
        raise InputError("score", "names systems, which are named already", "use one of the two")
    if any(columns.given("predictions", name) for name in ("score", "rank")):
        raise InputError("score", "given, and mapped with columns= too", "use one of the two")
    return {str(name): column for name, column in given.items()}


def refuse_unknown_names(columns: ColumnMap, sources: list[Source]) -> None:
    """Refuse a mapping to a column that no table has; one table with the column is enough.

    Raises:
        InputError: a column was mapped to a name that no table has.
    """
    for column, name in columns.names.items():
        parts = [name, *name.split("+")] if "+" in name else [name]
        if "." not in column and not any(s.find(p.strip()) for s in sources for p in parts):
            found = dict.fromkeys(c for source in sources for c in source.all_columns)
            raise InputError(
                "columns",
                f"no table has a column {name!r} for {column}; found {', '.join(found)}",
                suggestion(name, found, "map one of these"),
            )
