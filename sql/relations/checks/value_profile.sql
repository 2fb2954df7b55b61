-- name:     value_profile
-- title:    Values per query of each metric: how many there are, their range, and those that cannot be used
-- inputs:   given (system, query_id, metric, value, signature)
-- grain:    metric
-- note:     the examples are of the smallest ids; is_shared: several systems have values, and they have the same ones
WITH counted AS (
    SELECT
        system,
        query_id,
        metric,
        min(value) AS value,
        min(signature) AS first_signature,
        max(signature) AS last_signature,
        count(*) AS n
    FROM given
    GROUP BY system, query_id, metric
), compared AS (
    SELECT metric, query_id, count(*) AS n_systems, min(value) AS lowest, max(value) AS highest
    FROM counted
    GROUP BY metric, query_id
), shared AS (
    SELECT
        metric,
        CASE WHEN count(*) FILTER (WHERE lowest <> highest) = 0 AND max(n_systems) > 1 THEN 1 ELSE 0 END AS is_shared
    FROM compared
    GROUP BY metric
)
SELECT
    counted.metric,
    min(is_shared) AS is_shared,
    count(*) FILTER (WHERE value NOT IN (0, 1)) = 0 AS is_binary,
    count(*) FILTER (WHERE query_id IS NULL) AS n_without_query,
    count(*) FILTER (WHERE NOT isfinite(value)) AS n_not_finite,
    min(CAST(query_id AS VARCHAR)) FILTER (WHERE NOT isfinite(value)) AS first_not_finite,
    count(*) FILTER (WHERE n > 1) AS n_repeated,
    min(CAST(query_id AS VARCHAR)) FILTER (WHERE n > 1) AS first_repeated,
    min(first_signature) AS first_signature,
    max(last_signature) AS last_signature
FROM counted
LEFT JOIN shared ON shared.metric = counted.metric
GROUP BY counted.metric;
