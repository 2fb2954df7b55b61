-- name:     paired_bootstrap
-- title:    Paired bootstrap against a baseline
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 1), seed INTEGER DEFAULT 42,
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- grain:    one row per system and metric: system, metric, n, delta, se, delta_lower, delta_upper, p, resamples
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  delta* = sum of w * difference / sum of w, w Poisson with mean 1 per unit and resample; se is the
--           deviation of the delta*, the bounds their percentiles, p = min(1, 2 * (1 + k) / (1 + resamples)), k the
--           delta* at or beyond 0 on the side where they are fewer
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552; Poisson weights: Chamandy et al.,
--           Estimating uncertainty for massive data streams, Google 2012
-- oracle:   the values of DuckDB 1.3 to 2.0; paired_t, to the error of resampling
-- example:  paired_bootstrap(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('B', 'm', 1, 1), ('B', 'm', 2, 1); baseline
--           := 'A', resamples := 100) = 'B', 'm', 2, 1, 0, 1, 1, 0.023529411764705882, 84
-- note:     the weights come from a hash of query_id: the same ids and seed give the same numbers. A resample
--           without any weight does not count; of one unit there is no interval. Below about 20 units the
--           interval is too narrow: prefer paired_t
WITH weighted AS (
    SELECT
        differences.system,
        differences.metric,
        differences.difference,
        drawn.draw,
        -- Hashed once, ids with alike hashes would get alike weights. The upper 53 bits make a number in (0, 1).
        poisson_count((CAST(hash(hash(differences.query_id, drawn.draw, $seed)) >> 11 AS DOUBLE) + 0.5e0)
            * 1.1102230246251565e-16) AS weight
    FROM differences
    CROSS JOIN range(0, $resamples) AS drawn(draw)
),
replicates AS (
    SELECT system, metric, sum(weight * difference) / nullif(sum(weight), 0) AS delta
    FROM weighted
    GROUP BY system, metric, draw
),
summed AS (
    SELECT
        system,
        metric,
        count(*) AS resamples,
        stddev_samp(delta) AS se,
        list_sort(list(delta)) AS deltas,
        least(count(*) FILTER (WHERE delta <= 1e-12), count(*) FILTER (WHERE delta >= -1e-12)) AS beyond
    FROM replicates
    WHERE delta IS NOT NULL
    GROUP BY system, metric
),
bounded AS (
    SELECT
        system, metric, resamples, se, beyond,
        list_transform([0.5e0 - 0.5e0 * $level, 0.5e0 + 0.5e0 * $level], lambda q:
            list_extract(deltas, 1 + CAST(floor((resamples - 1) * q) AS BIGINT))
            + ((resamples - 1) * q - floor((resamples - 1) * q)) * coalesce(
                list_extract(deltas, 2 + CAST(floor((resamples - 1) * q) AS BIGINT))
                - list_extract(deltas, 1 + CAST(floor((resamples - 1) * q) AS BIGINT)), 0)) AS bounds
    FROM summed
),
observed AS (
    SELECT system, metric, count(*) AS n, avg(difference) AS delta
    FROM differences
    GROUP BY system, metric
)
SELECT
    observed.system, observed.metric, observed.n, observed.delta,
    CASE WHEN observed.n > 1 THEN bounded.se END AS se,
    CASE WHEN observed.n > 1 THEN list_extract(bounded.bounds, 1) END AS delta_lower,
    CASE WHEN observed.n > 1 THEN list_extract(bounded.bounds, 2) END AS delta_upper,
    CASE WHEN observed.n > 1 THEN least(2e0 * (1 + bounded.beyond) / nullif(1 + bounded.resamples, 0), 1e0) END AS p,
    bounded.resamples
FROM observed
JOIN bounded ON bounded.system = observed.system AND bounded.metric = observed.metric;
