-- name:     segments
-- title:    Segments with their number of rows
-- inputs:   predictions (system, segment, label, weight)
-- switches: weighted BOOLEAN DEFAULT NULL
-- values:   weighted: as in labeled
-- grain:    system, segment
SELECT system, segment, count(*) AS n, count(*) FILTER (WHERE label > 0) AS n_positive
FROM predictions
WHERE NOT $weighted OR weight > 0
GROUP BY system, segment;
