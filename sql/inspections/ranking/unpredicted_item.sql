-- name:     unpredicted_item
-- title:    relevant judgments of items that are not predicted for any query
-- for:      ranking
-- severity: note
-- why:      items that a system cannot return limit the recall that it can reach
-- column:   truth.item_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- when:     EXISTS (
--               SELECT 1 FROM predictions
--               JOIN truth ON truth.query_id = predictions.query_id AND truth.item_id = predictions.item_id)
-- advice:   check that both tables cover the same items; no list can find these
-- note:     reported if they are more than half
WITH predicted AS (
    SELECT DISTINCT item_id FROM predictions
),
wanted AS (
    SELECT grades.query_id, grades.item_id, predicted.item_id IS NULL AS is_unknown
    FROM grades
    LEFT JOIN predicted ON predicted.item_id = grades.item_id
    WHERE grades.is_relevant
),
counted AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE is_unknown) AS unknown
    FROM wanted
)
SELECT wanted.query_id, wanted.item_id, counted.total
FROM wanted
CROSS JOIN counted
WHERE wanted.is_unknown AND 2 * counted.unknown > counted.total;
