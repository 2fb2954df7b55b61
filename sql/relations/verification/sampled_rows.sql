-- name:     sampled_rows
-- title:    The rows of both tables that belong to the queries of a sample, one table below the other
-- inputs:   predictions (query_id, system, item_id, score, position, own_columns),
--           truth (query_id, item_id, relevance, own_columns),
--           query_ids (query_id, id_text)
-- params:   size INTEGER DEFAULT 1000 CHECK (size > 0), alike BOOLEAN DEFAULT TRUE
-- portable: no, except spark: others verify no numbers
-- grain:    number, is_truth, system, item, position
-- note:     own_columns has what metrics of users read of a table, as one value. alike: Python compares the item ids as
--           DuckDB does; if not, item is the place of the id among all ids, and text is the id
WITH both_sides AS (
    SELECT
        sampled_queries.number, FALSE AS is_truth,
        predictions.item_id, predictions.system, predictions.score, predictions.position, NULL AS relevance,
        predictions.own_columns AS of_prediction, NULL AS of_truth
    FROM predictions
    JOIN sampled_queries ON sampled_queries.query_id = predictions.query_id
    WHERE sampled_queries.number <= $size
    UNION ALL
    SELECT
        sampled_queries.number, TRUE AS is_truth,
        truth.item_id, NULL AS system, NULL AS score, NULL AS position, truth.relevance,
        NULL AS of_prediction, truth.own_columns AS of_truth
    FROM truth
    JOIN sampled_queries ON sampled_queries.query_id = truth.query_id
    WHERE sampled_queries.number <= $size
)
SELECT
    number,
    is_truth,
    -- The number of digits of the largest BIGINT, so that texts sort like the numbers.
    CASE WHEN $alike THEN item_id ELSE lpad(CAST(dense_rank() OVER (ORDER BY item_id) AS VARCHAR), 19, '0') END
        AS item,
    CASE WHEN NOT $alike THEN CAST(item_id AS VARCHAR) END AS text,
    system,
    score,
    position,
    relevance,
    of_prediction,
    of_truth
FROM both_sides;
