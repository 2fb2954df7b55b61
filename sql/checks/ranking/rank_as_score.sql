-- name:     rank_as_score
-- title:    lists whose scores are the numbers from 1 to their length, like ranks, and the largest comes first
-- for:      ranking
-- severity: warning
-- why:      the largest score comes first, so ranks that are read as scores reverse the ranking
-- column:   predictions.score
-- inputs:   predictions (system, query_id, score)
-- when:     NOT EXISTS (SELECT 1 FROM predictions WHERE score < 1 OR score <> floor(score))
-- advice:   if 1 is the best, map the column as the rank, such as rank=score
WITH lists AS (
    SELECT system, query_id, min(score) AS lowest, max(score) AS highest, count(*) AS items
    FROM predictions
    GROUP BY system, query_id
)
SELECT system, query_id, items
FROM lists
WHERE items > 2 AND NOT EXISTS (SELECT 1 FROM lists WHERE lowest <> 1 OR highest <> items);
