-- name:     unjudged_item
-- title:    returned items without a judgment, which count as nonrelevant
-- for:      ranking
-- severity: warning
-- why:      some of them may be relevant, so the true value may be higher
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL,
--           unjudged VARCHAR DEFAULT 'nonrelevant'
-- depth:    k
-- when:     EXISTS (SELECT 1 FROM truth WHERE relevance <= 0 AND item_id IS NOT NULL)
--           AND EXISTS (
--               SELECT 1 FROM predictions
--               JOIN truth ON truth.query_id = predictions.query_id AND truth.item_id = predictions.item_id)
-- advice:   judge them, set unjudged=skip, or report the share of judged items next to the values
-- settles:  unjudged=skip
-- note:     reported if they are more than one in ten; if the truth has only relevant items, an item that is not in it
--           is nonrelevant
WITH seen AS (
    SELECT system, query_id, item_id, rank, relevance
    FROM returned
    WHERE $k IS NULL OR rank <= $k
),
counted AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE relevance IS NULL) AS unjudged
    FROM seen
)
SELECT seen.system, seen.query_id, seen.item_id, seen.rank, counted.total
FROM seen
CROSS JOIN counted
WHERE $unjudged = 'nonrelevant' AND seen.relevance IS NULL AND 10 * counted.unjudged > counted.total;
