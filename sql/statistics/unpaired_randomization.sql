-- name:     unpaired_randomization
-- title:    Randomization test of systems with other units than the baseline
-- meaning:  The test exchanges units between the system and the baseline at random. It shows how often the t statistic
--           of Welch is then at least as far from 0 as the observed one.
-- use:      to compare systems that have no queries or users in common, if one of them has few or skewed values
-- beware:   the test gives no interval; with 3 units on each side, an exact p cannot be below 0.1
-- reading:  p < 0.05: the difference from the baseline is larger than chance explains
--           p = 1: every random exchange gives a difference at least as large as the observed one
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42,
--           exact BOOLEAN DEFAULT NULL
-- values:   baseline: as in relations/inference/differences
--           resamples: the number of random exchanges; fewer for over 4,000 units in all
--           seed: as in relations/inference/replicates
--           exact: whether all exchanges are tried; by default if resamples allows
-- grain:    one row per system and metric: system, metric, n_baseline, n, delta, statistic, p, resamples, exact
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = delta / sqrt(var / n + var_b / n_b); p = (1 + k) / (1 + resamples), k the number of random
--           exchanges whose statistic is at least as far from 0; exact: p is the share of all choices of n_b units for
--           the baseline
-- tex:      p = \frac{1 + k}{1 + B} \qquad
--           k = \sum_{b=1}^{B} \mathbb{1}\left[\left|t_b\right| \ge \left|t\right|\right]
-- symbols:  t: the statistic of Welch
--           t_b: the statistic after the random exchange b
--           B: the number of random exchanges
-- source:   Janssen, Statistics and Probability Letters 1997, doi:10.1016/S0167-7152(97)00043-6; Neubert and Brunner,
--           Computational Statistics and Data Analysis 2007, doi:10.1016/j.csda.2006.05.024; Phipson and Smyth, 2010,
--           doi:10.2202/1544-6115.1585
-- oracle:   scipy.stats.permutation_test(permutation_type='independent') with the statistic of Welch
-- example:  unpaired_randomization(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 2), ('B', 'm', 3, 3), ('B', 'm', 4, 5);
--           baseline := 'A') = 'B', 'm', 2, 2, 3, 2.1213203435596424, 0.3333333333333333, 6, TRUE
-- related:  unpaired_t, randomization_test, mann_whitney
-- note:     more than 4,000 units take 40,000,000 / units exchanges at most, but at least 1,000. If both systems have
--           the same distribution of values, at most a share of p of all comparisons has a p as small, for any number
--           of units. If only the means are equal, this holds for many units, as for unpaired_t. By default, all
--           choices are tried if there are at most 20 units, and at most resamples choices; exact=true tries all of
--           them up to 20 units, and exact=false never does. The choices come from a hash of query_id: the same ids and
--           seed give the same p. If all values of each side are equal, statistic is NULL. With one unit on a side, p
--           is NULL
WITH known AS (
    SELECT system, metric, query_id, value
    FROM per_query
    WHERE value IS NOT NULL
),
placed AS (
    -- All values of a comparison, with their place.
    SELECT
        pairs.system, pairs.metric, known.query_id,
        known.system = $baseline AS is_base,
        -- Sums of values near 0 lose fewer digits.
        known.value - avg(known.value) OVER whole AS value,
        row_number() OVER (
            PARTITION BY pairs.system, pairs.metric ORDER BY known.system <> $baseline, known.query_id) - 1 AS place
    FROM (SELECT DISTINCT system, metric FROM known WHERE system <> $baseline) AS pairs
    JOIN known ON known.metric = pairs.metric AND known.system IN (pairs.system, $baseline)
    -- A fixed order gives sums the same last digit for any source of the rows.
    WINDOW whole AS (
        PARTITION BY pairs.system, pairs.metric ORDER BY known.system, known.query_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
),
sizes AS (
    SELECT
        system, metric,
        count(*) AS units,
        count(*) FILTER (WHERE is_base) AS n_base,
        sum(value) AS total,
        sum(value * value) AS square,
        sum(value) FILTER (WHERE is_base) AS base_total,
        sum(value * value) FILTER (WHERE is_base) AS base_square
    FROM placed
    GROUP BY system, metric
    HAVING count(*) FILTER (WHERE is_base) > 0
),
families AS (
    SELECT
        sizes.*,
        units <= 20 AND coalesce($exact, TRUE) AND (coalesce($exact, FALSE) OR
            round(exp(lgamma(units + 1) - lgamma(n_base + 1) - lgamma(units - n_base + 1))) <= $resamples) AS exact,
        -- The work grows with the units of all comparisons.
        least($resamples, greatest(1000, 40000000 // CAST(sum(units) OVER () AS BIGINT))) AS draws
    FROM sizes
),
masks AS (
    SELECT system, metric, mask
    FROM (
        SELECT system, metric, n_base, unnest(range(CAST(power(2e0, least(units, 20)) AS BIGINT))) AS mask
        FROM families
        WHERE exact
    ) AS every
    WHERE bit_count(mask) = n_base
),
draws AS (
    -- The draw -1 is the observed one.
    SELECT system, metric, -1 AS draw, base_total AS total, base_square AS square FROM families
    UNION ALL
    SELECT masks.system, masks.metric, masks.mask AS draw,
        sum(placed.value) AS total, sum(placed.value * placed.value) AS square
    FROM masks
    JOIN placed ON placed.system = masks.system AND placed.metric = masks.metric
        AND (masks.mask >> placed.place) & 1 = 1
    GROUP BY masks.system, masks.metric, masks.mask
    UNION ALL
    SELECT system, metric, draw,
        list_sum(chosen) AS total, list_sum(list_transform(chosen, lambda v: v * v)) AS square
    FROM (
        -- The units with the smallest hashes are those of the baseline.
        SELECT placed.system, placed.metric, drawn.draw,
            arg_min(placed.value, hash(hash(placed.query_id, placed.is_base, drawn.draw, $seed)), families.n_base)
                AS chosen
        FROM placed
        JOIN families ON families.system = placed.system AND families.metric = placed.metric
        CROSS JOIN range(0, $resamples) AS drawn(draw)
        WHERE NOT families.exact AND drawn.draw < families.draws
        GROUP BY placed.system, placed.metric, drawn.draw
    ) AS chosen_units
),
moments AS (
    SELECT
        draws.system, draws.metric, draws.draw,
        (families.total - draws.total) / nullif(families.units - families.n_base, 0)
            - draws.total / nullif(families.n_base, 0) AS delta,
        draws.square - draws.total * draws.total / nullif(families.n_base, 0) AS base_spread,
        families.square - draws.square - (families.total - draws.total) * (families.total - draws.total)
            / nullif(families.units - families.n_base, 0) AS spread,
        1e-13 * families.square AS rounding,
        families.n_base, families.units - families.n_base AS n, families.exact
    FROM draws
    JOIN families ON families.system = draws.system AND families.metric = draws.metric
),
errors AS (
    SELECT
        system, metric, draw, delta, n_base, n, exact,
        CASE WHEN base_spread > rounding THEN base_spread / nullif((n_base - 1e0) * n_base, 0) ELSE 0e0 END
            + CASE WHEN spread > rounding THEN spread / nullif((n - 1e0) * n, 0) ELSE 0e0 END AS error
    FROM moments
),
tallies AS (
    SELECT
        errors.system, errors.metric,
        count(*) AS resamples,
        count(*) FILTER (WHERE CASE
            WHEN seen.error > 0
                THEN errors.delta * errors.delta * seen.error
                    >= seen.delta * seen.delta * errors.error * (1 - 1e-9)
            ELSE errors.error = 0 AND abs(errors.delta) >= abs(seen.delta) * (1 - 1e-9)
        END) AS far
    FROM errors
    JOIN errors AS seen ON seen.system = errors.system AND seen.metric = errors.metric AND seen.draw = -1
    WHERE errors.draw >= 0
    GROUP BY errors.system, errors.metric
)
SELECT
    seen.system, seen.metric, seen.n_base AS n_baseline, seen.n, seen.delta,
    CASE WHEN least(seen.n_base, seen.n) > 1 THEN seen.delta / nullif(sqrt(seen.error), 0) END AS statistic,
    CASE
        WHEN least(seen.n_base, seen.n) < 2 THEN NULL
        WHEN seen.exact THEN tallies.far / nullif(tallies.resamples, 0)
        ELSE (1 + tallies.far) / nullif(1 + tallies.resamples, 0)
    END AS p,
    tallies.resamples,
    seen.exact
FROM errors AS seen
JOIN tallies ON tallies.system = seen.system AND tallies.metric = seen.metric
WHERE seen.draw = -1;
