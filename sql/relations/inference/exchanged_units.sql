-- name:     exchanged_units
-- title:    Units of each comparison with the baseline that a test exchanges, with their place
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR
-- values:   baseline: as in differences
-- grain:    system, metric, place
-- note:     value is relative to the mean of all units of the comparison, and the units of the baseline are first
WITH known AS (
    SELECT system, metric, query_id, value
    FROM per_query
    WHERE value IS NOT NULL
)
SELECT
    pairs.system, pairs.metric, known.query_id,
    known.system = $baseline AS is_base,
    -- Sums of values near 0 lose fewer digits.
    known.value - avg(known.value) OVER whole AS value,
    row_number() OVER (
        PARTITION BY pairs.system, pairs.metric ORDER BY known.system <> $baseline, known.query_id) - 1 AS place
FROM (SELECT DISTINCT system, metric FROM known WHERE system <> $baseline) AS pairs
JOIN known ON known.metric = pairs.metric AND known.system IN (pairs.system, $baseline)
-- A fixed order gives sums the same last digit for any source of the rows.
WINDOW whole AS (
    PARTITION BY pairs.system, pairs.metric ORDER BY known.system, known.query_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
