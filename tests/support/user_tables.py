"""Tables of users: they have only the columns that a metric needs, and numbers of other types."""

from __future__ import annotations

import duckdb

# Queries that are missing, unjudged or without a relevant item, ties, and whole numbers instead of text.
PREDICTIONS = """
    SELECT * FROM (VALUES
        (1, 9, 5), (1, 10, 5), (1, 100, 5), (1, 2, 7), (2, 3, 1), (2, 4, 0), (4, 1, 2), (5, 1, 3), (5, 2, 3),
        (7, 1, 1)
    ) AS _(query_id, item_id, score)
"""
TRUTH = """
    SELECT * FROM (VALUES
        (1, 10, 1), (1, 2, 2), (1, 50, 3), (2, 4, 1), (2, 3, 0), (3, 1, 1), (4, 1, 0), (5, 2, 1), (6, 1, 0)
    ) AS _(query_id, item_id, relevance)
"""
ROWS = """
    SELECT CAST(i * 37 % 101 < 20 + i AS INTEGER) AS label, CAST(i % 17 / 20 AS FLOAT) AS score,
        1 + i % 3 AS weight, i % 5 AS group_id
    FROM range(60) AS _(i)
"""
SYSTEM = "group"


def rankings_of_a_user(*, systems: bool = False, text: bool = False) -> duckdb.DuckDBPyConnection:
    """Return tables of rankings.

    Args:
        systems: whether a column names two systems.
        text: whether the ids are text, whose order is another one.
    """
    connection = duckdb.connect()
    ids = "'Ab' || item_id AS item_id, 'q' || query_id AS query_id" if text else "item_id, query_id"
    for table, rows in (("predictions", PREDICTIONS), ("truth", TRUTH)):
        connection.execute(
            f"CREATE TABLE {table} AS SELECT {ids}, * EXCLUDE (item_id, query_id) FROM ({rows})"
        )
    if systems:
        connection.execute(f"""
            CREATE OR REPLACE TABLE predictions AS
            SELECT 'A' AS "{SYSTEM}", * FROM predictions
            UNION ALL
            SELECT 'B', * REPLACE (-score AS score) FROM predictions WHERE NOT ends_with(query_id::TEXT, '2')
        """)
    return connection


def rows_of_a_user(*, systems: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a table of a classifier."""
    connection = duckdb.connect()
    system = f", CASE WHEN group_id < 2 THEN 'A' ELSE 'B' END AS \"{SYSTEM}\"" if systems else ""
    connection.execute(f"CREATE TABLE predictions AS SELECT *{system} FROM ({ROWS})")
    return connection
