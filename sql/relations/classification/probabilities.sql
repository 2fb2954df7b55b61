-- name:     probabilities
-- title:    Rows whose score is the probability of the positive class
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    row
SELECT system, segment, label, score AS p, weight
FROM labeled;
