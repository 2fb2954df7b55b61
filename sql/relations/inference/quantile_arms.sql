-- name:     quantile_arms
-- title:    Quantile of every arm with its interval, over rows that units share
-- inputs:   arm_values (arm, value, cluster_id)
-- switches: q DOUBLE DEFAULT 0.5 CHECK (q > 0 AND q < 1),
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   q: as in quantile_units
--           level: as in statistics/mean_interval
-- portable: no, intervals are for DuckDB only
-- grain:    arm
-- formula:  lower and upper at n * s + 1/2 of the sorted values, counted from 1, s the ends of Wilson's score interval
--           of q with n_effective trials, between the values in a straight line
-- source:   Woodruff, Journal of the American Statistical Association 1952, doi:10.1080/01621459.1952.10483443; Wilson,
--           Journal of the American Statistical Association 1927, doi:10.1080/01621459.1927.10502953
-- note:     the critical value is normal if each unit has one value, else Student's t with n_units - 1. A bound beyond
--           the smallest or the largest value is NULL
WITH sized AS (
    SELECT
        arm, n, quantile, n_units, n_effective,
        CASE WHEN units = n THEN normal_quantile(0.5e0 + 0.5e0 * $level)
            ELSE student_t_critical(1 - $level, n_units - 1) END AS critical
    FROM quantile_estimates
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
JOIN placed_values AS placed ON placed.arm = ranked.arm
GROUP BY ranked.arm, ranked.n, ranked.n_units, ranked.n_effective, ranked.quantile;
