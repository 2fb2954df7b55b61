-- name:     difference_places
-- title:    Place of the difference of one query among those of all queries
-- inputs:   per_query (system, metric, query_id, value)
-- params:   metric VARCHAR,
--           system VARCHAR,
--           baseline VARCHAR,
--           delta DOUBLE
-- values:   metric: the text of the metric
--           system: the system that is compared
--           baseline: the system that it is compared with
--           delta: the difference of the query
-- grain:    place
-- note:     place is the number of queries with a larger gain, or loss, plus one; differences of 1e-12 or less are
--           equal; n is the number of queries with values of both systems
WITH by_query AS (
    SELECT
        query_id,
        max(value) FILTER (WHERE system = $system) - max(value) FILTER (WHERE system = $baseline) AS difference
    FROM per_query
    WHERE metric = $metric
    GROUP BY query_id
)
SELECT
    1 + count(*) FILTER (
        WHERE CASE WHEN $delta > 0 THEN difference > $delta + 1e-12 ELSE difference < $delta - 1e-12 END
    ) AS place,
    count(difference) AS n
FROM by_query;
