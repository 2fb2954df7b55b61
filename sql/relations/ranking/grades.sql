-- name:     grades
-- title:    Judged items, told apart into relevant and nonrelevant ones
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- params:   gain VARCHAR DEFAULT 'binary' CHECK (gain IN ('linear', 'exp2', 'binary'))
-- switches: rel DOUBLE DEFAULT NULL
-- values:   gain: as in gains
--           rel: the lowest relevant grade; by default all above 0
-- grain:    query_id, item_id
-- note:     rel decides for binary gain only: graded gains keep every positive grade
SELECT
    query_id,
    item_id,
    relevance,
    CASE
        WHEN $gain = 'binary' AND $rel IS NOT NULL THEN relevance >= $rel
        ELSE relevance > 0
    END AS is_relevant
FROM judgments;
