-- name:     quantile_arms
-- title:    Quantile of every arm with its interval, over rows that units share
-- inputs:   arm_values (arm, value, cluster_id)
-- switches: q DOUBLE DEFAULT 0.5 CHECK (q > 0 AND q < 1),
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   q: as in quantile_units
--           level: as in statistics/mean_interval
-- portable: no, intervals are for DuckDB only
-- grain:    arm
-- formula:  quantile at q * (n - 1) of the sorted values, counted from 0; lower and upper at n * s + 1/2, counted from
--           1, s the ends of Wilson's score interval of q with n_effective trials, between the values in a straight
--           line; n_effective = n / design effect, at most n; the design effect is the variance between units of the
--           share of the values below the quantile, over that of independent values, a value that is equal to the
--           quantile half below it; n_units is (sum of values of a unit)^2 / sum of their squares
-- source:   Woodruff, Journal of the American Statistical Association 1952, doi:10.1080/01621459.1952.10483443; Wilson,
--           Journal of the American Statistical Association 1927, doi:10.1080/01621459.1927.10502953
-- note:     the critical value is normal if each unit has one value, else Student's t with n_units - 1. A bound beyond
--           the smallest or the largest value is NULL
WITH placed AS (
    SELECT
        arm, cluster_id, CAST(value AS DOUBLE) AS value,
        row_number() OVER (PARTITION BY arm ORDER BY value, cluster_id) AS place,
        count(*) OVER (PARTITION BY arm) AS n
    FROM arm_values
    WHERE value IS NOT NULL
),
estimated AS (
    -- Between two equal values, the sum is exactly their value, so that ties are seen.
    SELECT
        arm, n,
        max(CASE WHEN place = 1 + floor($q * (n - 1)) THEN value END)
            + ($q * (n - 1) - floor($q * (n - 1))) * (max(CASE WHEN place = 1 + ceil($q * (n - 1)) THEN value END)
                - max(CASE WHEN place = 1 + floor($q * (n - 1)) THEN value END)) AS quantile
    FROM placed
    GROUP BY arm, n
),
below AS (
    SELECT
        placed.arm, placed.cluster_id, placed.place,
        CASE WHEN placed.value < estimated.quantile THEN 1e0 WHEN placed.value = estimated.quantile THEN 0.5e0
            ELSE 0e0 END AS share
    FROM placed
    JOIN estimated ON estimated.arm = placed.arm
),
shares AS (
    SELECT arm, avg(share) AS mean, count(*) * var_samp(share) AS independent
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
),
sized AS (
    SELECT
        estimated.arm, estimated.n, estimated.quantile, between_units.n_units,
        CAST(CASE
            WHEN between_units.units = estimated.n OR between_units.clustered = 0 THEN estimated.n
            WHEN between_units.clustered > 0 THEN least(estimated.n, estimated.n * shares.independent / nullif(between_units.clustered, 0))
        END AS DOUBLE) AS n_effective,
        CASE WHEN between_units.units = estimated.n THEN normal_quantile(0.5e0 + 0.5e0 * $level)
            ELSE student_t_critical(1 - $level, between_units.n_units - 1) END AS critical
    FROM estimated
    JOIN shares ON shares.arm = estimated.arm
    JOIN between_units ON between_units.arm = estimated.arm
),
bounded AS (
    SELECT
        arm, n, quantile, n_units, n_effective,
        ($q + 0.5e0 * critical * critical / nullif(n_effective, 0)) / (1 + critical * critical / nullif(n_effective, 0))
            AS center,
        critical * sqrt($q * (1 - $q) / nullif(n_effective, 0)
            + 0.25e0 * critical * critical / nullif(n_effective * n_effective, 0))
            / (1 + critical * critical / nullif(n_effective, 0)) AS half
    FROM sized
),
ranked AS (
    SELECT
        arm, n, quantile, n_units, n_effective,
        CASE WHEN n * (center - half) >= 0.5e0 THEN n * (center - half) + 0.5e0 END AS lower_rank,
        CASE WHEN n * (center + half) <= n - 0.5e0 THEN n * (center + half) + 0.5e0 END AS upper_rank
    FROM bounded
)
SELECT
    ranked.arm, ranked.n, ranked.n_units, ranked.n_effective, ranked.quantile,
    max(CASE WHEN placed.place = floor(ranked.lower_rank) THEN placed.value END)
        + max(ranked.lower_rank - floor(ranked.lower_rank))
        * (max(CASE WHEN placed.place = ceil(ranked.lower_rank) THEN placed.value END)
            - max(CASE WHEN placed.place = floor(ranked.lower_rank) THEN placed.value END)) AS lower,
    max(CASE WHEN placed.place = floor(ranked.upper_rank) THEN placed.value END)
        + max(ranked.upper_rank - floor(ranked.upper_rank))
        * (max(CASE WHEN placed.place = ceil(ranked.upper_rank) THEN placed.value END)
            - max(CASE WHEN placed.place = floor(ranked.upper_rank) THEN placed.value END)) AS upper
FROM ranked
JOIN placed ON placed.arm = ranked.arm
GROUP BY ranked.arm, ranked.n, ranked.n_units, ranked.n_effective, ranked.quantile;
