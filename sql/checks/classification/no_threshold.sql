-- name:     no_threshold
-- title:    rows whose score lies outside of [0, 1], so that 0.5 does not separate the classes
-- severity: error
-- why:      the threshold 0.5 is for probabilities; of percentages it calls nearly every row positive
-- for:      confusion
-- column:   predictions.score
-- inputs:   predictions (label, score)
-- params:   threshold DOUBLE DEFAULT 0.5
-- advice:   divide percentages by 100, or set threshold, such as threshold=50 for percentages and threshold=0 for log
--           odds; metrics such as auc need none
-- settles:  threshold=50
SELECT label, score
FROM predictions
WHERE $threshold = 0.5e0 AND (score < 0 OR score > 1) AND NOT isnan(score);
