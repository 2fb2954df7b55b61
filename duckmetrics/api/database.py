"""Results in a table of a database, run after run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.engines import results_database
from duckmetrics.engines.results_database import Rows
from duckmetrics.errors import InputError

if TYPE_CHECKING:
    import os

    import duckdb


def append(
    result: Any,
    database: str | os.PathLike[str] | duckdb.DuckDBPyConnection,
    table: str,
    run_id: str | None = None,
) -> str:
    """Append the rows of a result to a table of a DuckDB database, in one transaction.

    The database and the table are created if they do not exist. The table has the columns of the result
    after ``run_time`` (TIMESTAMP WITH TIME ZONE, UTC) and ``run_id``, which are the same for all rows of a
    call. Columns that an existing table lacks are added, and are NULL in older rows. Values are DOUBLE,
    counts BIGINT. `Evaluation.write_per_query` appends the values per query.

    Args:
        result: what `evaluate`, `compare`, `check`, `ab` or another function returned, or an Arrow table.
        database: the path of a DuckDB database file, or a connection.
        table: its name, such as ``"metrics"`` or ``"evaluation.metrics"``; on a connection also that of an
            attached database, such as ``"wh.metrics"``.
        run_id: the name of the run; by default, a new one.

    Returns:
        The name of the run.

    Raises:
        InputError: the result is not a table; the file is not a DuckDB database or is in use; or the table
            is a view, holds something else, or has a column of another type.
        EngineError: the database refuses a statement.

    Example:
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        ev = duckmetrics.evaluate(clicks, metrics="auc")
        duckmetrics.append(ev, folder / "results.duckdb", "metrics", run_id="first")  # 'first'
    """
    rows = getattr(result, "summary", result)
    if not hasattr(rows, "__arrow_c_stream__"):
        raise InputError(
            f"result ({type(result).__name__})",
            "is not a table",
            "give a result, or a table that reads as Arrow",
        )
    import pyarrow as pa

    return results_database.append(database, [Rows(table, pa.table(rows))], run_id)
