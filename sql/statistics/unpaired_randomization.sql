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
--           them up to 20 units, and exact=false never does. p is at least the smallest exact p. The choices come from
--           a hash of query_id: the same ids and seed give the same p. If all values of each side are equal, statistic
--           is NULL. With one unit on a side, p is NULL
WITH moments AS (
    SELECT
        draws.system, draws.metric, draws.draw,
        (family.total - draws.total) / nullif(family.units - family.n_base, 0)
            - draws.total / nullif(family.n_base, 0) AS delta,
        draws.square - draws.total * draws.total / nullif(family.n_base, 0) AS base_spread,
        family.square - draws.square - (family.total - draws.total) * (family.total - draws.total)
            / nullif(family.units - family.n_base, 0) AS spread,
        1e-13 * family.square AS rounding,
        family.n_base, family.units - family.n_base AS n, family.exact
    FROM exchange_sums AS draws
    JOIN exchange_families AS family ON family.system = draws.system AND family.metric = draws.metric
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
        ELSE greatest(
            (1 + tallies.far) / nullif(1 + tallies.resamples, 0),
            CASE WHEN seen.n = seen.n_base THEN 2 ELSE 1 END
                * exp(lgamma(seen.n + 1) + lgamma(seen.n_base + 1) - lgamma(seen.n + seen.n_base + 1)))
    END AS p,
    tallies.resamples,
    seen.exact
FROM errors AS seen
JOIN tallies ON tallies.system = seen.system AND tallies.metric = seen.metric
WHERE seen.draw = -1;
