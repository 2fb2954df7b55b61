-- name:     ratings
-- title:    Rows whose label and score are any numbers
-- inputs:   predictions (system, segment, label, score, weight)
-- switches: weighted BOOLEAN DEFAULT NULL
-- values:   weighted: as in labeled
-- grain:    row
SELECT system, segment, label, score, CASE WHEN $weighted THEN weight ELSE 1e0 END AS weight
FROM predictions
WHERE NOT $weighted OR weight > 0;
