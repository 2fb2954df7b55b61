-- name:     disagreements
-- title:    Number of queries with different values of two metrics
-- inputs:   per_query (system, metric, query_id, value)
-- params:   one VARCHAR, other VARCHAR
-- grain:    system
-- note:     values that differ by 1e-12 or less differ by rounding only
WITH by_query AS (
    SELECT
        system,
        query_id,
        max(value) FILTER (WHERE metric = $one) AS one,
        max(value) FILTER (WHERE metric = $other) AS other
    FROM per_query
    WHERE metric IN ($one, $other)
    GROUP BY system, query_id
)
SELECT
    system,
    count(*) FILTER (WHERE abs(one - other) > 1e-12) AS n_different,
    count(*) AS n
FROM by_query
GROUP BY system;
