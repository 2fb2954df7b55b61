-- name:     tie_moments
-- title:    Mean and variance of the value of a list over random orders of its equal scores
-- inputs:   predictions (system, query_id), truth (query_id), shuffled_lists (system, query_id),
--           shuffled_values (system, metric, query_id, value)
-- params:   most_orders INTEGER DEFAULT 1000 CHECK (most_orders > 1)
-- portable: no, orders are drawn by a hash that only DuckDB has
-- grain:    system, metric, query_id
-- note:     an order without a value counts as 0; share is the share of the orders with a value, and covariance that of
--           the value with having one; values that differ by 1e-12 or less differ by rounding only
WITH ordered AS (
    SELECT
        numbered_lists.system,
        shuffled_values.metric,
        numbered_lists.query_id,
        shuffled_values.query_id AS place,
        coalesce(shuffled_values.value, 0e0) AS value,
        CASE WHEN shuffled_values.value IS NULL THEN 0e0 ELSE 1e0 END AS has_value
    FROM shuffled_values
    JOIN numbered_lists
        ON numbered_lists.system = shuffled_values.system
            AND numbered_lists.number = shuffled_values.query_id // $most_orders
)
SELECT
    system,
    metric,
    query_id,
    count(*) AS n_orders,
    avg(value) AS mean,
    avg(has_value) AS share,
    -- A fixed order gives the same last digit in every run.
    CASE WHEN max(value) - min(value) > 1e-12 THEN variance(value ORDER BY place) ELSE 0e0 END AS variance,
    covar_samp(value, has_value) AS covariance,
    variance(has_value) AS share_variance
FROM ordered
GROUP BY system, metric, query_id;
