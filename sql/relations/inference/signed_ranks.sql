-- name:     signed_ranks
-- title:    Differences from the baseline, with their ranks by size
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR
-- grain:    row
-- note:     differences are in units of 1e-12 of the mean size of the values, and rounded. alike is the number of
--           differences of the same size, which share the ranks from first_rank on
WITH rounded AS (
    SELECT
        system, metric,
        coalesce(CASE WHEN difference < 0 THEN -1e0 ELSE 1e0 END
            * floor(abs(difference) / nullif(rounding, 0) + 0.5e0), 0e0) AS difference
    FROM differences
)
SELECT
    system,
    metric,
    difference,
    rank() OVER (PARTITION BY system, metric ORDER BY abs(difference)) AS first_rank,
    CAST(count(*) OVER (PARTITION BY system, metric, abs(difference)) AS DOUBLE) AS alike
FROM rounded;
