-- name:     unit_intervals
-- title:    Intervals of metrics from the values of their units, such as queries or users
-- inputs:   units (system, metric, query_id, value, n_effective, hits, scale, low, high)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1), clustered BOOLEAN DEFAULT FALSE
-- grain:    system, metric
-- formula:  mean -+ t * sd / sqrt(n), t with df = n - 1, for clusters n_effective - 1; logit: the same for ln(x / (1
--           - x)), with fewer degrees of freedom if values have long tails; proportions: Wilson's interval for the
--           number of trials that gives this standard error
-- source:   Wilson, Journal of the American Statistical Association 1927, doi:10.1080/01621459.1927.10502953
-- note:     scale is mean; hits, a mean of values that may all be 0 or 1; proportion; logit, for a value between low
--           and high; or log, for exp(mean). If there are no bounds, why gives the reason
WITH transformed AS (
    SELECT
        system, metric, n, n_effective, mean, se, varies, critical, scale, low, high, is_proportion,
        least(greatest(mean, 0e0), 1e0) AS share,
        -- The number of trials that gives a proportion this standard error.
        CASE
            WHEN scale = 'hits' AND NOT $clustered THEN CAST(n AS DOUBLE)
            WHEN varies AND mean > 0 AND mean < 1 THEN mean * (1 - mean) / (se * se)
                -- Wilson's interval is of n trials; the variance of independent units is divided by n - 1.
                * CASE WHEN $clustered THEN 1e0 ELSE n / (n - 1e0) END
            ELSE n_effective
        END AS trials,
        -- The logit of the position between low and high, and half the width of its interval.
        CASE WHEN scale = 'logit' AND varies AND mean > low AND mean < high
            THEN ln((mean - low) / nullif(high - mean, 0)) END AS logit,
        CASE WHEN scale = 'logit' AND varies AND mean > low AND mean < high
            THEN critical * se * (high - low) / ((mean - low) * (high - mean)) END AS logit_half
    FROM unit_moments
),
bounded AS (
    SELECT
        system, metric, n, n_effective, mean, se, varies, critical, scale, is_proportion, logit,
        (share + critical * critical / (2 * trials)) / (1 + critical * critical / trials) AS center,
        critical * sqrt(share * (1 - share) / trials + critical * critical / (4 * trials * trials))
            / (1 + critical * critical / trials) AS half,
        -- exp() overflows above this bound; least() would replace a NULL by it.
        low + (high - low) / (1 + exp(CASE WHEN logit_half - logit > 7e2 THEN 7e2 ELSE logit_half - logit END))
            AS logit_lower,
        low + (high - low) / (1 + exp(-logit - logit_half)) AS logit_upper
    FROM transformed
)
SELECT
    system,
    metric,
    n,
    n_effective,
    mean,
    se,
    CASE
        WHEN is_proportion THEN CASE WHEN mean <= 0 THEN 0e0 * half ELSE center - half END
        WHEN scale = 'logit' THEN logit_lower
        WHEN scale = 'log' AND varies THEN exp(mean - critical * se)
        WHEN varies THEN mean - critical * se
    END AS lower,
    CASE
        WHEN is_proportion THEN CASE WHEN mean >= 1 THEN 1e0 + 0e0 * half ELSE center + half END
        WHEN scale = 'logit' THEN logit_upper
        WHEN scale = 'log' AND varies THEN exp(mean + critical * se)
        WHEN varies THEN mean + critical * se
    END AS upper,
    varies,
    CASE
        WHEN n < 2 THEN 'there is one unit only'
        WHEN n_effective < 2 THEN 'its units are worth fewer than two of equal weight'
        WHEN mean IS NULL THEN 'without one of its units it has no value'
        WHEN is_proportion THEN NULL
        WHEN varies IS NOT TRUE THEN 'no unit differs from the others, so their spread is unknown'
        WHEN scale = 'logit' AND logit IS NULL THEN 'the value is at the end of its range'
    END AS why
FROM bounded;
