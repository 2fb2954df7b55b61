-- name:     ratio_arms
-- title:    Ratio of every arm, its variance, and its effective number of units
-- inputs:   ratios (arm, numerator, denominator)
-- switches: variance VARCHAR DEFAULT 'jackknife' CHECK (variance IN ('jackknife', 'delta'))
-- values:   variance=jackknife: each unit is left out in turn; Student's t distribution
--           variance=delta: a linear approximation of the ratio; normal distribution
-- portable: no, variances of the arms of a test are computed in DuckDB
-- grain:    arm
-- formula:  ratio = sum of numerators / sum of denominators; error is its variance; relative_error is
--           error / ratio^2 of a positive ratio; effective = (sum of denominators)^2 / sum of denominators^2
WITH known AS (
    SELECT arm, CAST(numerator AS DOUBLE) AS numerator, CAST(denominator AS DOUBLE) AS denominator
    FROM ratios
    WHERE numerator IS NOT NULL AND denominator IS NOT NULL
),
sums AS (
    SELECT
        arm, count(*) AS n, sum(numerator) AS numerator, nullif(sum(denominator), 0) AS denominator,
        sum(denominator) * sum(denominator) / nullif(sum(denominator * denominator), 0) AS effective
    FROM known
    GROUP BY arm
),
influences AS (
    SELECT
        sums.arm, sums.n, sums.effective,
        sums.numerator / nullif(sums.denominator, 0) AS ratio,
        CASE $variance
            -- The change of the ratio without the unit, in a form that loses few digits to rounding.
            WHEN 'jackknife' THEN (known.numerator - sums.numerator / nullif(sums.denominator, 0) * known.denominator)
                / nullif(sums.denominator - known.denominator, 0)
            WHEN 'delta' THEN (known.numerator - sums.numerator / nullif(sums.denominator, 0) * known.denominator)
                * sums.n / nullif(sums.denominator, 0)
        END AS influence
    FROM known
    JOIN sums ON sums.arm = known.arm
),
errors AS (
    SELECT
        arm, ratio, n, effective,
        CASE WHEN count(*) > 1 AND count(influence) = count(*) THEN CASE $variance
            WHEN 'jackknife' THEN variance(influence) * (n - 1) * (n - 1) / nullif(n, 0)
            WHEN 'delta' THEN variance(influence) / nullif(n, 0)
        END END AS error
    FROM influences
    GROUP BY arm, ratio, n, effective
)
SELECT
    arm, ratio, n, effective, error,
    CASE WHEN ratio > 0 THEN error / nullif(ratio * ratio, 0) END AS relative_error
FROM errors;
