-- name:     returned_counts
-- title:    Number of items each system returned for a query
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   by_rank BOOLEAN DEFAULT FALSE
-- grain:    system, query_id
-- note:     by_rank: the length of a list is its last rank; missing ranks are unjudged items
SELECT system, query_id, n_predicted AS n_returned
FROM answers
WHERE NOT $by_rank AND $unjudged = 'nonrelevant' AND $duplicates <> 'first'
UNION ALL
SELECT system, query_id, count(*) AS n_returned
FROM candidates
WHERE $unjudged = 'skip' OR ($duplicates = 'first' AND NOT $by_rank)
GROUP BY system, query_id
UNION ALL
SELECT
    system,
    query_id,
    CASE WHEN min(score) BETWEEN -9e15 AND -1 THEN CAST(floor(-min(score)) AS BIGINT) END AS n_returned
FROM candidates
WHERE $by_rank AND $unjudged = 'nonrelevant'
GROUP BY system, query_id;
