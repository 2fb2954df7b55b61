-- name:     tie_deviations
-- title:    Standard deviation of a mean over queries, if the order of equal scores is random
-- inputs:   predictions (system, query_id), truth (query_id), shuffled_lists (system, query_id),
--           valued_queries (system, metric, query_id, value, weight),
--           shuffled_values (system, metric, query_id, value)
-- params:   most_orders INTEGER DEFAULT 1000 CHECK (most_orders > 1), weighted BOOLEAN DEFAULT FALSE
-- portable: no, orders are drawn by a hash that only DuckDB has
-- grain:    system, metric
-- formula:  sd = sqrt(sum of w^2 s^2) / sum of w p; s^2 is the variance of the value of a query over its orders, and p
--           the share of its orders with a value; if some have none, s^2 is the variance of (value - mean), which is
--           0 without a value (delta method)
-- note:     lists are ordered independently of each other
WITH weighed AS (
    SELECT
        valued_queries.system, valued_queries.metric, valued_queries.query_id,
        CASE WHEN $weighted THEN valued_queries.weight ELSE 1e0 END AS weight,
        coalesce(tie_moments.mean, valued_queries.value, 0e0) AS value,
        coalesce(tie_moments.share, CASE WHEN valued_queries.value IS NULL THEN 0e0 ELSE 1e0 END) AS share,
        tie_moments.n_orders, tie_moments.variance, tie_moments.covariance, tie_moments.share_variance
    FROM valued_queries
    LEFT JOIN tie_moments
        ON tie_moments.system = valued_queries.system
            AND tie_moments.metric = valued_queries.metric
            AND tie_moments.query_id = valued_queries.query_id
),
means AS (
    SELECT
        system, metric,
        sum(weight * share) AS weight,
        sum(weight * value) / nullif(sum(weight * share), 0) AS mean
    FROM weighed
    GROUP BY system, metric
),
spreads AS (
    SELECT
        weighed.system, weighed.metric, weighed.query_id, weighed.weight, weighed.n_orders,
        weighed.variance - 2 * means.mean * weighed.covariance + means.mean * means.mean * weighed.share_variance
            AS variance,
        1e-12 * (weighed.variance + means.mean * means.mean * weighed.share_variance) AS rounding
    FROM weighed
    JOIN means ON means.system = weighed.system AND means.metric = weighed.metric
    WHERE weighed.n_orders > 0
),
summed AS (
    SELECT
        system, metric,
        max(n_orders) AS n_orders,
        sum(CASE WHEN variance > rounding THEN weight * weight * variance ELSE 0e0 END ORDER BY query_id) AS variance
    FROM spreads
    GROUP BY system, metric
)
SELECT
    means.system,
    means.metric,
    coalesce(summed.n_orders, 0) AS n_orders,
    CASE WHEN means.weight > 0 THEN sqrt(coalesce(summed.variance, 0e0)) / means.weight END AS sd
FROM means
LEFT JOIN summed ON summed.system = means.system AND summed.metric = means.metric;
