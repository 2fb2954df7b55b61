-- name:     near_item_id
-- title:    items that both tables have only once blanks, case, leading zeros and '.0' are left aside
-- for:      ranking, no_common_item
-- severity: warning
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- params:   text_items BOOLEAN DEFAULT TRUE
-- advice:   write the ids in the same way on both sides, if they mean the same
-- note:     numbers that differ differ in every spelling, so only text is searched
WITH pairs AS (
    SELECT
        plain,
        min(CASE WHEN is_predicted THEN id END) AS in_predictions,
        min(CASE WHEN NOT is_predicted THEN id END) AS in_truth
    FROM spellings
    WHERE $text_items AND id_column = 'item_id'
    GROUP BY plain
)
SELECT in_predictions, in_truth
FROM pairs
WHERE $text_items AND in_predictions IS NOT NULL AND in_truth IS NOT NULL;
