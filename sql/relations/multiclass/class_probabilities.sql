-- name:     class_probabilities
-- title:    The classes of rows, whose score is the probability of the class
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- grain:    row, class
SELECT system, segment, class, label, score AS p, place, weight
FROM classified;
