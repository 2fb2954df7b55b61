-- name:     not_a_probability
-- title:    rows whose score lies outside of [0, 1], so it is not a probability
-- severity: error
-- why:      these metrics are defined for probabilities only
-- for:      probabilities, calibration_fit, isotonic_blocks, class_probabilities, brier
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- advice:   divide percentages by 100, or apply the sigmoid to logits; metrics such as auc accept any score
SELECT label, score
FROM predictions
WHERE (score < 0 OR score > 1) AND NOT isnan(score);
