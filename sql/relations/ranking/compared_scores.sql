-- name:     compared_scores
-- title:    Scores of the lists and of the reference run, with the number of items that have them
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), reference (query_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- grain:    system, segment, score, is_new
-- note:     the reference run counts with its lists of the same queries; of equal scores, it does not matter which
--           ones are among the first k
WITH old_ranked AS (
    SELECT query_id, score, row_number() OVER (PARTITION BY query_id ORDER BY score DESC) AS rank
    FROM reference
)
SELECT lists.system, lists.segment, ranked.score, 1 AS is_new, count(*) AS n
FROM lists
JOIN ranked ON ranked.system = lists.system AND ranked.query_id = lists.query_id
WHERE ranked.rank <= coalesce($k, ranked.rank)
GROUP BY lists.system, lists.segment, ranked.score
UNION ALL
SELECT lists.system, lists.segment, old_ranked.score, 0 AS is_new, count(*) AS n
FROM lists
JOIN old_ranked ON old_ranked.query_id = lists.query_id
WHERE old_ranked.rank <= coalesce($k, old_ranked.rank)
GROUP BY lists.system, lists.segment, old_ranked.score;
