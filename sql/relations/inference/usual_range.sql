-- name:     usual_range
-- title:    Each run of a log next to the one before it, and to the range of those before
-- inputs:   runs (run_time, run_id, release, tags, system, metric, slice, segment, value, lower, upper, level, n,
--           better, target, signature)
-- params:   runs INT DEFAULT 30 CHECK (runs >= 2), sds DOUBLE DEFAULT 3 CHECK (sds > 0), least INT DEFAULT 5
-- grain:    run_id, system, metric, slice, segment
-- formula:  mean of the last runs before -+ sds * their standard deviation
-- source:   Montgomery, Introduction to Statistical Quality Control, 8th ed., 2020, ch. 6
-- portable: no, the log of runs is read by DuckDB
-- note:     only runs of the same conventions count, whatever the release; with fewer than least of them, there is
--           no range
WITH numbered AS (
    SELECT
        run_time, run_id, release, tags, system, metric, slice, segment, value, lower, upper, level, n, better,
        target, signature,
        dense_rank() OVER (ORDER BY run_time, run_id) AS run_number,
        regexp_replace(signature, '\|v:[^|]*$', '') AS conventions
    FROM runs
), compared AS (
    SELECT
        run_time, run_id, release, tags, system, metric, slice, segment, value, lower, upper, level, n, better,
        target, signature, run_number,
        lag(value) OVER (
            PARTITION BY system, metric, slice, segment, conventions ORDER BY run_number
        ) AS previous_value,
        count(value) OVER before AS n_before,
        avg(value) OVER before AS mean_before,
        stddev_samp(value) OVER before AS sd_before
    FROM numbered
    WINDOW before AS (
        PARTITION BY system, metric, slice, segment, conventions ORDER BY run_number
        ROWS BETWEEN $runs PRECEDING AND 1 PRECEDING
    )
)
SELECT
    run_time, run_id, release, tags, system, metric, slice, segment, value, lower, upper, level, n, better, target,
    signature, run_number, previous_value,
    value - previous_value AS change,
    CASE WHEN n_before >= $least THEN mean_before - $sds * sd_before END AS usual_lower,
    CASE WHEN n_before >= $least THEN mean_before + $sds * sd_before END AS usual_upper,
    -- Equal values may differ by the rounding error of their mean.
    CASE
        WHEN n_before < $least OR value IS NULL THEN NULL
        WHEN value < mean_before - $sds * sd_before - 1e-12 * abs(mean_before) THEN 'below'
        WHEN value > mean_before + $sds * sd_before + 1e-12 * abs(mean_before) THEN 'above'
        ELSE 'within'
    END AS usual
FROM compared;
