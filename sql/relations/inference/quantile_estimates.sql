-- name:     quantile_estimates
-- title:    Quantile of every arm, and the number of independent values that it is worth
-- inputs:   arm_values (arm, value, cluster_id)
-- switches: q DOUBLE DEFAULT 0.5 CHECK (q > 0 AND q < 1)
-- values:   q: as in quantile_units
-- portable: no, intervals are for DuckDB only
-- grain:    arm
-- formula:  quantile at q * (n - 1) of the sorted values, counted from 0; n_effective = n / design effect, at most n;
--           the design effect is the variance between units of the share of the values below the quantile, over that of
--           independent values, a value that is equal to the quantile half below it; n_units is (sum of values of a
--           unit)^2 / sum of their squares
-- source:   Kish, Survey Sampling, 1965
WITH estimated AS (
    -- Between two equal values, the sum is exactly their value, so that ties are seen.
    SELECT
        arm, n,
        max(CASE WHEN place = 1 + floor($q * (n - 1)) THEN value END)
            + ($q * (n - 1) - floor($q * (n - 1))) * (max(CASE WHEN place = 1 + ceil($q * (n - 1)) THEN value END)
                - max(CASE WHEN place = 1 + floor($q * (n - 1)) THEN value END)) AS quantile
    FROM placed_values
    GROUP BY arm, n
),
below AS (
    SELECT
        placed.arm, placed.cluster_id, placed.place,
        CASE WHEN placed.value < estimated.quantile THEN 1e0 WHEN placed.value = estimated.quantile THEN 0.5e0
            ELSE 0e0 END AS share
    FROM placed_values AS placed
    JOIN estimated ON estimated.arm = placed.arm
),
shares AS (
    SELECT arm, avg(share) AS mean, count(*) * variance(share) AS independent
    FROM below
    GROUP BY arm
),
units AS (
    SELECT below.arm, count(*) AS size, sum(below.share - shares.mean) AS deviation
    FROM below
    JOIN shares ON shares.arm = below.arm
    -- A value without a unit is a unit of its own.
    GROUP BY below.arm, below.cluster_id, CASE WHEN below.cluster_id IS NULL THEN below.place END
),
between_units AS (
    SELECT
        arm,
        count(*) AS units,
        sum(size) * sum(size) / nullif(sum(size * size), 0) AS n_units,
        sum(deviation * deviation) * count(*) / nullif(count(*) - 1, 0) AS clustered
    FROM units
    GROUP BY arm
)
SELECT
    estimated.arm, estimated.n, estimated.quantile, between_units.units, between_units.n_units,
    CAST(CASE
        WHEN units = estimated.n OR clustered = 0 THEN estimated.n
        WHEN clustered > 0 THEN least(estimated.n, estimated.n * independent / nullif(clustered, 0))
    END AS DOUBLE) AS n_effective
FROM estimated
JOIN shares ON shares.arm = estimated.arm
JOIN between_units ON between_units.arm = estimated.arm;
