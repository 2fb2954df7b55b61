"""The calls of a statistical test on the sample data, in Python and on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from duckmetrics.statistics.inputs import called_columns

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

_CLICKS = "data/shop/impressions.parquet"
_ARM = "if(user_id % 2 = 0, 'A', 'B') AS arm"
_USERS = f"SELECT {{columns}} FROM '{_CLICKS}' GROUP BY user_id"
_SCORES = (
    "SELECT '{system}' AS system, row_number() OVER () AS row_id, clicked AS label, {score} AS score "
    f"FROM '{_CLICKS}'"
)
_OLD, _NEW = _SCORES.format(system="old", score="pctr_baseline"), _SCORES.format(system="new", score="pctr")
# A table of the sample data for each kind of input, by its columns.
TABLES = {
    "arm value": _USERS.format(columns=f"{_ARM}, sum(clicked) AS value"),
    "arm value cluster_id": f"SELECT {_ARM}, pctr AS value, user_id AS cluster_id FROM '{_CLICKS}'",
    "arm category": f"SELECT {_ARM}, country AS category FROM '{_CLICKS}' WHERE position = 1",
    "arm value covariate": _USERS.format(columns=f"{_ARM}, sum(clicked) AS value, count(*) AS covariate"),
    "arm numerator denominator": _USERS.format(
        columns=f"{_ARM}, sum(clicked) AS numerator, count(*) AS denominator"
    ),
    "arm hits n": _USERS.format(columns=f"{_ARM}, max(clicked) AS hits, 1 AS n"),
    "system row_id label score": f"{_OLD} UNION ALL {_NEW}",
    "observed expected": f"SELECT count(*) AS observed FROM '{_CLICKS}' GROUP BY user_id % 2",
    "row column n": f"SELECT device, clicked FROM '{_CLICKS}'",
    # Teams take turns, and the first one depends on the user: no ranker is better.
    "impression_id system clicked rank place cluster_id": (
        "SELECT user_id AS impression_id, if((user_id + position) % 2 = 0, 'A', 'B') AS system, clicked "
        f"FROM '{_CLICKS}'"
    ),
    "family slice estimate se df": (
        "SELECT 'ctr' AS family, device AS slice, avg(clicked) AS estimate, "
        f"stddev(clicked) / sqrt(count(*)) AS se, count(*) - 1 AS df FROM '{_CLICKS}' GROUP BY device"
    ),
    "test p": "SELECT * FROM (VALUES ('ndcg', 0.01), ('map', 0.02), ('mrr', 0.5)) AS _(test, p)",
}
VALUES = "system metric query_id value"
_DIGITS = ("data/digits/pixels.parquet", "data/digits/qrels.parquet")
_GIVEN = {"baseline": "blocks", "control": "A", "margin": 0.01}
# Tests of hits and misses need values of 0 and 1; one of a table of two by two needs few rows.
_METRICS = {"mcnemar": "hit_rate@1"}
_SMALL = {"fisher_exact": f"SELECT user_id % 2 AS device, clicked FROM '{_CLICKS}' WHERE user_id < 10100"}
_COLUMNS = {"row": "device", "column": "clicked"}  # two words that SQL keeps for itself
_PYTHON = '''\
import duckmetrics

table = """
    {table}
"""
print(duckmetrics.run_test("{name}", table{keywords}))
'''


def statistic_calls(definition: Definition) -> dict[str, str]:
    """Return the code at both doors: door -> code."""
    read = " ".join(column.strip("[]") for column in called_columns(definition))
    given = {name: value for name, value in _GIVEN.items() if name in definition.own_params}
    if read.startswith("system row_id"):
        given["baseline"] = "old"
    if read.startswith("impression_id"):
        given["baseline"] = "A"
    keywords = "".join(f", {name}={json.dumps(value)}" for name, value in given.items())
    sets = "".join(f" --set {name}={value}" for name, value in given.items())
    if read.startswith("row"):
        keywords = f", columns={_COLUMNS}".replace("'", '"')
        sets = "".join(f" --column {name}={theirs}" for name, theirs in _COLUMNS.items())
    if read == VALUES:
        return _of_values(definition.name, keywords, sets)
    table = _SMALL.get(definition.name, TABLES[read])
    python = _PYTHON.format(table=_wrapped(table), name=definition.name, keywords=keywords)
    command = f'duckmetrics test {definition.name} "{_wrapped(table)}"{sets}\n'
    return {"Python": python, "Command line": command}


def _of_values(name: str, keywords: str, sets: str) -> dict[str, str]:
    """Return the calls of a test that reads values per query."""
    metric = _METRICS.get(name, "ndcg@10")
    python = (
        f'import duckmetrics\n\nev = duckmetrics.evaluate(\n    "{_DIGITS[0]}",\n    "{_DIGITS[1]}",\n'
        f'    ["{metric}"],\n    system="system",\n)\n'
        f'print(duckmetrics.run_test("{name}", ev.per_query{keywords}))\n'
    )
    command = (
        f"duckmetrics evaluate {' '.join(_DIGITS)} \\\n"
        f"    --system system -m {metric} --per-query values.parquet\n"
        f"duckmetrics test {name} values.parquet{sets}\n"
    )
    return {"Python": python, "Command line": command}


def _wrapped(sql: str) -> str:
    """Break a query before its clauses."""
    for word in ("FROM '", "GROUP BY", "UNION ALL", ") AS _("):
        sql = sql.replace(f" {word}", f"\n    {word}")
    return sql
