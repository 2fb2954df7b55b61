-- name:     tukey_hsd
-- title:    Randomized Tukey HSD: every pair of systems
-- meaning:  Tukey's HSD (honestly significant difference) compares every pair of systems. Its p-values account for
--           the number of pairs, so that they need no further correction for one metric.
-- use:      when you compare all pairs of three or more systems
-- beware:   the p of a pair depends on the other systems in the test; several metrics still need adjusted_p
-- reading:  p < 0.05: the two systems differ by more than chance explains, whatever the number of pairs
-- inputs:   per_query (system, metric, query_id, value)
-- params:   resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42
-- values:   resamples: the number of random permutations
--           seed: as in relations/inference/replicates
-- grain:    one row per metric, system and other: metric, system, other, n, delta, effect_size, p, resamples
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  delta = mean(other) - mean(system); p = (1 + k) / (1 + resamples), k the number of resamples in which the
--           largest difference of two means is at least abs(delta); a resample shuffles the values of each query
--           among the systems; effect_size = delta / sqrt(mse), mse as in anova
-- tex:      p = \frac{1 + k}{1 + B} \qquad
--           k = \sum_{b=1}^{B} \mathbb{1}\left[\max_s {\bar{x}}_{bs} - \min_s {\bar{x}}_{bs} \ge |\delta|\right]
-- symbols:  \delta: the difference of the two means
--           B: the number of resamples
--           {\bar{x}}_{bs}: the mean of system s in resample b, which shuffles the values within each query
-- source:   Carterette, ACM Transactions on Information Systems 2012, doi:10.1145/2094072.2094076; Sakai,
--           Laboratory Experiments in Information Retrieval, 2018, doi:10.1007/978-981-13-1199-4
-- oracle:   scipy.stats.studentized_range, to the error of the approximation
-- example:  tukey_hsd(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 1), ('B', 'm', 1, 0.5), ('B', 'm', 2, 1);
--           resamples := 100) = 'm', 'A', 'B', 2, 0, NULL, 1, 100
-- related:  anova, adjusted_p, randomization_test, friedman
-- note:     p holds for all pairs together: if all systems are equal, the chance that any p is at most alpha is
--           alpha. Only complete blocks count: the queries for which every system of the metric has a value. p is
--           at least k! / k!^n for k systems and n queries, the smallest exact p. The order comes from a hash of
--           query_id. Differences of up to 1e-12 of the mean size of the values count as equal; with one query, p is
--           NULL
WITH means AS (
    SELECT system, metric, count(*) AS n, avg(value) AS mean, any_value(systems) AS systems
    FROM blocks
    GROUP BY system, metric
),
centered AS (
    -- The residual of a value after the means of its query and of its system.
    SELECT
        blocks.metric, blocks.value,
        blocks.value - means.mean - avg(blocks.value - means.mean) OVER (PARTITION BY blocks.metric, blocks.query_id)
            AS residual
    FROM blocks
    JOIN means ON means.system = blocks.system AND means.metric = blocks.metric
),
errors AS (
    SELECT metric, sum(residual * residual) AS ss_error, 1e-12 * avg(abs(value)) AS rounding
    FROM centered
    GROUP BY metric
),
rows_of AS (
    SELECT metric, query_id, systems, list(value ORDER BY place) AS row_values
    FROM blocks
    GROUP BY metric, query_id, systems
),
dealt AS (
    SELECT
        rows_of.metric,
        drawn.draw,
        unnest(rows_of.row_values) AS value,
        unnest(list_grade_up(list_transform(range(rows_of.systems),
            lambda place: hash(hash(rows_of.query_id, place, drawn.draw, $seed))))) AS place
    FROM rows_of
    CROSS JOIN range(0, $resamples) AS drawn(draw)
),
dealt_means AS (
    SELECT metric, draw, avg(value) AS mean
    FROM dealt
    GROUP BY metric, draw, place
),
spreads AS (
    SELECT metric, max(mean) - min(mean) AS spread
    FROM dealt_means
    GROUP BY metric, draw
),
pairs AS (
    SELECT one.metric, one.system, other.system AS other, one.n, one.systems, other.mean - one.mean AS delta
    FROM means AS one
    JOIN means AS other ON other.metric = one.metric AND other.system > one.system
)
SELECT
    pairs.metric, pairs.system, pairs.other, pairs.n, pairs.delta,
    pairs.delta / nullif(sqrt(errors.ss_error / nullif((pairs.systems - 1) * (pairs.n - 1), 0)), 0) AS effect_size,
    CASE WHEN pairs.n > 1 THEN greatest(
        (1 + count(*) FILTER (WHERE spreads.spread >= abs(pairs.delta) - errors.rounding)) / nullif(1 + count(*), 0),
        exp((1 - pairs.n) * lgamma(pairs.systems + 1))) END AS p,
    count(*) AS resamples
FROM pairs
JOIN errors ON errors.metric = pairs.metric
JOIN spreads ON spreads.metric = pairs.metric
GROUP BY pairs.metric, pairs.system, pairs.other, pairs.n, pairs.delta, pairs.systems, errors.ss_error, errors.rounding;
