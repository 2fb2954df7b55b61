-- name:     compared
-- title:    Every system, slice and metric next to the baseline
-- inputs:   numbers (segment, slice_number, slice, system, metric, signature, better, target, value, reason, n,
--           n_undefined), mean_intervals (system, metric, lower, upper, n, why),
--           paired_tests (system, metric, n, delta, delta_lower, delta_upper, relative_change, relative_lower,
--           relative_upper, effect_size, wins, ties, losses, statistic, df, se, n_effective, p),
--           adjusted (test, p_adjusted)
-- params:   baseline VARCHAR,
--           alpha DOUBLE DEFAULT 0.05,
--           power DOUBLE DEFAULT 0.8,
--           level DOUBLE DEFAULT 0.95,
--           adjust VARCHAR DEFAULT 'holm',
--           allow_different BOOLEAN DEFAULT FALSE,
--           cluster VARCHAR DEFAULT NULL,
--           test VARCHAR DEFAULT 'paired_t'
-- grain:    system, segment
-- note:     the p-values of a slicing are adjusted together; a segment is a metric in a slice. cluster is the column of
--           the units of rows, NULL if the units are queries. A value is nearer to a target than the baseline only if
--           both intervals together, widened for the number of tests, show on which side their middle is
WITH families AS (
    SELECT numbers.slice_number, count(paired_tests.p) AS n_tests
    FROM numbers
    JOIN paired_tests ON paired_tests.system = numbers.system AND paired_tests.metric = numbers.segment
    GROUP BY numbers.slice_number
),
placed AS (
    SELECT
        numbers.*,
        base.value AS baseline_value,
        base.reason AS baseline_reason,
        coalesce(families.n_tests, 0) AS n_tests,
        CASE $adjust
            WHEN 'none' THEN 1e0
            WHEN 'benjamini_yekutieli'
                THEN list_sum(list_transform(range(1, coalesce(families.n_tests, 0) + 1),
                    lambda i: families.n_tests / CAST(i AS DOUBLE)))
            ELSE CAST(families.n_tests AS DOUBLE)
        END AS times
    FROM numbers
    JOIN numbers AS base ON base.segment = numbers.segment AND base.system = $baseline
    LEFT JOIN families ON families.slice_number = numbers.slice_number
),
joined AS (
    SELECT
        placed.* REPLACE (coalesce(
            placed.reason,
            CASE
                WHEN placed.value IS NULL OR coalesce(isfinite(mean_intervals.lower) AND isfinite(mean_intervals.upper),
                    FALSE) THEN NULL
                ELSE 'no interval: ' || coalesce(mean_intervals.why, 'it varies too much')
            END
        ) AS reason),
        CASE WHEN isfinite(mean_intervals.lower) AND isfinite(mean_intervals.upper) AND isfinite(placed.value)
            THEN mean_intervals.lower END AS lower,
        CASE WHEN isfinite(mean_intervals.lower) AND isfinite(mean_intervals.upper) AND isfinite(placed.value)
            THEN mean_intervals.upper END AS upper,
        mean_intervals.n AS n_own, base_intervals.n AS n_baseline,
        paired_tests.n AS n_units, paired_tests.delta, paired_tests.delta_lower, paired_tests.delta_upper,
        paired_tests.relative_change, paired_tests.relative_lower, paired_tests.relative_upper,
        CASE WHEN paired_tests.p IS NOT NULL THEN greatest(paired_tests.p, 1e-300) END AS p,
        CASE
            WHEN paired_tests.p IS NULL THEN NULL
            WHEN $adjust = 'none' THEN greatest(paired_tests.p, 1e-300)
            ELSE greatest(adjusted.p_adjusted, 1e-300)
        END AS p_adjusted,
        paired_tests.effect_size, paired_tests.wins, paired_tests.ties, paired_tests.losses,
        paired_tests.statistic, paired_tests.df,
        paired_tests.se,
        paired_tests.n_effective,
        improvement(
            placed.better, placed.target, placed.value, placed.baseline_value, paired_tests.delta,
            mean_intervals.lower, mean_intervals.upper, base_intervals.lower, base_intervals.upper,
            $level, $alpha, CASE WHEN $adjust = 'none' THEN 1 ELSE greatest(placed.n_tests, 1) END
        ) AS improvement
    FROM placed
    LEFT JOIN mean_intervals ON mean_intervals.system = placed.system AND mean_intervals.metric = placed.segment
    LEFT JOIN mean_intervals AS base_intervals
        ON base_intervals.system = $baseline AND base_intervals.metric = placed.segment
    LEFT JOIN paired_tests ON paired_tests.system = placed.system AND paired_tests.metric = placed.segment
    LEFT JOIN adjusted ON adjusted.test = {'system': placed.system, 'metric': placed.segment}
)
SELECT
    segment, slice_number, slice, system, metric, value, lower, upper,
    $baseline AS baseline,
    delta,
    delta_lower, delta_upper, relative_change, relative_lower, relative_upper, p, p_adjusted,
    verdict(system = $baseline, TRUE, p_adjusted, $alpha, delta, improvement, wins, losses) AS verdict,
    n, n_undefined, n_units, effect_size,
    student_t_mde(nullif(se, 0), CAST(nullif(df, 0) AS DOUBLE), $alpha / nullif(times, 0), $power) AS mde,
    CASE WHEN better = 'lower' THEN losses ELSE wins END AS wins,
    ties,
    CASE WHEN better = 'lower' THEN wins ELSE losses END AS losses,
    statistic, CAST(df AS DOUBLE) AS df,
    $test AS test, $adjust AS adjust, n_tests, CAST($alpha AS DOUBLE) AS alpha,
    CAST($level AS DOUBLE) AS interval_level,
    CASE
        WHEN system = $baseline THEN reason
        ELSE verdict_reason(
            p, reason, se = 0 AND delta <> 0, relative_change, value, TRUE, baseline_value, baseline_reason, NULL,
            coalesce('clusters of ' || $cluster, 'queries'), n_units, n_effective,
            n_units > 1 AND $cluster IS NOT NULL
        )
    END AS reason,
    better, target, signature
FROM joined
-- A condition, because DuckDB does not compute a column that nobody reads.
WHERE
    CASE
        WHEN NOT $allow_different AND value IS NOT NULL AND baseline_value IS NOT NULL
            AND n_own > 0 AND n_baseline > 0 AND system <> $baseline
            AND n_own + n_baseline <> 2 * coalesce(n_units, 0)
            THEN error(
                'duckmetrics: ' || metric || ': ' || system || ' and ' || $baseline
                || ' have values of different queries: '
                || CAST(n_own + n_baseline - 2 * coalesce(n_units, 0) AS VARCHAR)
                || ' queries have a value on one side only; allow_different := true compares those that both have'
            )
        ELSE TRUE
    END;
