-- name:     clipped_probability
-- title:    rows whose probability is closer to 0 or 1 than eps, so it was clipped
-- severity: note
-- why:      the loss of a certain but wrong prediction depends on eps
-- for:      clipped, calibration_fit
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- params:   eps DOUBLE DEFAULT 1e-15
-- advice:   set eps, or set eps=0 to use them unchanged
-- settles:  eps=0
SELECT label, score
FROM predictions
WHERE (score < $eps OR score > 1 - $eps) AND score BETWEEN 0 AND 1;
