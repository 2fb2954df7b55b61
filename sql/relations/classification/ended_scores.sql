-- name:     ended_scores
-- title:    Scores with their class, and a last row without a score
-- inputs:   predictions (system, segment, label, score)
-- grain:    row
-- note:     so each score is followed by a lower one, or by none
SELECT system, segment, score, label > 0 AS is_positive FROM labeled
UNION ALL
SELECT system, segment, NULL AS score, FALSE AS is_positive FROM segments;
