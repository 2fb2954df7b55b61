"""Engines: what runs the composed query. Only the modules beside this one import a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from sqlglot import exp


class Engine(Protocol):
    """Runs queries where the data are; only results come back."""

    dialect: str

    def rows(self, query: exp.Query | str) -> list[tuple[Any, ...]]:
        """Run a query and return its (few) rows."""
        ...

    def arrow(self, query: exp.Query | str) -> pa.Table:
        """Run a query and return its rows as an Arrow table."""
        ...

    def keep(self, name: str, query: exp.Query) -> None:
        """Run a query and keep its rows as a temporary table of that name."""
        ...

    def define(self, macros: Sequence[exp.Create]) -> None:
        """Make functions known to the queries to come, until the engine is released."""
        ...

    def columns(self, query: exp.Query) -> Sequence[tuple[str, str]]:
        """Return the names and types of a query's columns without running it."""
        ...
