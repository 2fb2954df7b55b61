-- name:     sorted_rows
-- title:    Rows with the numbers of rows of each class up to their score, and of those with the same score
-- inputs:   predictions (system, segment, label, score, unit)
-- portable: no, it counts the rows up to a score with cume_dist
-- grain:    row
-- note:     p and n are the numbers of positives and negatives of the segment; rows count without weights. A window
--           keeps a state for every few rows, and that of a count has a third of the bytes of that of a sum
WITH places AS (
    SELECT
        system,
        segment,
        unit,
        CASE WHEN label > 0 THEN 1 ELSE 0 END AS label,
        rank() OVER (PARTITION BY system, segment ORDER BY score) AS first_rank,
        cume_dist() OVER (PARTITION BY system, segment ORDER BY score) AS share_upto,
        count(CASE WHEN label > 0 THEN 1 END) OVER (
            PARTITION BY system, segment ORDER BY score RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS positives_upto,
        count(CASE WHEN label > 0 THEN 1 END) OVER (
            PARTITION BY system, segment ORDER BY score RANGE BETWEEN CURRENT ROW AND CURRENT ROW
        ) AS positives
    FROM predictions
)
SELECT
    places.system,
    places.segment,
    places.unit,
    places.label,
    segments.n_positive AS p,
    segments.n - segments.n_positive AS n,
    CAST(places.positives AS DOUBLE) AS positives,
    floor(places.share_upto * segments.n + 5e-1) - places.first_rank + 1 - CAST(places.positives AS DOUBLE)
        AS negatives,
    CAST(places.positives_upto AS DOUBLE) AS positives_upto,
    floor(places.share_upto * segments.n + 5e-1) - CAST(places.positives_upto AS DOUBLE) AS negatives_upto
FROM places
JOIN segments ON segments.system = places.system AND segments.segment = places.segment;
