-- name:     near_query_id
-- title:    queries that both tables have only once blanks, case, leading zeros and '.0' are left aside
-- for:      ranking, no_common_query, missing_query
-- severity: warning
-- column:   predictions.query_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- params:   text_queries BOOLEAN DEFAULT TRUE
-- advice:   write the ids in the same way on both sides, if they mean the same
-- note:     numbers that differ differ in every spelling, so only text is searched
WITH pairs AS (
    SELECT
        plain,
        min(CASE WHEN is_predicted THEN id END) AS in_predictions,
        min(CASE WHEN NOT is_predicted THEN id END) AS in_truth
    FROM spellings
    WHERE $text_queries AND id_column = 'query_id'
    GROUP BY plain
)
SELECT in_predictions, in_truth
FROM pairs
WHERE $text_queries AND in_predictions IS NOT NULL AND in_truth IS NOT NULL;
