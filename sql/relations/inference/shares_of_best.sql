-- name:     shares_of_best
-- title:    Share of the samples in which each system is the best
-- inputs:   per_query (system, metric, query_id, value)
-- switches: better VARCHAR DEFAULT 'higher' CHECK (better IN ('higher', 'lower', 'target')), target DOUBLE DEFAULT 0
-- values:   better=higher: the system with the highest value is the best
--           better=lower: the system with the lowest value is the best
--           better=target: the system whose value is closest to the target is the best
--           target: the best possible value, with better=target
-- grain:    system, metric
-- formula:  mean of b / ties over the samples, b = 1 if no system is better in the sample, else 0; ties is the number
--           of such systems
-- note:     a sample counts if every system of the metric has a value in it. Values that differ by rounding or less
--           count as equal: 1e-12 of their largest size
WITH scored AS (
    SELECT
        system, metric, draw, abs(value) AS size,
        CASE $better
            WHEN 'higher' THEN CAST(value AS DOUBLE)
            WHEN 'lower' THEN -CAST(value AS DOUBLE)
            WHEN 'target' THEN -abs(value - CAST($target AS DOUBLE))
        END AS goodness
    FROM resample_means
    WHERE value IS NOT NULL
),
counted AS (
    SELECT metric, count(DISTINCT system) AS systems
    FROM scored
    GROUP BY metric
),
tops AS (
    SELECT metric, draw, count(*) AS systems, max(goodness) AS top, 1e-12 * max(size) AS rounding
    FROM scored
    GROUP BY metric, draw
),
placed AS (
    SELECT scored.system, scored.metric, scored.draw, scored.goodness >= tops.top - tops.rounding AS is_best
    FROM scored
    JOIN tops ON tops.metric = scored.metric AND tops.draw = scored.draw
    JOIN counted ON counted.metric = tops.metric AND counted.systems = tops.systems
),
shared AS (
    SELECT metric, draw, count(*) FILTER (WHERE is_best) AS ties
    FROM placed
    GROUP BY metric, draw
)
SELECT
    placed.system,
    placed.metric,
    sum(CASE WHEN placed.is_best THEN 1e0 / nullif(shared.ties, 0) ELSE 0e0 END ORDER BY placed.draw)
        / nullif(count(*), 0) AS probability,
    count(*) AS resamples
FROM placed
JOIN shared ON shared.metric = placed.metric AND shared.draw = placed.draw
GROUP BY placed.system, placed.metric;
