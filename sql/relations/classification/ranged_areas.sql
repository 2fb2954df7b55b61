-- name:     ranged_areas
-- title:    Thresholds from the highest to the lowest, with the areas within their range of scores
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   ranges INTEGER DEFAULT 1 CHECK (ranges > 0), range_of INTEGER DEFAULT 0
-- grain:    system, segment, score
-- note:     without ranges, all scores are in one range; ranged_scores explains range_of
WITH marked AS (
    SELECT
        system, segment, score, positives, negatives, tp, fp, p, n, tp + fp AS upto,
        CASE WHEN $ranges > 1 THEN $range_of ELSE 0 END AS score_range
    FROM thresholds
)
SELECT
    system, segment, score, positives, tp, fp, p, n, upto, score_range,
    sum(negatives * (2 * tp - positives) / 2) OVER (
        PARTITION BY system, segment, score_range ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS won,
    sum(positives * tp / nullif(upto, 0)) OVER (
        PARTITION BY system, segment, score_range ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS stepped,
    lag(upto) OVER (PARTITION BY system, segment, score_range ORDER BY score DESC) AS before,
    row_number() OVER (PARTITION BY system, segment, score_range ORDER BY score DESC) AS place,
    count(*) OVER (PARTITION BY system, segment, score_range) AS places
FROM marked;
