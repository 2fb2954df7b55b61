-- name:     rating_as_relevance
-- title:    scales without a grade for nonrelevant items, so that every judged item is relevant
-- for:      ranking
-- severity: note
-- why:      an item with a low rating counts as a hit, too
-- column:   truth.relevance
-- inputs:   truth (relevance)
-- params:   rel DOUBLE DEFAULT NULL
-- advice:   if these are ratings, set rel to the lowest good one, such as rel=4; cg, dcg and ndcg accept it only with
--           gain=binary, as in ndcg(gain=binary, rel=4)
-- note:     four grades or more, as few positive-only judgments have
WITH scale AS (
    SELECT min(relevance) AS lowest, max(relevance) AS highest, count(DISTINCT relevance) AS grades
    FROM truth
)
SELECT lowest, highest, grades
FROM scale
WHERE $rel IS NULL AND lowest > 0 AND highest >= 4 AND grades >= 4;
