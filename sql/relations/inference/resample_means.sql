-- name:     resample_means
-- title:    Means of systems on the same bootstrap samples
-- inputs:   per_query (system, metric, query_id, value)
-- switches: resamples INTEGER DEFAULT 10000 CHECK (resamples > 1), seed INTEGER DEFAULT 42,
--           groups INTEGER DEFAULT 10000 CHECK (groups > 1)
-- values:   resamples: as in replicates
--           seed: as in replicates
--           groups: if there are more units, random groups of them are drawn together
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    system, metric, draw
-- formula:  value = sum of w * value / sum of w, w Poisson with mean 1 per unit and draw
-- note:     a unit has the same weight in every system. Random groups keep the variance of the mean, so that the cost
--           does not grow with the number of units
WITH sizes AS (
    SELECT metric, count(DISTINCT query_id) AS units
    FROM per_query
    WHERE value IS NOT NULL
    GROUP BY metric
),
assigned AS (
    SELECT
        per_query.system,
        per_query.metric,
        per_query.value,
        CASE WHEN sizes.units > $groups THEN hash(hash(per_query.query_id, $seed)) % $groups
            ELSE hash(per_query.query_id) END AS unit
    FROM per_query
    JOIN sizes ON sizes.metric = per_query.metric
    WHERE per_query.value IS NOT NULL
),
grouped AS (
    SELECT system, metric, unit, sum(value) AS total, count(*) AS n
    FROM assigned
    GROUP BY system, metric, unit
),
weighted AS (
    SELECT
        grouped.system, grouped.metric, grouped.total, grouped.n,
        drawn.draw,
        -- With one hash, ids with similar hashes would get similar weights. The upper 53 bits make a number in (0, 1).
        poisson_count((CAST(hash(hash(grouped.unit, drawn.draw, $seed)) >> 11 AS DOUBLE) + 0.5e0)
            * 1.1102230246251565e-16) AS weight
    FROM grouped
    CROSS JOIN range(0, $resamples) AS drawn(draw)
)
SELECT system, metric, draw, sum(weight * total) / nullif(sum(weight * n), 0) AS value
FROM weighted
GROUP BY system, metric, draw;
