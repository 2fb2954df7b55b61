-- name:     sign_groups
-- title:    Differences from the baseline, summed over the units that share a random sign
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, seed INTEGER DEFAULT 42, groups INTEGER DEFAULT 2000 CHECK (groups > 1)
-- values:   seed: as in replicates
--           groups: if there are more units, random groups of them share a sign
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    system, metric, unit
-- note:     unit is the same for all systems and metrics. Differences of up to 1e-12 of the mean size of the values
--           are 0
WITH sizes AS (
    SELECT count(DISTINCT query_id) > $groups AS is_grouped
    FROM differences
),
assigned AS (
    SELECT
        differences.system, differences.metric, differences.query_id, differences.rounding,
        CASE WHEN abs(differences.difference) <= differences.rounding THEN 0e0 ELSE differences.difference END
            AS difference,
        CASE WHEN sizes.is_grouped THEN hash(hash(differences.query_id, $seed)) % $groups
            ELSE hash(differences.query_id) END AS unit
    FROM differences
    CROSS JOIN sizes
)
SELECT
    system, metric, unit,
    min(query_id) AS query_id,
    sum(difference) AS difference, sum(rounding) AS rounding, count(*) AS n
FROM assigned
GROUP BY system, metric, unit;
