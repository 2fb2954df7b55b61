-- name:     percent_score
-- title:    rows with scores above 1, of scores from 0 to 100 like percentages
-- for:      classification
-- severity: warning
-- why:      log loss and calibration need probabilities, and the threshold 0.5 calls nearly every row positive
-- column:   predictions.score
-- inputs:   predictions (score)
-- when:     NOT EXISTS (SELECT 1 FROM predictions WHERE score < 0 OR score > 100)
-- advice:   divide them by 100 if they are percentages
-- note:     reported if a score is above 10, and more than one row in ten is above 1; stray_score reports fewer
WITH counted AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE score > 1) AS above, max(score) AS largest
    FROM predictions
)
SELECT predictions.score, counted.total
FROM predictions
CROSS JOIN counted
WHERE predictions.score > 1 AND NOT isnan(predictions.score)
    AND counted.largest > 10
    AND 10 * counted.above > counted.total;
