-- name:     contenders
-- title:    Candidates that can reach a rank that matters
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   plan VARCHAR DEFAULT 'sorted' CHECK (plan IN ('sorted', 'top')),
--           depth INTEGER DEFAULT NULL CHECK (depth > 0),
--           by_rank BOOLEAN DEFAULT FALSE
-- values:   plan=sorted: all candidates are sorted
--           plan=top: only the candidates that can reach the deepest rank are sorted
-- portable: with plan = sorted
-- grain:    system, query_id, item_id
-- note:     sorted keeps all candidates; top keeps those that reach the score of the deepest rank, ties included;
--           by_rank: the score is the negative of a rank, so that the score alone identifies them
WITH last_scores AS (
    SELECT system, query_id, list_extract(max(score, coalesce($depth, 1)), -1) AS score
    FROM candidates
    WHERE $plan = 'top' AND NOT ($by_rank AND $unjudged = 'nonrelevant')
    GROUP BY system, query_id
)
SELECT system, query_id, item_id, position, score, relevance
FROM candidates
WHERE $plan = 'sorted'
UNION ALL
SELECT system, query_id, item_id, position, score, relevance
FROM candidates
WHERE $plan = 'top' AND $by_rank AND $unjudged = 'nonrelevant' AND score >= -coalesce($depth, 1)
UNION ALL
SELECT
    candidates.system,
    candidates.query_id,
    candidates.item_id,
    candidates.position,
    candidates.score,
    candidates.relevance
FROM candidates
JOIN last_scores
    ON last_scores.system = candidates.system AND last_scores.query_id = candidates.query_id
WHERE $plan = 'top' AND NOT ($by_rank AND $unjudged = 'nonrelevant') AND candidates.score >= last_scores.score;
