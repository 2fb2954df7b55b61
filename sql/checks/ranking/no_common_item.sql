-- name:     no_common_item
-- title:    items, none of them both predicted and judged for the same query, so every value is 0
-- for:      ranking
-- severity: warning
-- why:      ids that do not match look the same as a system that finds nothing
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- when:     NOT EXISTS (
--               SELECT 1 FROM predictions
--               JOIN truth ON truth.query_id = predictions.query_id AND truth.item_id = predictions.item_id)
--           AND EXISTS (SELECT 1 FROM predictions JOIN truth ON truth.query_id = predictions.query_id)
-- advice:   check that both tables use the same ids
SELECT item_id, 'predictions' AS found_in
FROM (SELECT DISTINCT item_id FROM predictions) AS predicted
UNION ALL
SELECT item_id, 'truth' AS found_in
FROM (SELECT DISTINCT item_id FROM truth) AS judged;
