-- name:     rank_gap
-- title:    lists whose ranks have gaps, as if rows were lost
-- for:      ranking
-- severity: warning
-- why:      a lost item counts as not relevant
-- column:   predictions.score
-- inputs:   predictions (system, query_id, score)
-- params:   by_rank BOOLEAN DEFAULT FALSE
-- advice:   check that nothing was filtered after ranking; a missing rank counts as an unjudged item
WITH lists AS (
    SELECT system, query_id, -max(score) AS first_rank, -min(score) AS last_rank, count(*) AS items
    FROM predictions
    WHERE $by_rank
    GROUP BY system, query_id
)
SELECT system, query_id, first_rank, last_rank, items, (SELECT count(*) FROM lists) AS total
FROM lists
WHERE $by_rank AND (first_rank > 1 OR last_rank - first_rank + 1 > items);
