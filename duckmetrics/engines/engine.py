"""Engines run the composed query. Only the modules next to this one import a database."""

from __future__ import annotations

import itertools
import math
import re
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from sqlglot import exp

from duckmetrics.compose.portable import reason_against
from duckmetrics.errors import EngineError, InputError, UnsupportedError
from duckmetrics.expressions.build import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.inputs.versions import Version


_NUMBERS = itertools.count(1)
# The names that `new_name` gives.
_NAME = re.compile(r"\bduckmetrics_\w+_\d+\b")


class Feature(Enum):
    """An ability that an engine may have beyond running the portable subset."""

    CHUNKS = "evaluate the queries in several parts"
    VERIFY = "recompute a sample with the plain-Python reference"
    INTERVAL = "put intervals around values, and compare systems"
    RESAMPLES = "compute metrics again on bootstrap samples of the rows"
    REREADING = "read the rows again for the charts of a report, and to explain metrics of rows"
    FUNCTIONS = "keep functions for the queries to come; elsewhere their calls are written out"
    SHARED_STEPS = "compute a step once that several others read"
    FILE_STATISTICS = "skip parts of a file by its statistics, which do not count NaN"
    EXACT_SUMS = "sum whole numbers of 128 bits"
    VERSIONS = "read older versions of tables"
    TABLES = "give values per query as a frame, and write them to tables of its catalog"
    GLOBAL_SORTS = "sort all rows on one machine, which plans made for DuckDB do"
    NUMBER_SORTS = "sort whole numbers in less time than it ranks scores"


# What a caller does where an engine lacks a feature. Other features only change how an engine works.
INSTEAD = {
    Feature.CHUNKS: "leave out `chunks=`: the engine divides the work itself",
    Feature.VERIFY: "leave out `verify=`, and verify a sample of the rows with DuckDB",
    Feature.INTERVAL: "write the values per query, and test them with DuckDB",
    Feature.RESAMPLES: 'evaluate these metrics with DuckDB and `interval_method="bootstrap"`',
    Feature.REREADING: "write the rows to Parquet, and draw or explain them with DuckDB",
    Feature.VERSIONS: "write SQL that names it, such as ``SELECT * FROM delta.`run` VERSION AS OF 3``",
    Feature.TABLES: "read `per_query`, or write it to Parquet",
}


@dataclass(frozen=True)
class Memory:
    """Findings of evaluations of the same tables, which the next ones need not look for again.

    Attributes:
        counts: the rows of queries that count, by the text of the query.
        tables: the names of tables that were kept, by the text of the query.
    """

    counts: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)


