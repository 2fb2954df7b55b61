-- name:     irrelevant_query
-- title:    queries of the truth without a relevant item
-- for:      ranking
-- severity: warning
-- why:      such queries have no value by default, so the mean covers only the others
-- column:   truth.relevance
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- advice:   check which column is the relevance; rel is the lowest grade of a relevant item
-- note:     reported if they are more than half; the switch no_relevant= sets how they count
WITH counted AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE m = 0) AS irrelevant
    FROM judged_queries
)
SELECT judged_queries.query_id, judged_queries.n_nonrelevant AS judged, counted.total
FROM judged_queries
CROSS JOIN counted
WHERE judged_queries.m = 0 AND 2 * counted.irrelevant > counted.total;
