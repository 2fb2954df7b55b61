-- name:     placed_thresholds
-- title:    Distinct scores as thresholds, from the places of all scores
-- inputs:   predictions (system, segment, label, score)
-- grain:    system, segment, score
-- note:     the rows of the relation thresholds, without weights, groups and bins; an engine that sorts all rows in
--           less time than it needs to group them by score reads this; upto is the number of rows at or above a score
WITH followed AS (
    SELECT
        system,
        segment,
        place,
        score AS next_score,
        lag(score) OVER (PARTITION BY system, segment ORDER BY place) AS score,
        place - 1 AS upto,
        tp - CASE WHEN is_positive THEN 1e0 ELSE 0e0 END AS tp
    FROM placed_scores
),
last_rows AS (
    SELECT system, segment, place, score, tp, upto - tp AS fp
    FROM followed
    WHERE score IS NOT NULL AND (next_score IS NULL OR score <> next_score)
),
compared AS (
    SELECT
        system, segment, score, tp, fp,
        lag(tp) OVER (PARTITION BY system, segment ORDER BY place) AS tp_above,
        lag(fp) OVER (PARTITION BY system, segment ORDER BY place) AS fp_above
    FROM last_rows
)
SELECT
    compared.system,
    compared.segment,
    NULL AS group_id,
    compared.score,
    compared.tp - coalesce(compared.tp_above, 0) AS positives,
    compared.fp - coalesce(compared.fp_above, 0) AS negatives,
    compared.tp,
    compared.fp,
    CAST(segments.n_positive AS DOUBLE) AS p,
    CAST(segments.n - segments.n_positive AS DOUBLE) AS n
FROM compared
JOIN segments ON segments.system = compared.system AND segments.segment = compared.segment;
