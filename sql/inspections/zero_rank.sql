-- name:     zero_rank
-- title:    lists whose ranks start below 1
-- for:      ranking
-- severity: note
-- column:   predictions.score
-- inputs:   predictions (system, query_id, score)
-- params:   by_rank BOOLEAN DEFAULT FALSE
-- advice:   nothing to do here, where their order counts; a tool that takes ranks as they are would be one off
WITH lists AS (
    SELECT system, query_id, -max(score) AS first_rank, count(*) AS items
    FROM predictions
    WHERE $by_rank
    GROUP BY system, query_id
)
SELECT system, query_id, first_rank, items, (SELECT count(*) FROM lists) AS total
FROM lists
WHERE $by_rank AND first_rank < 1;
