-- name:     unit_moments
-- title:    Mean and standard error of the values of units, with the critical value of their interval
-- inputs:   units (system, metric, query_id, value, n_effective, hits, scale, low, high)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1), clustered BOOLEAN DEFAULT FALSE
-- grain:    system, metric
-- formula:  se = sd / sqrt(n); Student's t with df = n - 1, for clusters n_effective - 1; the normal distribution for
--           proportions of independent units; on the scales logit and log, df is at most 2 n / (kurtosis - 1), the
--           degrees of freedom of a variance that is estimated from values with long tails
-- source:   Student, Biometrika 1908, doi:10.1093/biomet/6.1.1; effective number: Kish, Survey Sampling, 1965;
--           variance of a variance: Cramer, Mathematical Methods of Statistics, 1946
WITH freedom AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        system, metric, n, n_effective, mean, sd, scale, low, high, is_proportion,
        -- Other scales have no excess kurtosis, and least() ignores NULL.
        least(
            CASE WHEN $clustered THEN n_effective ELSE n END - 1,
            CASE WHEN excess > -2 THEN greatest(1e0, 2e0 * n / (excess + 2e0)) END
        ) AS df
    FROM unit_sums
)
SELECT
    system, metric, n, n_effective, mean, scale, low, high, is_proportion,
    sd / nullif(sqrt(n), 0) AS se,
    -- Equal values may differ by rounding, like sums in another order.
    sd / nullif(sqrt(n), 0) > 1e-12 * abs(mean) AS varies,
    CASE
        WHEN n < 2 OR n_effective < 2 THEN NULL
        WHEN is_proportion AND NOT $clustered THEN normal_quantile(0.5e0 + 0.5e0 * $level)
        ELSE student_t_critical(1 - $level, df)
    END AS critical
FROM freedom;
