-- name:     margin_families
-- title:    Comparisons with the baseline whose differences get random signs in tests of a margin
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), exact BOOLEAN DEFAULT NULL
-- values:   resamples: as in statistics/randomization_test
--           exact: as in statistics/randomization_test
-- grain:    system, metric
-- note:     exact says whether all choices of signs are tried
SELECT
    system, metric, count(*) AS n,
    avg(baseline_value) AS baseline_mean, avg(value) AS mean, avg(difference) AS delta,
    max(rounding) AS rounding,
    count(*) <= 20 AND coalesce($exact, TRUE) AND (
        coalesce($exact, FALSE) OR power(2e0, least(count(*), 20)) <= $resamples) AS exact
FROM differences
GROUP BY system, metric;
