"""Small inputs of every statistic, with ties, NULLs and missing units, and every way to set one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.statistics.counts import called
from support.cases import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.catalog import Alias
    from duckmetrics.catalog.definition import Definition

ROWS = {
    "per_query": """
        SELECT ['A', 'B', 'C'][s + 1] AS system, ['ndcg@10', 'map'][m] AS metric, 'q' || q AS query_id,
            CASE WHEN (q + s) % 13 > 0 THEN (q * 37 + s * q * 11 + m * 5) % 17 / 16e0 END AS value
        FROM range(3) AS a(s), range(1, 3) AS b(m), range(20) AS c(q)
        WHERE s < 2 OR q % 9 <> 1""",
    "p_values": """
        FROM (VALUES ('a', 0.01), ('b', 0.04), ('c', NULL), ('d', 0.03), ('e', 0.04)) AS t(test, p)""",
    "proportions": "FROM (VALUES ('A', 30, 100), ('B', 45, 110), ('C', 0, 50)) AS t(arm, hits, n)",
    "observations": """
        SELECT ['A', 'B', 'C'][1 + i % 3] AS arm,
            CASE WHEN i % 17 > 0 THEN (i * i + i // 3) % 23 / 4e0 END AS value
        FROM range(100) AS t(i)""",
    "arm_values": """
        SELECT ['A', 'B', 'C'][1 + i // 3 % 3] AS arm, 'u' || i // 3 AS cluster_id,
            CASE WHEN i % 17 > 0 THEN (i * i + i // 3) % 23 / 4e0 END AS value
        FROM range(150) AS t(i)""",
    "ratios": """
        SELECT ['A', 'B'][1 + i % 2] AS arm, (i * 7) % 5 AS numerator, 1 + (i * i) % 7 AS denominator
        FROM range(60) AS t(i)""",
    "adjusted": """
        SELECT ['A', 'B'][1 + i % 2] AS arm, (i * 7) % 11 + i / 9 AS value,
            CASE WHEN i % 19 > 0 THEN i / 9 + i % 4 END AS covariate
        FROM range(60) AS t(i)""",
    "estimates": """
        FROM (VALUES ('m', 'a', 0.3, 0.1, 20.0), ('m', 'b', 0.1, 0.2, 9.0), ('m', 'c', -0.2, 0.15, 30.0),
            ('m', 'd', NULL, 0.1, 9.0), ('k', 'a', 0.2, 0.1, 5.0), ('k', 'b', 0.5, 0.0, 5.0))
            AS t(family, slice, estimate, se, df)""",
    "categories": """
        SELECT ['A', 'B'][1 + i % 2] AS arm,
            CASE WHEN i % 13 > 0 THEN 'c' || (i * i + i // 3) % 7 END AS category
        FROM range(60) AS t(i)""",
    "counts": "FROM (VALUES (30, 1.0), (47, 2.0)) AS t(observed, expected)",
    "cells": """
        FROM (VALUES ('a', 1, 10), ('a', 2, 3), ('b', 1, 4), ('b', 2, 9)) AS t(row_value, column_value, n)""",
    "scores": """
        SELECT ['A', 'B', 'C'][s + 1] AS system, i AS row_id, i % 3 = 0 AS label,
            (i * 5 + s * i * 3) % 11 + i % 2 AS score
        FROM range(2) AS a(s), range(40) AS t(i)""",
    "impressions": """
        SELECT i // 4 AS impression_id, ['A', 'B'][1 + (i + i // 4) % 2] AS system,
            CASE WHEN i % 7 > 1 THEN i * i % 5 < 2 END AS clicked, 1 + i % 4 // 2 AS rank, 1 + i % 4 AS place,
            'u' || i // 12 AS cluster_id
        FROM range(160) AS t(i)""",
}  # fmt: skip
FIRST = {"baseline": "A", "control": "A", "margin": 0.05}
# Names that the queries use internally; columns of the user with these names must not disturb them.
TRAPS = ("baseline", "control", "data", "difference", "differences", "level", "_value", "_p", "mean", "rows")


def trapped(table: str) -> str:
    """Return the rows under names of the user, next to columns with the names of the real inputs."""
    columns = columns_of(table)
    own = [f'{name} AS "my {name}"' for name in columns]
    traps = [f'9 AS "{name}"' for name in dict.fromkeys((*columns, *TRAPS, "n", "p"))]
    return f"SELECT {', '.join([*own, *traps])} FROM ({ROWS[table]})"


def columns_of(table: str) -> tuple[str, ...]:
    return next(d.inputs[table] for d in CATALOG.statistics.values() if table in d.inputs)


def own_names(definition: Definition) -> dict[str, str]:
    """Return the columns of `trapped` as `run_test` maps them."""
    ((table, columns),) = definition.inputs.items()
    return {called(table, name): f"my {name}" for name in columns}


def settings(alias: Alias) -> Iterator[dict[str, Any]]:
    """Return the required parameters, alone and with each other choice and another level."""
    params = {n: p for n, p in alias.metric.own_params.items() if n not in alias.bound}
    needed: dict[str, Any] = {n: v for n, v in FIRST.items() if n in params}
    if "resamples" in params:
        needed["resamples"] = 50
    yield needed
    for name, param in params.items():
        others = (True, False) if param.type is bool else param.choices
        yield from ({**needed, name: value} for value in others if value != param.default)
    if "level" in params:
        yield {**needed, "level": 0.9}
