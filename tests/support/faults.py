"""Exports with one planted fault each, and the expected findings of a check.

The data without a fault are clean: 60 queries with 12 items each, all of them judged, and 400 rows of a
classifier in 20 groups. A fault is SQL over them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from support.cases import CATALOG

if TYPE_CHECKING:
    from pathlib import Path

    import duckmetrics

# Item i of query q is (7 q + i) modulo 40, with rank i and a computed grade: the best
# grades are not always first, and each query has relevant and nonrelevant items.
LISTS = """SELECT printf('u%02d', q) AS query_id, printf('i%02d', (7 * q + i) % 40) AS item_id,
    q + 13.25 - i * 0.75 AS score, i AS rank, (q * i) % 4 AS relevance
    FROM range(1, 61) AS queries(q), range(1, 13) AS places(i)"""
PREDICTIONS = f"SELECT query_id, item_id, score FROM ({LISTS})"
RANKS = f"SELECT query_id, item_id, rank FROM ({LISTS})"
# Three additional relevant items for each query, which are not returned.
TRUTH = f"""SELECT query_id, item_id, relevance FROM ({LISTS})
    UNION ALL SELECT printf('u%02d', q), printf('i%02d', (7 * q + i) % 40), 1
    FROM range(1, 61) AS queries(q), range(13, 16) AS places(i)"""
# One relevant item and 99 others out of 3000, different ones for each query.
SAMPLES = """SELECT printf('u%02d', q) AS query_id, printf('s%04d', (q * 97 + i * 31) % 3000) AS item_id,
    sin(q * 100 + i) AS score FROM range(1, 61) AS queries(q), range(100) AS places(i)"""
SAMPLED_TRUTH = f"""SELECT query_id, item_id FROM ({SAMPLES})
    QUALIFY row_number() OVER (PARTITION BY query_id ORDER BY item_id) = 7"""
# Each user knows ten items that are neither returned nor judged for them; all items are known to some.
HISTORY = """SELECT printf('u%02d', q) AS query_id, printf('i%02d', (7 * q + i) % 40) AS item_id,
    TIMESTAMP '2025-01-01 12:00:00' + to_days(CAST(i AS INTEGER)) AS timestamp
    FROM range(1, 61) AS queries(q), range(16, 26) AS places(i)"""
ITEMS = """SELECT printf('i%02d', i) AS item_id, ['c' || i % 3] AS category,
    CASE WHEN i <> 7 THEN [1, i, -i] END AS vector FROM range(40) AS items(i)"""
REFERENCE = f"SELECT query_id, item_id, -score AS score FROM ({LISTS})"
SIDE_TABLES = {"history": HISTORY, "items": ITEMS, "reference": REFERENCE}
# A time for every recommendation, after the history.
DATED = "SELECT *, TIMESTAMP '2025-01-27 12:00:00' AS timestamp FROM p"
# A metric that reads a reference run, as an option, if there is one.
_AGAINST = [name for (_, name), metric in CATALOG.metrics.items() if "reference" in metric.inputs]
AGAINST: dict[str, Any] = {"metrics": _AGAINST[:1]} if _AGAINST else {}
ROWS = """SELECT CAST((i * 7919) % 1000 < 999 * sqrt((i + 0.5) / 400) AS INTEGER) AS label,
    (i + 0.5) / 400 AS score, printf('g%02d', i % 20) AS group_id, if(i % 2 = 0, 'DE', 'FR') AS country,
    1 + i % 3 AS weight, i FROM range(400) AS numbers(i)"""
OBSERVATIONS = f"SELECT label, score, group_id, country, i FROM ({ROWS})"


@dataclass(frozen=True)
class Fault:
    """A fault and its expected finding.

    Attributes:
        predictions, truth: the tables; a classifier has no truth.
        check, severity, count, column: of the finding.
        example: is one of the examples.
        advice: is in the advice.
        also: names of other findings that the fault always causes.
        history, items, reference: further tables.
    """

    check: str
    severity: str
    count: int
    column: str
    example: str
    advice: str
    predictions: str = "FROM p"
    truth: str | None = "FROM t"
    also: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    history: str | None = None
    items: str | None = None
    reference: str | None = None

    @property
    def side_tables(self) -> dict[str, str]:
        """The further tables that are given."""
        tables = {name: getattr(self, name) for name in SIDE_TABLES}
        return {name: query for name, query in tables.items() if query is not None}


def _judged(relevance: str) -> str:
    return f"SELECT * REPLACE (({relevance}) AS relevance) FROM t"


def _scored(score: str) -> str:
    return f"SELECT * REPLACE (({score}) AS score) FROM p"


def _with_vectors(vector: str) -> str:
    number = "CAST(substr(item_id, 2) AS INTEGER)"
    return (
        f"SELECT item_id, CAST({vector} AS DOUBLE[]) AS embedding FROM (SELECT item_id, {number} AS i FROM c)"
    )


OF_VECTORS = {"metrics": "intra_list_distance@10", "columns": {"items.vector": "embedding"}}
U07 = "query_id IN ('u07', 'u08') AND item_id LIKE 'i_3'"
BY_RANK = "(SELECT *, row_number() OVER (PARTITION BY query_id ORDER BY score DESC) AS rank FROM p)"
WITH_RANK = f"SELECT query_id, item_id, rank FROM {BY_RANK}"

OF_RANKINGS = {
    "rows exported twice": Fault(
        "duplicate_prediction", "error", 2, "item_id", "query_id=u07, item_id=i13", "duplicates=first",
        f"FROM p UNION ALL SELECT * FROM p WHERE {U07}"),
    "two systems in one table": Fault(
        "combined_systems", "error", 60, "model", "query_id=u01, first_run=A, last_run=B", "system=",
        "SELECT *, if(row_number() OVER (PARTITION BY query_id ORDER BY item_id) = 1, 'A', 'B') AS model "
        "FROM p"),
    "grades under another name": Fault(
        "unread_grade", "warning", 0, "rating", "", "relevance",
        truth="SELECT * RENAME (relevance AS rating) FROM t"),
    "judged twice": Fault(
        "duplicate_judgment", "error", 2, "item_id", "query_id=u08, item_id=i23", "duplicates=first",
        truth="FROM t UNION ALL SELECT * FROM t WHERE query_id = 'u08' AND item_id IN ('i23', 'i20')"),
    "no score": Fault(
        "null_score", "error", 2, "score", "query_id=u07, item_id=i13", "lowest score",
        _scored(f"CASE WHEN NOT ({U07}) THEN score END")),
    "NaN score": Fault(
        "nan_score", "error", 2, "score", "query_id=u07, item_id=i13", "lowest score",
        _scored(f"if({U07}, 'nan'::DOUBLE, score)")),
    "masked items": Fault(
        "infinite_score", "note", 2, "score", "query_id=u07, item_id=i13, score=-inf", "nothing to do",
        _scored(f"if({U07}, '-inf'::DOUBLE, score)")),
    "scores with more digits than a DOUBLE has": Fault(
        "rounded_score", "error", 1, "score",
        "query_id=u07, one_score=16500000000000000, other_score=16500000000000001", "subtract",
        _scored("if(query_id = 'u07' AND item_id = 'i13', 16500000000000001, CAST(score * 1e15 AS BIGINT))")),
    "prediction without an item": Fault(
        "predictions_null_item_id", "error", 1, "item_id", "query_id=u07", "drop or correct",
        "FROM p UNION ALL SELECT 'u07', NULL, 0.5"),
    "prediction without a query": Fault(
        "predictions_null_query_id", "error", 2, "query_id", "item_id=i01", "drop or correct",
        "FROM p UNION ALL SELECT NULL, 'i01', 0.5 UNION ALL SELECT NULL, 'i02', 0.5"),
    "judgment without an item": Fault(
        "truth_null_item_id", "error", 1, "item_id", "query_id=u07", "drop or correct",
        truth="FROM t UNION ALL SELECT 'u07', NULL, 1"),
    "judgment without a query": Fault(
        "truth_null_query_id", "error", 1, "query_id", "item_id=i01", "drop or correct",
        truth="FROM t UNION ALL SELECT NULL, 'i01', 1"),
    "no grade": Fault(
        "null_relevance", "error", 60, "relevance", "query_id=u01, item_id=i08", "null_relevance=zero",
        truth=_judged("nullif(relevance, CASE WHEN item_id = printf('i%02d', "
                      "(7 * CAST(substr(query_id, 2) AS INTEGER) + 1) % 40) THEN relevance END)")),
    "infinite grade": Fault(
        "nan_relevance", "error", 1, "relevance", "query_id=u07, item_id=i13, relevance=inf", "or correct",
        truth="SELECT query_id, item_id, if(query_id = 'u07' AND item_id = 'i13', 'inf'::DOUBLE, relevance) "
              "AS relevance FROM t"),
    "negative grade": Fault(
        "negative_grade", "error", 1, "relevance", "query_id=u07, item_id=i13, relevance=-2.0",
        "negative_grade=zero", truth=_judged("if(query_id = 'u07' AND item_id = 'i13', -2, relevance)")),
    "ids of two types": Fault(
        "id_kinds", "error", 900, "item_id", "item_id='1'", "CAST(item_id AS VARCHAR)",
        "SELECT * REPLACE (ltrim(item_id, 'i0') || '' AS item_id) FROM p WHERE item_id <> 'i00' "
        "UNION ALL SELECT * REPLACE ('0' AS item_id) FROM p WHERE item_id = 'i00'",
        "SELECT * REPLACE (CAST(substr(item_id, 2) AS BIGINT) AS item_id) FROM t"),
    "ids of two types, one with zeros in front": Fault(
        "near_item_id", "warning", 10, "item_id", "in_predictions=01, in_truth=1", "in the same way",
        "SELECT * REPLACE (substr(item_id, 2) AS item_id) FROM p",
        "SELECT * REPLACE (CAST(substr(item_id, 2) AS BIGINT) AS item_id) FROM t",
        also=("id_kinds", "unjudged_item")),
    "ids in another case": Fault(
        "near_item_id", "warning", 1, "item_id", "in_predictions=i07, in_truth=I07", "in the same way",
        truth="SELECT * REPLACE (if(item_id = 'i07', 'I07', item_id) AS item_id) FROM t"),
    "ids that were floats once": Fault(
        "near_item_id", "warning", 40, "item_id", "in_predictions=0.0, in_truth=0", "in the same way",
        "SELECT * REPLACE (CAST(substr(item_id, 2) AS INTEGER) || '.0' AS item_id) FROM p",
        "SELECT * REPLACE (CAST(CAST(substr(item_id, 2) AS INTEGER) AS VARCHAR) AS item_id) FROM t",
        also=("no_common_item",)),
    "ids with a blank behind": Fault(
        "near_query_id", "warning", 2, "query_id", "in_predictions='u07 ', in_truth=u07", "in the same way",
        "SELECT * REPLACE (query_id || if(query_id IN ('u07', 'u08'), ' ', '') AS query_id) FROM p",
        also=("unanswered_query", "unjudged_query")),
    "all ids in another case": Fault(
        "near_query_id", "warning", 60, "query_id", "in_predictions=U01, in_truth=u01", "in the same way",
        "SELECT * REPLACE (upper(query_id) AS query_id) FROM p", also=("no_common_query",)),
    "other queries": Fault(
        "no_common_query", "error", 120, "query_id", "query_id=x-u01, found_in=predictions", "same ids",
        "SELECT * REPLACE ('x-' || query_id AS query_id) FROM p"),
    "other items": Fault(
        "no_common_item", "warning", 80, "item_id", "item_id=x-i00, found_in=predictions", "same ids",
        "SELECT * REPLACE ('x-' || item_id AS item_id) FROM p"),
    "ids of fractions": Fault(
        "id_type", "error", 720, "item_id", "item_id=0.0", "CAST(item_id AS BIGINT)",
        "SELECT * REPLACE (CAST(substr(item_id, 2) AS DOUBLE) AS item_id) FROM p",
        "SELECT * REPLACE (CAST(substr(item_id, 2) AS BIGINT) AS item_id) FROM t"),
    "queries without predictions": Fault(
        "unanswered_query", "warning", 5, "query_id", "query_id=u01", "missing=skip",
        "FROM p WHERE query_id > 'u05'"),
    "queries without a truth": Fault(
        "unjudged_query", "note", 4, "query_id", "query_id=u01", "population=predictions",
        truth="FROM t WHERE query_id > 'u04'"),
    "items without a judgment": Fault(
        "unjudged_item", "warning", 79, "item_id", "query_id=u01, item_id=i12, rank=5", "unjudged=skip",
        truth="FROM t WHERE item_id NOT IN ('i12', 'i13', 'i14', 'i15', 'i16')"),
    "items that nobody predicts": Fault(
        "unpredicted_item", "note", 1200, "item_id", "query_id=u01, item_id=z1", "same items",
        truth="FROM t UNION ALL SELECT DISTINCT query_id, 'z' || i, 1 FROM t, range(20) AS _(i)"),
    "nothing relevant": Fault(
        "irrelevant_query", "warning", 31, "relevance", "query_id=u01, judged=15", "rel is the lowest grade",
        truth=_judged("if(query_id < 'u32', 0, relevance)")),
    "ratings": Fault(
        "rating_as_relevance", "note", 1, "relevance", "lowest=2.0, highest=5.0, grades=4", "rel=4",
        truth=_judged("relevance + 2")),
    "short lists": Fault(
        "short_list", "note", 6, "item_id", "query_id=u01, items=9, k=10", "smaller k",
        f"SELECT query_id, item_id, score FROM {BY_RANK} WHERE query_id > 'u06' OR rank < 10"),
    "rounded scores": Fault(
        "tied_cutoff", "warning", 3, "score", "query_id=u05, first_rank=10, last_rank=11, k=10", "unrounded",
        "SELECT * EXCLUDE (rank) "
        "REPLACE (score + if(query_id BETWEEN 'u04' AND 'u07' AND rank = 11, 0.75, 0) AS score) "
        f"FROM {BY_RANK}"),
    "scores in an order that nobody can tell": Fault(
        "tied_score", "error", 1, "score", "query_id=u01, score=", "remove like=",
        "SELECT * EXCLUDE (rank) "
        f"REPLACE (score + if(query_id = 'u01' AND rank = 3, 0.75, 0) AS score) FROM {BY_RANK}",
        options={"like": "evidently"}),
    "one score for all": Fault(
        "constant_score", "warning", 60, "score", "query_id=u01, items=12, score=1.0", "rounded",
        _scored("1e0")),
    "lost ranks": Fault(
        "rank_gap", "warning", 4, "rank", "u01, first_rank=1.0, last_rank=12.0, items=11", "filtered",
        f"{WITH_RANK} WHERE query_id > 'u04' OR rank <> 3"),
    "lost first ranks": Fault(
        "rank_gap", "warning", 2, "rank", "u01, first_rank=2.0, last_rank=12.0, items=11", "filtered",
        f"{WITH_RANK} WHERE query_id > 'u02' OR rank > 1"),
    "ranks from 0": Fault(
        "bad_rank", "error", 60, "rank", "query_id=u01, item_id=i08, rank=0.0", "from 1",
        f"SELECT query_id, item_id, rank - 1 AS rank FROM {BY_RANK}"),
    "ranks between two": Fault(
        "bad_rank", "error", 1, "rank", "query_id=u03, item_id=i25, rank=4.5", "from 1",
        f"SELECT query_id, item_id, if(query_id = 'u03' AND rank = 4, 4.5, rank) AS rank FROM {BY_RANK}"),
    "ranks twice": Fault(
        "repeated_rank", "error", 1, "rank", "query_id=u03, rank=5.0, items=2", "its own rank",
        f"SELECT query_id, item_id, if(query_id = 'u03' AND rank = 4, 5, rank) AS rank FROM {BY_RANK}"),
    "ranks for scores": Fault(
        "rank_as_score", "warning", 60, "score", "query_id=u01, items=12", "rank=score",
        f"SELECT query_id, item_id, rank AS score FROM {BY_RANK}"),
    "sampled candidates": Fault(
        "sampled_cutoff", "note", 60, "item_id", "u01, candidates=100, items=3000, k=10, k_of_all=274",
        "k_of_all", SAMPLES, SAMPLED_TRUTH, also=("sampled_candidates",)),
    "padding": Fault(
        "placeholder_item", "warning", 2, "item_id", "query_id=u08, item_id=''", "drop these rows",
        "FROM p UNION ALL SELECT 'u07', 'nan', 0.5 UNION ALL SELECT 'u08', '', 0.5"),
    "scores that are text": Fault(
        "score_type", "error", 720, "score", "score='-'", "CAST(score AS DOUBLE)",
        _scored(f"if({U07}, '-', CAST(score AS VARCHAR))")),
    "grades that are text": Fault(
        "relevance_type", "error", 900, "relevance", "relevance='0'", "CAST(relevance AS DOUBLE)",
        truth=_judged("CAST(relevance AS VARCHAR)")),
    "no item": Fault(
        "missing_column", "error", 720, "item_id", "", "map it",
        "SELECT query_id, item_id AS sku, score FROM p"),
    "no score and no rank": Fault(
        "missing_column", "error", 720, "score", "", "map it", "SELECT query_id, item_id FROM p"),
    "no label and no truth": Fault(
        "missing_column", "error", 720, "label", "", "truth table", truth=None),
    "no system": Fault(
        "missing_column", "error", 720, "system", "", "system=", options={"system": "model"}),
    "a name that no table has": Fault(
        "missing_column", "error", 720, "query_id", "", "map one", options={"columns": {"query_id": "user"}}),
    "score and rank": Fault(
        "two_orders", "error", 720, "score", "", "say which", f"FROM {BY_RANK}"),
    "an empty truth": Fault("no_rows", "error", 0, "*", "", "exported", truth="FROM t LIMIT 0"),
    "no predictions at all": Fault("no_rows", "error", 0, "*", "", "exported", "FROM p LIMIT 0"),
    "rows of no system": Fault(
        "null_system", "error", 2, "model", "query_id=u07, item_id=i13", "name",
        f"SELECT *, CASE WHEN NOT ({U07}) THEN 'A' END AS model FROM p", options={"system": "model"}),
    "labels of two systems": Fault(
        "several_systems", "error", 2, "model", "A", "one by one",
        "SELECT *, 1 AS label, unnest(['A', 'B']) AS model FROM p", None,
        options={"system": "model", "labels": "returned"}),
    "queries that may not be missing": Fault(
        "missing_query", "error", 5, "query_id", "query_id=u01", "missing=skip",
        "FROM p WHERE query_id > 'u05'", options={"missing": "error"}),
    "a population with a hole": Fault(
        "population_null_query_id", "error", 1, "query_id", "query_id=None", "drop",
        options={"population": "SELECT unnest(['u01', NULL]) AS query_id"}),
    "no samples of candidates": Fault(
        "unfit_sample", "error", 60, "query_id", "query_id=u01, relevant=12, found=9, candidates=12",
        "give no size", options={"catalog_size": 99}),
    "an attribute of items": Fault(
        "varying_attribute", "error", 1, "", "", "attribute of the query", options={"by": "item_id"}),
    "a slice of no column": Fault("input", "error", 1, "", "", "queries=", options={"by": "country"}),
    "one list for nearly all": Fault(
        "same_list", "warning", 10, "item_id", "item_id=i00, lists=5", "features of users",
        """SELECT query_id, printf('i%02d', i) AS item_id, 20.5 - i AS score
            FROM (SELECT DISTINCT query_id FROM p), range(12) AS _(i) WHERE query_id > 'u06'
            UNION ALL FROM p WHERE query_id <= 'u06'""",
        """SELECT query_id, printf('i%02d', i) AS item_id, i % 4 AS relevance
            FROM (SELECT DISTINCT query_id FROM p), range(40) AS _(i)"""),
    "interaction without an item": Fault(
        "history_null_item_id", "error", 2, "item_id", "query_id=u07", "drop or correct",
        options={"metrics": "arp@10"},
        history="FROM h UNION ALL SELECT 'u07', NULL, NULL FROM range(2)"),
    "interaction without a user": Fault(
        "history_null_query_id", "error", 1, "query_id", "item_id=i01", "drop or correct",
        options={"metrics": "arp(popularity=users)@10"},
        history="FROM h UNION ALL SELECT NULL, 'i01', NULL"),
    "ids of the history of another type": Fault(
        "id_kinds", "error", 600, "query_id", "query_id='u01'", "CAST(query_id AS VARCHAR)",
        also=("cold_user",), options={"metrics": "arp@10"},
        history="SELECT * REPLACE (CAST(substr(query_id, 2) AS INTEGER) AS query_id) FROM h"),
    "a history without items": Fault(
        "missing_column", "error", 600, "item_id", "", "map it", options={"metrics": "arp@10"},
        history="SELECT * RENAME (item_id AS sku) FROM h"),
    "an empty history": Fault(
        "no_rows", "error", 0, "*", "", "exported", options={"metrics": "arp@10"}, history="FROM h LIMIT 0"),
    "no history": Fault(
        "absent_table", "error", 1, "", "", "history=", options={"metrics": "arp@10"}),
    "an item of the catalogue without an id": Fault(
        "items_null_item_id", "error", 1, "item_id", "", "drop or correct",
        options={"metrics": "coverage@10"}, items="FROM c UNION ALL SELECT NULL, NULL, NULL"),
    "an item of the catalogue twice": Fault(
        "duplicate_item", "error", 2, "item_id", "item_id=i03", "one row for each item",
        options={"metrics": "coverage@10"},
        items="FROM c UNION ALL FROM c WHERE item_id IN ('i03', 'i13')"),
    "vectors of different lengths": Fault(
        "unusable_vector", "error", 2, "embedding", "item_id=i03, length=2, usual_length=3, unusable=0",
        "or NULL", options=OF_VECTORS,
        items=_with_vectors("CASE WHEN item_id IN ('i03', 'i13') THEN [1, 2] "
                            "WHEN item_id < 'i30' THEN [1, 2, i] END")),
    "vectors with numbers that are none": Fault(
        "unusable_vector", "error", 3, "embedding", "item_id=i03, length=3, usual_length=3, unusable=2",
        "or NULL", options=OF_VECTORS,
        items=_with_vectors("CASE item_id WHEN 'i03' THEN [NULL, NULL, 2] WHEN 'i33' THEN NULL "
                            "WHEN 'i13' THEN [1, 'nan'::DOUBLE, 2] WHEN 'i23' THEN [1, 2, '-inf'::DOUBLE] "
                            "ELSE [1, 2, i] END")),
    "a category that nothing has": Fault(
        "unknown_category", "error", 1, "genre", "asked=C1, first_category=c0", "spelling",
        also=("near_category",),
        options={"metrics": "exposure(category=c0)@10,exposure(category=C1)@10",
                 "columns": {"items.category": "genre"}},
        items="SELECT item_id, category AS genre FROM c"),
    "categories in one text": Fault(
        "joined_category", "warning", 3, "category", "category=c0|d, items=14", "string_split",
        items="SELECT item_id, if(item_id = 'i00', 'e', category[1] || '|d') AS category FROM c "
              "UNION ALL SELECT 'i99', 'c0|d'"),
    "an item of the reference without an id": Fault(
        "reference_null_item_id", "error", 1, "item_id", "query_id=u07", "drop or correct",
        options=AGAINST, reference="FROM r UNION ALL SELECT 'u07', NULL, 0.5"),
    "a list of the reference without an id": Fault(
        "reference_null_query_id", "error", 1, "query_id", "item_id=i01", "drop or correct",
        options=AGAINST, reference="FROM r UNION ALL SELECT NULL, 'i01', 0.5"),
    "an item of the reference without a score": Fault(
        "reference_null_score", "error", 2, "score", "query_id=u07, item_id=i13", "lowest score",
        options=AGAINST,
        reference=f"SELECT * REPLACE (CASE WHEN NOT ({U07}) THEN score END AS score) FROM r"),
    "an item of the reference with a score of NaN": Fault(
        "reference_nan_score", "error", 2, "score", "query_id=u07, item_id=i13", "lowest score",
        options=AGAINST,
        reference=f"SELECT * REPLACE (if({U07}, 'nan'::DOUBLE, score) AS score) FROM r"),
    "an item of the reference twice": Fault(
        "duplicate_reference", "error", 2, "item_id", "query_id=u07, item_id=i13", "one run",
        options=AGAINST, reference=f"FROM r UNION ALL FROM r WHERE {U07}"),
    "known items in the lists": Fault(
        "known_item", "note", 2, "item_id", "query_id=u07, item_id=i13, rank=4", "more than once",
        history=f"FROM h UNION ALL SELECT query_id, item_id, NULL FROM p WHERE {U07}"),
    "known items in the truth": Fault(
        "leaked_item", "warning", 2, "item_id", "query_id=u01, item_id=i22", "where the truth begins",
        history="FROM h UNION ALL SELECT query_id, item_id, NULL FROM t WHERE query_id < 'u05' "
                "AND (query_id, item_id) NOT IN (SELECT (query_id, item_id) FROM p) AND item_id LIKE 'i_2'"),
    "a history that ends too late": Fault(
        "late_interaction", "warning", 2, "timestamp",
        "query_id=u07, item_id=i01, timestamp=2025-01-28 00:00:00, cut=2025-01-27 12:00:00", "drop them",
        DATED, history="FROM h UNION ALL SELECT unnest(['u07', 'u08']), 'i01', TIMESTAMP '2025-01-28'"),
    "a history that ends a day too late": Fault(
        "late_interaction", "warning", 1, "seen",
        "u07, item_id=i01, seen=2025-01-28 00:00:00, cut=2025-01-27", "drop them",
        truth="SELECT *, DATE '2025-01-27' AS day FROM t",
        options={"columns": {"truth.timestamp": "day", "history.timestamp": "seen"}},
        history="""SELECT * RENAME (timestamp AS seen) FROM h UNION ALL
            SELECT 'u07', 'i01', unnest([TIMESTAMP '2025-01-28', TIMESTAMP '2025-01-27 18:00:00'])"""),
    "new items": Fault(
        "cold_item", "note", 2, "item_id", "item_id=i03, lists=1", "same ids",
        history="FROM h WHERE item_id NOT IN ('i03', 'i13')"),
    "items that the history spells differently": Fault(
        "no_known_item", "warning", 80, "item_id", "item_id=x-i00, found_in=history", "same ids",
        options={"metrics": "arp@10"},
        history="SELECT * REPLACE ('x-' || item_id AS item_id) FROM h"),
    "new users": Fault(
        "cold_user", "note", 5, "query_id", "query_id=u01", "by=history_length",
        history="FROM h WHERE query_id > 'u05'"),
    "a catalogue that spells its items differently": Fault(
        "no_listed_item", "warning", 1, "item_id", "", "same ids", also=("unlisted_item",),
        options={"metrics": "coverage@10"}, items="SELECT * REPLACE ('x-' || item_id AS item_id) FROM c"),
    "a reference that spells its items differently": Fault(
        "no_reference_item", "warning", 80, "item_id", "item_id=x-i00, found_in=reference", "same ids",
        options=AGAINST, reference="SELECT * REPLACE ('x-' || item_id AS item_id) FROM r"),
    "items outside of the catalogue": Fault(
        "unlisted_item", "warning", 2, "item_id", "item_id=i03, lists=1", "add them",
        items="FROM c WHERE item_id NOT IN ('i03', 'i13')"),
}  # fmt: skip


def _observed(**replaced: str) -> str:
    changes = ", ".join(f"({value}) AS {name}" for name, value in replaced.items())
    return f"SELECT * REPLACE ({changes}) FROM o"


def _rows(*said: Any, predictions: str, also: tuple[str, ...] = (), **options: Any) -> Fault:
    return Fault(*said, predictions, None, also, options)


OF_ROWS = {
    "no label": _rows(
        "row_null_label", "error", 2, "label", "score=0.00125", "replace NULL",
        predictions=_observed(label="CASE WHEN i > 1 THEN label END")),
    "no score": _rows(
        "row_null_score", "error", 2, "score", "label=0.0", "nothing was predicted",
        predictions=_observed(score="CASE WHEN i NOT IN (3, 9) THEN score END")),
    "NaN score": _rows(
        "row_nan_score", "error", 2, "score", "score=nan", "nothing was predicted",
        predictions=_observed(score="if(i IN (3, 9), 'nan'::DOUBLE, score)")),
    "scores with more digits than a DOUBLE has": _rows(
        "row_rounded_score", "error", 1, "score",
        "one_score=0.996250000000000000, other_score=0.996250000000000001", "subtract",
        predictions=_observed(
            score="if(i = 399, 0.996250000000000001, score::DECIMAL(20, 18))::DECIMAL(20, 18)")),
    "NaN label": _rows(
        "row_nan_label", "error", 1, "label", "label=nan, score=0.00875", "drop",
        predictions=_observed(label="if(i = 3, 'nan'::DOUBLE, label)")),
    "infinite score": _rows(
        "row_infinite_score", "note", 1, "score", "label=1.0, score=inf", "meant to be",
        predictions=_observed(score="if(i = 399, 'inf'::DOUBLE, score)")),
    "rows of no system": _rows(
        "row_null_system", "error", 1, "model", "label=0.0, score=0.00875", "name",
        predictions="SELECT *, CASE WHEN i <> 3 THEN 'A' END AS model FROM o", system="model"),
    "three classes": _rows(
        "unknown_label", "error", 1, "label", "label=2.0, score=0.00875", "with 0 and 1",
        predictions=_observed(label="if(i = 3, 2, label)")),
    "two negative classes": _rows(
        "mixed_label", "error", 1, "label", "label=-1.0, score=0.00875", "to one label",
        predictions=_observed(label="if(i = 3, -1, label)")),
    "no probability": _rows(
        "not_a_probability", "error", 1, "score", "label=1.0, score=1.5", "sigmoid",
        predictions=_observed(score="if(i = 399, 1.5, score)"), metrics="log_loss"),
    "certain": _rows(
        "clipped_probability", "note", 1, "score", "label=1.0, score=1.0", "eps",
        predictions=_observed(score="if(i = 399, 1, score)"), metrics="log_loss"),
    "percent scores at a threshold": _rows(
        "no_threshold", "error", 396, "score", "label=0.0, score=1.125", "threshold=50",
        predictions=_observed(score="score * 100"), metrics="f1", also=("percent_score",)),
    "percent scores": _rows(
        "percent_score", "warning", 396, "score", "score=1.125", "by 100",
        predictions=_observed(score="score * 100")),
    "classes for scores": _rows(
        "hard_score", "warning", 2, "score", "score=0.0, n=200", "predict_proba",
        predictions=_observed(score="CAST(score > 0.5 AS INTEGER)")),
    "a number for no score": _rows(
        "stray_score", "warning", 2, "score", "label=0.0, score=-1.0", "missing score",
        predictions=_observed(score="if(i IN (0, 3), -1, score)")),
    "scores upside down": _rows(
        "reversed_score", "warning", 1, "score", "n=400", "negate", predictions=_observed(score="1 - score")),
    "labels upside down": _rows(
        "reversed_score", "warning", 1, "score", "n=400", "swapped", predictions=_observed(label="1 - label"),
        metrics="log_loss"),
    "one score for all": _rows(
        "row_constant_score", "warning", 1, "score", "score=0.5, n=400", "rounded",
        predictions=_observed(score="0.5")),
    "one class": _rows(
        "one_class", "warning", 1, "label", "n=400, n_positive=0", "label column",
        predictions=_observed(label="0")),
    "one class in a slice": _rows(
        "one_class", "warning", 1, "label", "country=FR, n=200, n_positive=200", "label column",
        predictions=_observed(label="if(country = 'FR', 1, label)"), by="country"),
    "few of a class": _rows(
        "rare_class", "note", 1, "label", "n=400, n_positive=5", "more rows",
        predictions=_observed(label="i IN (100, 300, 370, 380, 390)")),
    "groups of one class": _rows(
        "one_class_group", "note", 12, "group_id", "g00, positives=20.0, negatives=0.0", "larger groups",
        predictions=_observed(label="if(group_id < 'g12', 1, label)"), metrics="gauc"),
    "no group": _rows(
        "null_group", "error", 20, "group_id", "label=0.0", "give them a group",
        predictions=_observed(group_id="nullif(group_id, 'g07')"), metrics="gauc"),
    "no weight": _rows(
        "null_weight", "error", 1, "weight", "label=0.0, score=0.00875", "give them a weight",
        predictions="SELECT *, CASE WHEN i <> 3 THEN 1 END AS weight FROM o"),
    "a negative weight": _rows(
        "wrong_weight", "error", 1, "weight", "label=0.0, score=0.00875, weight=-1.0", "correct",
        predictions="SELECT *, if(i = 3, -1, 1) AS weight FROM o"),
    "scores that are text": _rows(
        "score_type", "error", 400, "score", "score='n/a'", "CAST(score AS DOUBLE)",
        predictions=_observed(score="if(i = 3, 'n/a', CAST(score AS VARCHAR))")),
    "labels that are text": _rows(
        "label_type", "error", 400, "label", "label='no'", "CAST(label AS DOUBLE)",
        predictions=_observed(label="if(label = 1, 'yes', 'no')")),
    "weights that are text": _rows(
        "weight_type", "error", 400, "weight", "weight='1'", "CAST(weight AS DOUBLE)",
        predictions="SELECT *, '1' AS weight FROM o"),
    "another name": _rows(
        "missing_column", "error", 400, "label", "", "map it",
        predictions="SELECT label AS clicked, score FROM o"),
    "weights that a metric cannot have": _rows(
        "unweighted", "warning", 0, "weight", "", "without weights",
        predictions="SELECT *, 2 AS weight FROM o", metrics="spiegelhalter_z"),
}  # fmt: skip
EVERY = {**{f"ranking, {name}": f for name, f in OF_RANKINGS.items()},
         **{f"rows, {name}": f for name, f in OF_ROWS.items()}}  # fmt: skip


def write(folder: Path) -> None:
    """Write the tables of every fault, two Parquet files or one, and the clean ones."""
    tables = {name: (fault.predictions, fault.truth) for name, fault in EVERY.items()}
    tables |= {"clean": (PREDICTIONS, TRUTH), "clean ranks": (RANKS, TRUTH)}
    tables["clean rows"] = OBSERVATIONS, None
    tables["clean with further tables"] = DATED, TRUTH
    further = {name: fault.side_tables for name, fault in EVERY.items()}
    further["clean with further tables"] = SIDE_TABLES
    with duckdb.connect() as connection:
        clean = {"p": PREDICTIONS, "t": TRUTH, "o": OBSERVATIONS, "h": HISTORY, "c": ITEMS, "r": REFERENCE}
        for name, query in clean.items():
            connection.execute(f"CREATE TABLE {name} AS {query}")
        for name, (predictions, truth) in tables.items():
            connection.execute(f"COPY ({predictions}) TO '{folder / name}.predictions.parquet'")
            if truth is not None:
                connection.execute(f"COPY ({truth}) TO '{folder / name}.truth.parquet'")
            for role, query in further.get(name, {}).items():
                connection.execute(f"COPY ({query}) TO '{folder / name}.{role}.parquet'")


def mapped(name: str) -> dict[str, Any]:
    """Return the mapping of the weights where there are some, so that no note asks about them."""
    has_weights = name in EVERY and EVERY[name].column == "weight"
    return {"columns": {"weight": "weight"}} if has_weights else {}


def assert_found(found: duckmetrics.Findings, fault: Fault) -> None:
    assert sorted(one.check for one in found) == sorted([fault.check, *fault.also]), found
    (one,) = [one for one in found if one.check == fault.check]
    assert (one.severity, one.count, one.column) == (fault.severity, fault.count, fault.column), one
    assert any(fault.example in example for example in one.examples or ("",)), one.examples
    assert len(one.examples) <= 6
    assert fault.column.strip("*") in one.message
    assert fault.advice in one.advice
    assert one.message.endswith(f"; {one.advice}")
    assert all(example in one.message for example in one.examples)


def side_tables(folder: Path, name: str) -> dict[str, Any]:
    """Return the history, the catalogue and the reference run of a fault, if it has them."""
    files = {role: folder / f"{name}.{role}.parquet" for role in SIDE_TABLES}
    return {role: file for role, file in files.items() if file.exists()}
