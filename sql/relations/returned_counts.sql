-- name:     returned_counts
-- title:    Number of items each system returned for a query
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- grain:    system, query_id
SELECT system, query_id, n_predicted AS n_returned
FROM answers
WHERE $unjudged = 'nonrelevant' AND $duplicates <> 'first'
UNION ALL
SELECT system, query_id, count(*) AS n_returned
FROM candidates
WHERE $unjudged = 'skip' OR $duplicates = 'first'
GROUP BY system, query_id;
