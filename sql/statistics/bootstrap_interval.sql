-- name:     bootstrap_interval
-- title:    Mean with its bootstrap interval
-- meaning:  The bootstrap interval shows how much the mean of a metric depends on the queries in the test set. The
--           bootstrap computes the mean again on many random resamples of the queries.
-- use:      to get an interval of a mean without the assumption that means follow a normal distribution
-- beware:   with few units the interval is slightly too narrow; if queries of the same user are correlated, it is
--           much too narrow
-- reading:  level = 0.95: about 95 of 100 such intervals from new samples contain the mean of all possible queries
--           lower = upper: all values in the test set are equal
-- inputs:   per_query (system, metric, query_id, value)
-- params:   resamples INTEGER DEFAULT 10000 CHECK (resamples > 1), seed INTEGER DEFAULT 42,
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   resamples: as in relations/inference/replicates
--           seed: as in relations/inference/replicates
--           level: as in mean_interval
-- grain:    one row per system and metric: system, metric, n, mean, se, lower, upper, resamples
-- range:    (-inf, inf)
-- formula:  mean* = sum of w * value / sum of w, w Poisson with mean 1 per unit and resample; se is the standard
--           deviation of mean* over the resamples, the bounds are its percentiles
-- tex:      \bar{x}^* = \frac{\sum_i w_i x_i}{\sum_i w_i} \qquad w_i \sim \mathrm{Poisson}(1)
-- symbols:  x_i: the value of query i
--           w_i: the random weight of query i in a resample
--           \bar{x}^*: the mean of a resample; the bounds are percentiles of these means
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552; Poisson weights: Chamandy et al.,
--           Estimating uncertainty for massive data streams, Google 2012
-- oracle:   the values of DuckDB 1.3 to 2.0; mean_interval, to the error of resampling
-- example:  bootstrap_interval(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 0.5); resamples := 100) = 'A', 'm', 2, 0.5,
--           0, 0.5, 0.5, 84
-- related:  mean_interval, paired_bootstrap, wilson_interval
-- note:     the weights are those of paired_bootstrap. A value that is NULL is left out; with one value there is no
--           interval
WITH weighted AS (
    SELECT
        per_query.system,
        per_query.metric,
        per_query.value,
        drawn.draw,
        -- With one hash, ids with similar hashes would get similar weights. The upper 53 bits make a number in (0, 1).
        poisson_count((CAST(hash(hash(per_query.query_id, drawn.draw, $seed)) >> 11 AS DOUBLE) + 0.5e0)
            * 1.1102230246251565e-16) AS weight
    FROM per_query
    CROSS JOIN range(0, $resamples) AS drawn(draw)
    WHERE per_query.value IS NOT NULL
),
replicates AS (
    SELECT system, metric, sum(weight * value) / nullif(sum(weight), 0) AS mean
    FROM weighted
    GROUP BY system, metric, draw
),
summed AS (
    SELECT
        system,
        metric,
        count(*) AS resamples,
        stddev_samp(mean) AS se,
        list_sort(list(mean), 'ASC', 'NULLS FIRST') AS means
    FROM replicates
    WHERE mean IS NOT NULL
    GROUP BY system, metric
),
bounded AS (
    SELECT
        system, metric, resamples, se,
        list_transform([0.5e0 - 0.5e0 * $level, 0.5e0 + 0.5e0 * $level], lambda q:
            list_extract(means, 1 + CAST(floor((resamples - 1) * q) AS BIGINT))
            + ((resamples - 1) * q - floor((resamples - 1) * q)) * coalesce(
                list_extract(means, 2 + CAST(floor((resamples - 1) * q) AS BIGINT))
                - list_extract(means, 1 + CAST(floor((resamples - 1) * q) AS BIGINT)), 0)) AS bounds
    FROM summed
),
observed AS (
    SELECT system, metric, count(value) AS n, avg(value) AS mean
    FROM per_query
    GROUP BY system, metric
)
SELECT
    observed.system, observed.metric, observed.n, observed.mean,
    CASE WHEN observed.n > 1 THEN bounded.se END AS se,
    CASE WHEN observed.n > 1 THEN list_extract(bounded.bounds, 1) END AS lower,
    CASE WHEN observed.n > 1 THEN list_extract(bounded.bounds, 2) END AS upper,
    coalesce(bounded.resamples, 0) AS resamples
FROM observed
LEFT JOIN bounded ON bounded.system = observed.system AND bounded.metric = observed.metric;
