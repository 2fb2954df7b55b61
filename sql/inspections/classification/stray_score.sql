-- name:     stray_score
-- title:    rows whose score lies outside of [0, 1], unlike the scores of the other rows
-- for:      pairs, thresholds
-- severity: warning
-- why:      a code for a missing score, such as -1, is evaluated as if it were a score
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- advice:   correct them if the scores are probabilities; a number such as -1 may stand for a missing score
-- note:     reported if at most one row in ten is such a row
WITH counted AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE score < 0 OR score > 1) AS outside
    FROM predictions
)
SELECT predictions.label, predictions.score, counted.total
FROM predictions
CROSS JOIN counted
WHERE (predictions.score < 0 OR predictions.score > 1)
    AND NOT isinf(predictions.score) AND NOT isnan(predictions.score)
    AND 10 * counted.outside <= counted.total;
