-- name:     blocks
-- title:    Complete blocks: the values of the queries for which every system of the metric has a value
-- inputs:   per_query (system, metric, query_id, value)
-- grain:    system, metric, query_id
-- note:     a system without any value does not count; place numbers the systems of a metric from 1
WITH present AS (
    SELECT
        system,
        metric,
        query_id,
        CAST(value AS DOUBLE) AS value,
        dense_rank() OVER (PARTITION BY metric ORDER BY system) AS place,
        count(*) OVER (PARTITION BY metric, query_id) AS width
    FROM per_query
    WHERE value IS NOT NULL
),
sizes AS (
    SELECT metric, max(place) AS systems
    FROM present
    GROUP BY metric
)
SELECT present.system, present.metric, present.query_id, present.value, present.place, sizes.systems
FROM present
JOIN sizes ON sizes.metric = present.metric AND sizes.systems = present.width;
