-- name:     exchange_families
-- title:    Comparisons with the baseline whose units a test exchanges, with their sums and the number of draws
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), exact BOOLEAN DEFAULT NULL
-- values:   resamples: as in statistics/unpaired_randomization
--           exact: as in statistics/unpaired_randomization
-- portable: no, tests are computed in DuckDB
-- grain:    system, metric
-- formula:  the number of choices of the units of the baseline is units! / (n_base! (units - n_base)!)
-- note:     exact says whether all choices are tried. total and square are the sums of the values and of their
--           squares, base_total and base_square those of the baseline
WITH sizes AS (
    SELECT
        system, metric,
        count(*) AS units,
        count(*) FILTER (WHERE is_base) AS n_base,
        sum(value) AS total,
        sum(value * value) AS square,
        sum(value) FILTER (WHERE is_base) AS base_total,
        sum(value * value) FILTER (WHERE is_base) AS base_square
    FROM exchanged_units
    GROUP BY system, metric
    HAVING count(*) FILTER (WHERE is_base) > 0
)
SELECT
    system, metric, units, n_base, total, square, base_total, base_square,
    units <= 20 AND coalesce($exact, TRUE) AND (coalesce($exact, FALSE) OR
        round(exp(lgamma(units + 1) - lgamma(n_base + 1) - lgamma(units - n_base + 1))) <= $resamples) AS exact,
    -- The work grows with the units of all comparisons.
    least($resamples, greatest(1000, 40000000 // CAST(sum(units) OVER () AS BIGINT))) AS draws
FROM sizes;
