"""Rankings that cannot be evaluated."""

from __future__ import annotations

TABLES = {
    "no_item": "SELECT query_id AS query, item_id AS doc, score FROM predictions",
    "no_score": "SELECT query_id, item_id FROM predictions",
    "float_ids": "SELECT 1.5::FLOAT AS query_id, 'a' AS item_id, 1 AS score",
    "double_items": "SELECT 'q1' AS query_id, 1::DOUBLE AS item_id, 1 AS score",
    "decimal_ids": "SELECT 1.5::DECIMAL(5, 2) AS query_id, 'a' AS item_id, 1 AS score",
    "blob_ids": "SELECT 'q1'::BLOB AS query_id, 'a' AS item_id, 1 AS score",
    "list_ids": "SELECT [1] AS query_id, 'a' AS item_id, 1 AS score",
    "number_ids": "SELECT 1 AS query_id, 'a' AS item_id, 1 AS score",
    "text_truth": "SELECT '01' AS query_id, 'a' AS item_id",
    "null_query": "FROM predictions UNION ALL SELECT NULL, 'a', 1",
    "null_item": "FROM predictions UNION ALL SELECT 'q1', NULL, 1 UNION ALL SELECT 'q2', NULL, 1",
    "null_score": "SELECT * REPLACE (nullif(score, 1) AS score) FROM predictions",
    "nan_score": "SELECT * REPLACE (if(score = 1, 'nan'::DOUBLE, 1) AS score) FROM predictions",
    "text_score": "SELECT * REPLACE (score::VARCHAR AS score) FROM predictions",
    "ranked": "SELECT *, 1 AS rank FROM predictions",
    "twice": "FROM predictions UNION ALL SELECT DISTINCT query_id, 'a', 9 FROM predictions",
    "strangers": "SELECT 'x' || query_id AS query_id, item_id, score FROM predictions",
    "null_judge": "FROM truth UNION ALL SELECT NULL, 'a', 1",
    "null_judged": "FROM truth UNION ALL SELECT 'q1', NULL, 1",
    "null_grade": "FROM truth UNION ALL SELECT 'q1', 'x', NULL",
    "infinite_grade": "FROM truth UNION ALL SELECT 'q1', 'x', 'inf'::DOUBLE",
    "bad_grades": "FROM truth UNION ALL SELECT 'q' || i, 'x', -i FROM range(1, 6) AS r(i)",
    "text_grade": "SELECT * REPLACE ('1' AS relevance) FROM truth",
    "judged_twice": "FROM truth UNION ALL SELECT 'q1', 'b', 0",
    "no_rows": "FROM predictions WHERE false",
    "models": "SELECT nullif('A', upper(item_id)) AS model, * FROM predictions",
}  # fmt: skip
