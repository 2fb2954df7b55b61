-- name:     experiment_summary
-- title:    A/B test: every metric of each treated variant against the control
-- inputs:   comparisons (test, metric, arm, name, is_lower, denominator, statistic, n_control, known_control, n, known,
--           control_value, value, delta, delta_lower, delta_upper, relative_change, relative_lower, relative_upper, p,
--           variance_reduction), adjusted_p (test, p_adjusted), planned (arm, observed, expected),
--           sample_ratio (p, mismatch), repeated_units (place, is_withheld, why, problem)
-- params:   control VARCHAR,
--           adjust VARCHAR DEFAULT 'holm',
--           alpha DOUBLE DEFAULT 0.05 CHECK (alpha > 0 AND alpha < 1)
-- values:   control: as in bad_experiment
--           alpha: a verdict needs an adjusted p below it
-- grain:    place, arm
-- formula:  numerator/denominator by ratio_delta, a metric with a column in pre by cuped, a column of 0 and 1 by
--           two_proportion_z, any other by welch_t; p is adjusted over all metrics and treated variants
-- source:   Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments, 2020, doi:10.1017/9781108653985;
--           Fabijan et al., KDD 2019, doi:10.1145/3292500.3330722
-- note:     the first row is the check of the sample ratio, with the units and the planned shares in the column reason;
--           on a MISMATCH, do not trust any difference. Rows of the metric units follow if a column of units, such as
--           user_id, shows that the rows are not units. Intervals are not adjusted. Units without a value are left out
--           and counted. Write a name with a comma, slash or equals sign within double quotes
WITH totals AS (
    SELECT
        coalesce(sum(observed) FILTER (WHERE arm = $control), 0) AS n_control,
        coalesce(sum(observed) FILTER (WHERE arm <> $control), 0) AS n,
        array_to_string(list(arm ORDER BY arm ASC) FILTER (WHERE arm <> $control), ', ') AS names,
        array_to_string(list(
            arm || ' ' || format('{:,}', observed) ORDER BY arm <> $control ASC, observed = 0 ASC, arm ASC
        ), ', ') AS counts,
        CASE
            WHEN max(expected) = min(expected) THEN 'equal shares planned'
            WHEN count(*) > 5 THEN 'shares as given'
            ELSE 'planned ' || array_to_string(list(
                arm || ' ' || format('{:.4g}', expected / nullif(total, 0))
                ORDER BY arm <> $control ASC, observed = 0 ASC, arm ASC
            ), ', ')
        END AS shares
    FROM (SELECT arm, observed, expected, sum(expected) OVER () AS total FROM planned)
),
doubt AS (
    SELECT arg_min(why, place) FILTER (WHERE is_withheld) AS why
    FROM repeated_units
),
judged AS (
    SELECT
        comparisons.*,
        doubt.why,
        CASE WHEN $adjust = 'none' THEN comparisons.p ELSE adjusted_p.p_adjusted END AS p_adjusted
    FROM comparisons
    CROSS JOIN doubt
    LEFT JOIN adjusted_p ON adjusted_p.test = comparisons.test
)
SELECT
    metric AS place, arm, name AS metric, arm AS variant, $control AS control,
    control_value, value, delta, delta_lower, delta_upper, relative_change, relative_lower, relative_upper,
    p, p_adjusted,
    verdict(
        FALSE, TRUE, CASE WHEN why IS NULL THEN p_adjusted END, $alpha, delta,
        CASE WHEN is_lower THEN -delta ELSE delta END, NULL, NULL
    ) AS verdict,
    statistic, $adjust AS adjust,
    known_control AS n_control, known AS n,
    n_control - known_control AS left_out_control, n - known AS left_out,
    variance_reduction,
    experiment_reason(p, why, $control, arm, known_control, known, denominator, NULL, NULL, NULL) AS reason
FROM judged
UNION ALL
SELECT
    0 AS place, '' AS arm, 'sample ratio' AS metric, totals.names AS variant, $control AS control,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    sample_ratio.p, NULL,
    CASE WHEN sample_ratio.mismatch THEN 'MISMATCH' ELSE 'no mismatch' END,
    'sample_ratio', NULL,
    CAST(totals.n_control AS BIGINT), CAST(totals.n AS BIGINT), 0, 0,
    NULL,
    CASE WHEN sample_ratio.mismatch THEN 'MISMATCH: ' ELSE '' END || totals.counts || '; ' || totals.shares
        || CASE
            WHEN sample_ratio.mismatch THEN '; do not trust any difference below, find out where the units went'
            ELSE ''
        END
FROM totals
CROSS JOIN sample_ratio
UNION ALL
SELECT
    0 AS place, CAST(repeated_units.place AS VARCHAR) AS arm, 'units' AS metric, totals.names AS variant,
    $control AS control,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL,
    CASE WHEN repeated_units.is_withheld THEN 'NOT UNITS' ELSE 'check units' END,
    'repeated_units', NULL,
    CAST(totals.n_control AS BIGINT), CAST(totals.n AS BIGINT), 0, 0,
    NULL,
    repeated_units.problem
FROM repeated_units
CROSS JOIN totals;
