-- name:     rounded_score
-- title:    groups of different scores of a query that become the same number as DOUBLE, so they tie
-- for:      ranking
-- severity: error
-- why:      rounding turns different scores into ties, and the ids then decide the order
-- column:   predictions.score
-- inputs:   predictions (system, query_id, score, exact_score)
-- params:   wide_scores BOOLEAN DEFAULT TRUE
-- advice:   subtract a common offset, as in "SELECT * REPLACE (score - min(score) OVER () AS score) FROM ...", or
--           cast them to DOUBLE if such ties are acceptable
-- note:     exact_score is the text of a number with more digits than a DOUBLE is sure to keep
WITH rounded AS (
    SELECT system, query_id, score, min(exact_score) AS one_score, max(exact_score) AS other_score
    FROM predictions
    WHERE $wide_scores AND exact_score IS NOT NULL
    GROUP BY system, query_id, score
)
SELECT system, query_id, one_score, other_score
FROM rounded
WHERE $wide_scores AND one_score < other_score;
