-- name:     pr_curve
-- title:    Precision-recall curve: one point for every distinct score
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   points INTEGER DEFAULT NULL CHECK (points > 1)
-- grain:    system, segment, threshold
-- formula:  precision = TP / (TP + FP) against recall = TP / P, with score >= threshold
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- note:     area is the exact area in step form up to the point, so thinning to so many points leaves it as it is;
--           in the last row it is the average precision
WITH scored AS (
    SELECT
        system, segment, score AS threshold, tp, fp, p,
        sum(positives * tp / nullif(tp + fp, 0)) OVER (
            PARTITION BY system, segment ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS stepped,
        row_number() OVER (PARTITION BY system, segment ORDER BY score DESC) - 1 AS place,
        count(*) OVER (PARTITION BY system, segment) - 1 AS places
    FROM thresholds
)
SELECT
    system,
    segment,
    threshold,
    tp,
    fp,
    tp / nullif(tp + fp, 0) AS precision,
    tp / nullif(p, 0) AS recall,
    stepped / nullif(p, 0) AS area
FROM scored
WHERE $points IS NULL OR place = 0
    OR floor(place * ($points - 1) / CAST(places AS DOUBLE))
        > floor((place - 1) * ($points - 1) / CAST(places AS DOUBLE))
ORDER BY system, segment, threshold DESC;
