-- name:     placed_scores
-- title:    Scores from the highest to the lowest, with the number of positives at or above them
-- inputs:   predictions (system, segment, label, score)
-- grain:    row
-- note:     equal scores have any order among each other
SELECT
    system,
    segment,
    score,
    row_number() OVER (PARTITION BY system, segment ORDER BY score DESC NULLS LAST) AS place,
    sum(label) OVER (PARTITION BY system, segment ORDER BY score DESC NULLS LAST) AS tp
FROM ended_scores;
