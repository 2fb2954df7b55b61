-- name:     segments
-- title:    Segments with their number of rows
-- inputs:   predictions (system, segment, label)
-- grain:    system, segment
SELECT system, segment, count(*) AS n, count(*) FILTER (WHERE label > 0) AS n_positive
FROM predictions
GROUP BY system, segment;
