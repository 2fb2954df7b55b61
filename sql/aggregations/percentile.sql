-- name:     percentile
-- alias:    median (p = 50), p1 (p = 1), p5 (p = 5), p10 (p = 10), p25 (p = 25), p50 (p = 50), p75 (p = 75),
--           p90 (p = 90), p95 (p = 95), p99 (p = 99)
-- title:    Percentile over queries, by linear interpolation
-- inputs:   query_values (system, segment, query_id, value)
-- grain:    system, segment
-- params:   p DOUBLE CHECK (p >= 0 AND p <= 100)
-- values:   p: the percentile, from 0 to 100; 50 is the median
-- interval: quantile
-- formula:  the value at position p/100 * (n - 1) of the sorted values
WITH placed AS (
    SELECT
        system,
        segment,
        value,
        row_number() OVER (PARTITION BY system, segment ORDER BY value, query_id) - 1 AS place,
        (count(*) OVER (PARTITION BY system, segment) - 1) * $p / 1e2 AS target
    FROM query_values
    WHERE value IS NOT NULL
)
SELECT system, segment, sum(value * (1 - abs(place - target))) FILTER (WHERE abs(place - target) < 1) AS value
FROM placed
GROUP BY system, segment;