class Engine(Protocol):
    """Runs queries where the data are; only results come back.

    Attributes:
        dialect: the SQL that it speaks.
        features: what it can do beyond the portable subset.
        ran: the statements that made tables, as they ran.
        memory: what former evaluations of the same tables found; None if each one reads them anew.
        time_zone: the zone in which points in time have days and hours.
    """

    dialect: str
    features: frozenset[Feature]
    ran: list[str]
    memory: Memory | None = None

    @property
    def time_zone(self) -> str:
        return self.results().time_zone

    def use_zone(self, time_zone: str | None) -> None:
        """Let the next calls compute in a time zone; None for the one that is in use.

        Raises:
            InputError: there is no such zone.
        """
        self.results().use_zone(time_zone)

    def supports(self, feature: Feature) -> bool:
        """Return whether the engine has a feature."""
        return feature in self.features

    def reason_against(self, catalog: Catalog, definition: Definition) -> str | None:
        """Return why the engine cannot run a definition, None if it can; by default, if it is portable."""
        return reason_against(catalog, definition, self.dialect)

    def results(self) -> Engine:
        """Return the engine that holds the results, a few rows, and writes what is shown."""
        return self

    def attach(self, table: Any, role: Role, version: Version | None = None) -> Source:
        """Find out what a table argument means and read its columns.

        Args:
            version: of the table, None for the current one; only engines with the feature get one.
        """
        ...

    def has_versions(self, table: Any) -> bool:
        """Return whether a table argument means a table that keeps older versions."""
        return False

    def once(self, source: Source, columns: Sequence[str] | None = None) -> Source:
        """Return a table that costs little to read again; by default, the same.

        Args:
            columns: those that are needed, None for all.
        """
        return source

    def extremes(self, source: Source, column: str) -> tuple[Any, Any]:
        """Return the smallest and largest value of a column; cheap where there are statistics."""
        values = quoted(column)
        query = exp.select(exp.Min(this=values), exp.Max(this=values.copy())).from_(source.relation.copy())
        ((low, high),) = self.rows(query)
        return low, high

    def rows(self, query: exp.Query | str) -> list[tuple[Any, ...]]:
        """Run a query and return its (few) rows."""
        ...

    def memory_limit(self) -> float:
        """Return the number of bytes that the engine may use."""
        return math.inf

    def counted(self, query: exp.Query) -> list[tuple[Any, ...]]:
        """Return the rows of a query that counts, those of the memory if it has them.

        Args:
            query: is not needed again.
        """
        return self.rows(query)

    def arrow(self, query: exp.Query | str) -> pa.Table:
        """Run a query and return its rows as an Arrow table."""
        ...

    def few(self, query: str) -> pa.Table:
        """Run a query of few rows that takes long to plan, and return them as an Arrow table."""
        return self.arrow(query)

    def columns(self, query: exp.Query) -> Sequence[tuple[str, str]]:
        """Return the names and types of a query's columns without running it."""
        ...

    def name(self, stem: str) -> str:
        """Return a name for a temporary object that no other evaluation uses."""
        return new_name(stem)

    def keep(self, name: str, query: exp.Query, more: bool = False) -> None:
        """Run a query and keep its rows as a temporary table of that name, or add them to it."""
        ...

    def collect(self, name: str, query: exp.Query) -> None:
        """Run a query and hand its few rows to the engine of the results, as a table of that name."""
        ...

    def kept(self, name: str) -> exp.Select:
        """Return the query of a table that was kept."""
        ...

    def discard(self, name: str) -> None:
        """Drop a table that was kept and that nothing reads any more; by default, only `release` does."""
        return

    def kept_before(self, query: exp.Query) -> str | None:
        """Return the name of a table that still has the rows of a query, if an engine remembers them."""
        return None

    def copy(
        self, query: exp.Query, path: str | Path, partition_by: Sequence[str] = (), mode: str | None = None
    ) -> None:
        """Write a query's rows to Parquet, without reading them into Python.

        Args:
            partition_by: columns whose values become the names of folders.
            mode: what happens to rows that are there; only engines with tables get one.
        """
        ...

    def save(
        self, query: exp.Query, table: str, partition_by: Sequence[str] = (), mode: str | None = None
    ) -> None:
        """Write a query's rows to a table of the catalog; by default, there is none.

        Raises:
            UnsupportedError: the engine has no catalog.
        """
        raise UnsupportedError("table", "has no database", "name the DuckDB database as path")

    def frame(self, query: exp.Query) -> Any:
        """Return a query's rows as a frame of the engine; by default, it has none.

        Raises:
            UnsupportedError: the engine has no frames.
        """
        what, advice = "is for Spark, and DuckDB has these rows", "read per_query, a table of Arrow"
        raise UnsupportedError("per_query_frame", what, advice)

    def sent(self, url: str, format_: str) -> AbstractContextManager[Path]:
        """Give the path of a draft, and send it to a store of objects when it is complete."""
        return self.results().sent(url, format_)

    def define(self, macros: Sequence[exp.Create]) -> None:
        """Make functions known to the queries to come, until the engine is released."""
        ...

    @contextmanager
    def exclusive(self, keep: bool = True) -> Iterator[None]:
        """Use the engine for one call, and release it at the end.

        Args:
            keep: whether results are read later from the tables that the call makes.
        """
        try:
            yield
        finally:
            self.release()

    def remembering(self, memory: Memory) -> AbstractContextManager[None]:
        """Use what former evaluations of the same tables found; by default, each one reads them anew."""
        return nullcontext()

    def step(self, name: str) -> AbstractContextManager[None]:
        """Show what the queries to come are for, where an engine shows its work; by default, nowhere."""
        return nullcontext()

    def release(self) -> None:
        """Give a caller's connection or session back as it was."""
        ...

    def close(self) -> None:
        """Close what the engine opened itself; nothing more can be asked of it."""
        return


def new_name(stem: str) -> str:
    """Return a name for a temporary object that no other evaluation of this process uses."""
    return f"duckmetrics_{stem}_{next(_NUMBERS)}"


def keep_new(engine: Engine, stem: str, query: exp.Query) -> str:
    """Keep a query in a table of a new name, and return the name."""
    name = engine.name(stem)
    engine.keep(name, query)
    return name


def keep_once(engine: Engine, stem: str, query: exp.Query, again: bool = False) -> str:
    """Keep a query in a table, unless the memory has its rows, and return the name of the table.

    Args:
        again: whether rows that the same query gave before, for the same tables, are as good.
    """
    if (again or engine.memory is not None) and (known := engine.kept_before(query)) is not None:
        return known
    return keep_new(engine, stem, query)


def keep_readable(engine: Engine, stem: str, query: exp.Query, again: bool = False) -> str:
    """Keep rows of the predictions, which may turn out to be unreadable, and return the table's name.

    Args:
        again: whether rows that the same query gave before, for the same tables, are as good.
    """
    try:
        return keep_once(engine, stem, query, again)
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError("predictions", f"cannot be read: {error}", "check it") from error


def statements_since(ran: Sequence[str], start: int) -> list[str]:
    """Return the statements of one call, after those of former calls that made the tables it reads.

    Args:
        ran: all statements that made tables.
        start: the place of the first one of the call.
    """
    read = {name for text in ran[start:] for name in _NAME.findall(text)}
    earlier: list[str] = []
    for text in reversed(ran[:start]):
        made = _NAME.search(text)  # what a statement makes is the first thing that it names
        if made is not None and made[0] in read:
            earlier.insert(0, text)
            read.update(_NAME.findall(text))
    return [*earlier, *ran[start:]]
