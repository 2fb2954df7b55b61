-- name:     rounded_score
-- reported: row_rounded_score
-- title:    groups of different scores that become the same number as DOUBLE, so they tie
-- for:      classification
-- severity: error
-- why:      rounding turns different scores into ties, and a tie counts as half right
-- column:   predictions.score
-- inputs:   predictions (system, score, exact_score)
-- params:   wide_scores BOOLEAN DEFAULT TRUE
-- advice:   subtract a common offset, as in "SELECT * REPLACE (score - min(score) OVER () AS score) FROM ...", or
--           cast them to DOUBLE if such ties are acceptable
-- note:     exact_score is the text of a number with more digits than a DOUBLE is sure to keep
WITH rounded AS (
    SELECT system, score, min(exact_score) AS one_score, max(exact_score) AS other_score
    FROM predictions
    WHERE $wide_scores AND exact_score IS NOT NULL
    GROUP BY system, score
)
SELECT system, one_score, other_score
FROM rounded
WHERE $wide_scores AND one_score < other_score;
