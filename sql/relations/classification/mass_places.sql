-- name:     mass_places
-- title:    Rows, or rows of equal probability together, with the number of rows whose probability is smaller
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   counted VARCHAR DEFAULT 'rows' CHECK (counted IN ('rows', 'scores')),
--           ranges INTEGER DEFAULT 1 CHECK (ranges > 0)
-- values:   counted=rows: single rows are sorted
--           counted=scores: rows of equal score are grouped first, as a cluster needs
-- grain:    row
-- note:     a row of the result stands for size rows. Both values of counted give the same numbers: rows sorts single
--           rows; scores groups equal scores first, which a cluster needs and which is slower on one machine; ranges
--           as in thresholds
SELECT
    system, segment, p, 1e0 AS size, weight, weight * label AS positives,
    rank() OVER (PARTITION BY system, segment ORDER BY p) - 1 AS place,
    count(*) OVER (PARTITION BY system, segment) AS total
FROM probabilities
WHERE $counted = 'rows'
UNION ALL
SELECT
    system, segment, score AS p, size, positives + negatives AS weight, positives,
    sum(size) OVER (
        PARTITION BY system, segment ORDER BY score ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - size AS place,
    sum(size) OVER (PARTITION BY system, segment) AS total
FROM score_groups
WHERE $counted = 'scores' AND $ranges = 1
UNION ALL
SELECT
    ranged_scores.system, ranged_scores.segment, ranged_scores.score AS p, ranged_scores.size,
    ranged_scores.positives + ranged_scores.negatives AS weight,
    ranged_scores.positives,
    score_ranges.reached_all - score_ranges.reached_above - ranged_scores.reached AS place,
    score_ranges.reached_all AS total
FROM ranged_scores
JOIN score_ranges
    ON score_ranges.system = ranged_scores.system
    AND score_ranges.segment = ranged_scores.segment
    AND score_ranges.score_range = ranged_scores.score_range
WHERE $counted = 'scores' AND $ranges > 1;
