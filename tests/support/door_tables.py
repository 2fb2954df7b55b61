"""Small tables with a column or a row that could be read in two ways, for every door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from pathlib import Path

RANKED = "('q1', 'a', 3.0), ('q1', 'b', 2.0), ('q1', 'c', 1.0), ('q2', 'b', 2.0), ('q2', 'd', 1.0)"
JUDGED = "('q1', 'b', 2.0), ('q1', 'c', 1.0), ('q2', 'd', 3.0)"


def _run(more: str = "", without: str = "i", replaced: str = "") -> str:
    """Write predictions with more columns, without some, or with other values; `i` numbers the rows."""
    return _changed(f"(VALUES {RANKED}) AS v(query_id, item_id, score)", more, without, replaced)


def _truth(more: str = "", without: str = "i", replaced: str = "") -> str:
    return _changed(f"(VALUES {JUDGED}) AS v(query_id, item_id, relevance)", more, without, replaced)


def _changed(table: str, more: str, without: str, replaced: str) -> str:
    numbered = f"(SELECT *, row_number() OVER () AS i FROM {table})"
    columns = f"* EXCLUDE ({without})" + (f" REPLACE ({replaced})" if replaced else "")
    return f"SELECT {columns}{', ' + more if more else ''} FROM {numbered}"


RUN, TRUTH = _run(), _truth()
RANK_0 = "CASE query_id WHEN 'q1' THEN i - 1 ELSE i - 4 END AS rank"
# Predictions and truth of each case. Where a column has a meaning, its values differ from the others.
RANKINGS = {
    "nothing else": (RUN, TRUTH),
    "a weight of predictions": (_run("i AS weight"), TRUTH),
    "a weight of judgments": (RUN, _truth("i AS weight")),
    "Weight": (RUN, _truth('i AS "Weight"')),
    "a weight of text": (RUN, _truth("'3 kg' AS weight")),
    "a rating of predictions": (_run("i % 2 AS rating"), TRUTH),
    "a rating next to the relevance": (RUN, _truth("5 - i AS rating")),
    "a rating as the only grade": (RUN, _truth("5 - i AS rating", "i, relevance")),
    "a grade as the only grade": (RUN, _truth("5 - i AS grade", "i, relevance")),
    "a label next to the relevance": (RUN, _truth("i % 2 AS label")),
    "a label as the only grade": (RUN, _truth("i AS label", "i, relevance")),
    "a label of predictions": (_run("i % 2 AS label"), TRUTH),
    "a relevance of predictions": (_run("i % 2 AS relevance"), TRUTH),
    "a rank next to the score": (_run("6 - i AS rank"), TRUTH),
    "a rank in place of the score": (_run("6 - i AS rank", "i, score"), TRUTH),
    "a rank from 0": (_run(RANK_0, "i, score"), TRUTH),
    "a rank of judgments": (RUN, _truth("i AS rank")),
    "a position": (_run("6 - i AS position"), TRUTH),
    "a system of one name": (_run("'A' AS system"), TRUTH),
    "a system of judgments": (RUN, _truth("'A' AS system")),
    "a model of one name": (_run("'A' AS model"), TRUTH),
    "a group": (_run("i AS group_id"), TRUTH),
    "a cluster": (_run("i AS cluster_id"), TRUTH),
    "a time": (_run("i AS timestamp"), _truth("i AS timestamp")),
    "neither score nor rank": (_run("", "i, score"), TRUTH),
    "scores of text": (_run("", "i", "CAST(score AS VARCHAR) AS score"), TRUTH),
    "scores of NULL": (_run("", "i", "nullif(score, 1) AS score"), TRUTH),
    "scores of NaN": (
        _run("", "i", "CASE WHEN score = 1 THEN CAST('nan' AS DOUBLE) ELSE score END AS score"), TRUTH,
    ),
    "grades of NULL": (RUN, _truth("", "i", "nullif(relevance, 1) AS relevance")),
    "grades of text": (RUN, _truth("", "i", "CAST(relevance AS VARCHAR) AS relevance")),
    "grades of true and false": (RUN, _truth("", "i", "relevance > 1 AS relevance")),
    "grades below 0": (RUN, _truth("", "i", "relevance - 2 AS relevance")),
    "no grade": (RUN, _truth("", "i, relevance")),
    "no query of predictions": (_run("", "i, query_id"), TRUTH),
    "no query of judgments": (RUN, _truth("", "i, query_id")),
    "no item of predictions": (_run("", "i, item_id"), TRUTH),
    "no item of judgments": (RUN, _truth("", "i, item_id")),
    "users": (_run("query_id AS user_id", "i, query_id"), _truth("query_id AS user_id", "i, query_id")),
    "users next to queries": (_run("query_id AS user_id"), _truth("query_id AS user_id")),
    "names in upper case": (
        f'SELECT query_id AS "Query_ID", item_id AS "Item_ID", score AS "Score" FROM ({RUN})', TRUTH,
    ),
    "lists of items": (
        f"SELECT query_id, list(item_id ORDER BY score DESC) AS items FROM ({RUN}) GROUP BY ALL", TRUTH,
    ),
    "ids of numbers and of text": (
        _run("", "i", "ascii(item_id) AS item_id"),
        _truth("", "i", "CAST(ascii(item_id) AS VARCHAR) AS item_id"),
    ),
    "an item twice": (f"{RUN} UNION ALL {RUN}", TRUTH),
    "a judgment twice": (RUN, f"{TRUTH} UNION ALL {TRUTH}"),
    "items of NULL": (_run("", "i", "nullif(item_id, 'b') AS item_id"), TRUTH),
    "queries of NULL": (RUN, _truth("", "i", "nullif(query_id, 'q1') AS query_id")),
    "no common query": (_run("", "i", "'x' || query_id AS query_id"), TRUTH),
    "no common item": (_run("", "i", "'x' || item_id AS item_id"), TRUTH),
    "no predictions": (f"{RUN} WHERE false", TRUTH),
    "no judgments": (RUN, f"{TRUTH} WHERE false"),
}  # fmt: skip

CLICKS = "(SELECT i, (i * 7 % 10) / 10e0 AS score, CAST(i % 3 = 0 AS INT) AS label FROM range(1, 41) AS r(i))"


def _rows(more: str = "", replaced: str = "") -> str:
    return f"SELECT * EXCLUDE (i){f' REPLACE ({replaced})' if replaced else ''}{more} FROM {CLICKS}"


ROWS = {
    "rows": _rows(),
    "rows with a weight": _rows(", i AS weight"),
    "rows with a WEIGHT": _rows(', i AS "WEIGHT"'),
    "rows with a weight of text": _rows(", CAST(i AS VARCHAR) AS weight"),
    "rows with weights of 0": _rows(", i % 2 AS weight"),
    "rows with weights below 0": _rows(", i - 3 AS weight"),
    "rows with weights of NULL": _rows(", nullif(i % 20, 2) AS weight"),
    "rows with a sample_weight": _rows(", i AS sample_weight"),
    "rows with a rank": _rows(", i AS rank"),
    "rows with a rating": _rows(", i AS rating"),
    "rows of users": _rows(", i % 5 AS user_id"),
    "rows of a model": _rows(", 'A' AS model"),
    "rows of a system": _rows(", 'A' AS system"),
    "labels of true and false": _rows("", "label = 1 AS label"),
    "labels of -1 and 1": _rows("", "2 * label - 1 AS label"),
    "labels of 1 and 2": _rows("", "label + 1 AS label"),
    "labels of NULL": _rows("", "nullif(label, 1) AS label"),
    "labels of text": _rows("", "CASE label WHEN 1 THEN 'yes' ELSE 'no' END AS label"),
    "scores of rows NULL": _rows("", "nullif(score, 0) AS score"),
    "scores of rows NaN": _rows("", "CASE WHEN score = 0 THEN CAST('nan' AS DOUBLE) ELSE score END AS score"),
    "scores of rows of text": _rows("", "CAST(score AS VARCHAR) AS score"),
    "labels of one class": _rows("", "1 AS label"),
    "no rows at all": f"{_rows()} WHERE false",
}
CASES = {**RANKINGS, **ROWS}


def written(name: str, folder: Path) -> list[str]:
    """Write the tables of a case as Parquet files, and return their paths."""
    tables = CASES[name]
    roles = {"rows": tables}
    if not isinstance(tables, str):
        roles = dict(zip(("predictions", "truth"), tables, strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    for role, query in roles.items():
        duckdb.sql(f"COPY ({query}) TO '{folder}/{role}.parquet'")
    return [f"{folder}/{role}.parquet" for role in roles]


def refusal(message: object) -> str:
    """Return what a message says is wrong, without the place, the number of rows, examples and advice.

    A macro stops at the first row that is wrong, where Python counts them and shows three.
    """
    text = re.sub(r"^[\w ]+ Error: (?:duckmetrics: )?", "", str(message).split("\n")[0])
    text = re.sub(r"\S*?(\w+)\.parquet\b", r"\1", text)
    text = re.sub(r"^(?:rows|data|predictions|truth)(?:\.\w+)?: (?:column '\w+': )?", "", text)
    text = re.sub(r"^1 (row|item|query)\b", r"\1s", re.sub(r"^[\d,]{2,} |^[2-9] ", "", text))
    text = re.sub(r"^the (label|score|weight) is", r"column '\1' is", text, flags=re.I)
    return re.sub(r" \(.*?\)", "", text).partition(";")[0].rstrip(".").strip()
