-- name:     checked
-- title:    Raises the first problem found
SELECT CASE WHEN count(*) > 0 THEN error('duckmetrics: ' || min(problem)) ELSE TRUE END AS fine
FROM problems;
