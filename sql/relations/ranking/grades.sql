-- name:     grades
-- title:    Judged items, relevant or nonrelevant
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- params:   gain VARCHAR DEFAULT 'binary' CHECK (gain IN ('linear', 'exp2', 'binary'))
-- switches: rel DOUBLE DEFAULT NULL
-- values:   gain: as in gains
--           rel: the lowest relevant grade; by default all above 0
-- grain:    query_id, item_id
-- note:     rel applies to binary gain only; graded gains keep every grade above 0
SELECT
    query_id,
    item_id,
    relevance,
    CASE
        WHEN $gain = 'binary' AND $rel IS NOT NULL THEN relevance >= $rel
        ELSE relevance > 0
    END AS is_relevant
FROM judgments;
