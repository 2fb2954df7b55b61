-- name:     followed
-- title:    True, or an error that says why the conventions of a tool cannot be followed
-- params:   problem VARCHAR
SELECT CASE WHEN $problem IS NULL THEN TRUE ELSE error('duckmetrics: ' || $problem) END AS value;
