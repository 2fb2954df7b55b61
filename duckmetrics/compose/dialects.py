"""The dialects of SQL that queries can be written in, and which of them tests run."""

from __future__ import annotations

from dataclasses import dataclass

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import UnsupportedError, unknown


@dataclass(frozen=True)
class Dialect:
    """A kind of SQL that queries can be written in.

    Attributes:
        engine: the name that people use.
        executed: whether tests run it and compare its numbers; the text of others is only checked.
    """

    name: str
    engine: str
    executed: bool

    @property
    def tested(self) -> str:
        """The extent of the tests on the engine."""
        return "executed in tests" if self.executed else "text only: no test executes it"


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(DIALECT, "DuckDB", executed=True),
        Dialect("spark", "Apache Spark 4", executed=True),
        Dialect("postgres", "PostgreSQL", executed=True),
        Dialect("clickhouse", "ClickHouse", executed=True),
        Dialect("datafusion", "Apache DataFusion", executed=True),
        Dialect("databricks", "Databricks", executed=False),
        Dialect("trino", "Trino", executed=False),
        Dialect("bigquery", "BigQuery", executed=False),
        Dialect("snowflake", "Snowflake", executed=False),
    )
}


def find_dialect(name: str) -> Dialect:
    """Return the dialect of that name; letter case does not matter.

    Raises:
        UnsupportedError: there is no such dialect.
    """
    found = DIALECTS.get(name.strip().lower())
    if found is None:
        raise UnsupportedError("", *unknown("dialect", name, DIALECTS))
    return found
