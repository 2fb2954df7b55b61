-- name:     binned
-- title:    Rows, or rows of equal probability together, with the bin of their probability
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass')),
--           ranges INTEGER DEFAULT 1 CHECK (ranges > 0)
-- grain:    row
-- note:     width: [b / bins, (b + 1) / bins), the last bin closed; the product is put right where it crosses an edge;
--           mass: as many rows as possible alike, the first bins one more; equal probabilities stay together
--           size rows each, one for width; place counts the rows with a smaller probability; ranges as in thresholds
WITH counted AS (
    SELECT
        system, segment, score AS p, positives, negatives, size,
        sum(size) OVER (
            PARTITION BY system, segment ORDER BY score ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) - size AS place,
        sum(size) OVER (PARTITION BY system, segment) AS total
    FROM score_groups
    WHERE $ranges = 1
    UNION ALL
    SELECT
        ranged_scores.system, ranged_scores.segment, ranged_scores.score AS p,
        ranged_scores.positives, ranged_scores.negatives, ranged_scores.size,
        score_ranges.reached_all - score_ranges.reached_above - ranged_scores.reached AS place,
        score_ranges.reached_all AS total
    FROM ranged_scores
    JOIN score_ranges
        ON score_ranges.system = ranged_scores.system
        AND score_ranges.segment = ranged_scores.segment
        AND score_ranges.score_range = ranged_scores.score_range
    WHERE $ranges > 1
),
places AS (
    SELECT
        system, segment, p, positives, negatives, size, place,
        floor(total / CAST($bins AS DOUBLE)) AS few,
        total - $bins * floor(total / CAST($bins AS DOUBLE)) AS wide
    FROM counted
)
SELECT
    system, segment, p, 1e0 AS size, weight, weight * label AS positives,
    least(
        CASE
            WHEN p >= (floor(p * $bins) + 1) / $bins THEN floor(p * $bins) + 1
            WHEN p < floor(p * $bins) / $bins THEN floor(p * $bins) - 1
            ELSE floor(p * $bins)
        END, $bins - 1
    ) AS bin
FROM probabilities
WHERE $binning = 'width'
UNION ALL
SELECT
    system, segment, p, size, positives + negatives AS weight, positives,
    CASE
        WHEN place < wide * (few + 1) THEN floor(place / (few + 1))
        ELSE wide + floor((place - wide * (few + 1)) / nullif(few, 0))
    END AS bin
FROM places
WHERE $binning = 'mass';
