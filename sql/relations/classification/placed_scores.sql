-- name:     placed_scores
-- title:    Scores from the highest to the lowest, with the number of positives up to each
-- inputs:   predictions (system, segment, label, score)
-- grain:    row
SELECT
    system,
    segment,
    score,
    is_positive,
    row_number() OVER (PARTITION BY system, segment ORDER BY score DESC NULLS LAST, is_positive) AS place,
    sum(CASE WHEN is_positive THEN 1e0 ELSE 0e0 END) OVER (
        PARTITION BY system, segment ORDER BY score DESC NULLS LAST, is_positive
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS tp
FROM ended_scores;
