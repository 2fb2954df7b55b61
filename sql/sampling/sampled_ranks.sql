-- name:     sampled_ranks
-- title:    Queries of each system by the rank of their relevant item among the candidates
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, place
-- note:     a place is a rank, 0 where the query is missing, -1 where it has no relevant item
SELECT
    queries.system,
    CASE
        WHEN coalesce(judged_queries.m, 0) = 0 THEN -1
        WHEN queries.missing THEN 0
        ELSE relevant.rank
    END AS place,
    count(*) AS n,
    count(*) FILTER (WHERE queries.missing) AS n_missing,
    min(relevant.n_returned) FILTER (WHERE NOT queries.missing) AS fewest,
    max(relevant.n_returned) FILTER (WHERE NOT queries.missing) AS most,
    min(relevant.relevance) FILTER (WHERE NOT queries.missing) AS lowest,
    max(relevant.relevance) FILTER (WHERE NOT queries.missing) AS highest
FROM queries
LEFT JOIN judged_queries ON judged_queries.query_id = queries.query_id
LEFT JOIN relevant ON relevant.system = queries.system AND relevant.query_id = queries.query_id
GROUP BY queries.system, place;
