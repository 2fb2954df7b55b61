-- name:     compared_rows
-- title:    Tests of metrics of rows over clusters, with the difference of the values where there is no test
-- inputs:   numbers (segment, system, value), tested (system, metric, n, delta, relative_change, effect_size,
--           d_av, statistic, se), resized (system, metric, n_effective, df, delta_lower, delta_upper, relative_lower,
--           relative_upper, p), speaking (system, metric, n), strangers (system, number)
-- params:   baseline VARCHAR,
--           cluster VARCHAR
-- grain:    system, metric
-- note:     speaking has the number of units that a metric depends on: if all differences are equal, p is that of the
--           sign test over these. Differences that are rounding count as 0. strangers has the number of clusters with
--           other rows, labels, weights or groups than in the baseline
WITH joined AS (
    SELECT
        numbers.system, numbers.segment, numbers.value, base.value AS baseline_value, resized.n_effective,
        tested.n, tested.delta, tested.relative_change, tested.effect_size, tested.statistic, tested.se,
        resized.df, resized.delta_lower, resized.delta_upper, resized.relative_lower, resized.relative_upper, resized.p,
        coalesce(
            abs(tested.delta) <= greatest(1e-12 * abs(numbers.value), 1e-14) OR abs(tested.d_av) <= 1e-12, FALSE
        ) AS is_rounding,
        coalesce(least(own.n, other.n), tested.n) AS speakers
    FROM numbers
    JOIN numbers AS base ON base.segment = numbers.segment AND base.system = $baseline
    LEFT JOIN tested ON tested.system = numbers.system AND tested.metric = numbers.segment
    LEFT JOIN resized ON resized.system = numbers.system AND resized.metric = numbers.segment
    LEFT JOIN speaking AS own ON own.system = numbers.system AND own.metric = numbers.segment
    LEFT JOIN speaking AS other ON other.system = $baseline AND other.metric = numbers.segment
),
raised AS (
    SELECT
        joined.* REPLACE (CASE
            WHEN joined.p IS NULL OR joined.se <> 0 OR joined.delta = 0 OR joined.is_rounding THEN joined.p
            WHEN joined.speakers >= 2 THEN greatest(joined.p, power(2e0, greatest(1 - joined.speakers, -1000)))
        END AS p),
        joined.is_rounding AND joined.p IS NOT NULL AS is_zero
    FROM joined
)
SELECT
    raised.system,
    raised.segment AS metric,
    raised.n,
    raised.n_effective,
    CASE
        WHEN strangers.number > 0
            THEN error(
                'duckmetrics: ' || raised.system || ' and ' || $baseline || ' have values of different rows: '
                || CAST(strangers.number AS VARCHAR) || ' clusters of ' || $cluster
                || ' have other rows, labels, weights or groups; evaluate the same rows'
            )
        WHEN raised.is_zero THEN 0e0
        ELSE coalesce(raised.delta, raised.value - raised.baseline_value)
    END AS delta,
    CASE WHEN raised.is_zero AND coalesce(abs(raised.delta_lower), 0) <= 1e-14 THEN 0e0 ELSE raised.delta_lower END
        AS delta_lower,
    CASE WHEN raised.is_zero AND coalesce(abs(raised.delta_upper), 0) <= 1e-14 THEN 0e0 ELSE raised.delta_upper END
        AS delta_upper,
    -- A baseline of 0 has no relative change.
    CASE WHEN raised.is_zero AND raised.relative_change IS NOT NULL THEN 0e0 ELSE raised.relative_change END
        AS relative_change,
    CASE
        WHEN raised.relative_change IS NULL THEN NULL
        WHEN raised.is_zero AND coalesce(abs(raised.relative_lower), 0) <= 1e-14 THEN 0e0
        ELSE raised.relative_lower
    END AS relative_lower,
    CASE
        WHEN raised.relative_change IS NULL THEN NULL
        WHEN raised.is_zero AND coalesce(abs(raised.relative_upper), 0) <= 1e-14 THEN 0e0
        ELSE raised.relative_upper
    END AS relative_upper,
    CASE WHEN NOT raised.is_zero THEN raised.effect_size END AS effect_size,
    CAST(NULL AS BIGINT) AS wins,
    CAST(NULL AS BIGINT) AS ties,
    CAST(NULL AS BIGINT) AS losses,
    CASE WHEN NOT raised.is_zero THEN raised.statistic END AS statistic,
    raised.df,
    raised.se,
    CASE WHEN raised.is_zero THEN 1e0 ELSE raised.p END AS p
FROM raised
LEFT JOIN strangers ON strangers.system = raised.system;
