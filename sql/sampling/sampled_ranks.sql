-- name:     sampled_ranks
-- title:    Queries of each system by the rank of their relevant item among the candidates
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, place
-- note:     place is a rank; 0 if the query is missing, -1 if it has no relevant item, -2 if both hold
WITH places AS (
    SELECT
        system,
        query_id,
        max(rank) AS rank,
        max(n_returned) AS n_returned,
        min(relevance) AS lowest,
        max(relevance) AS highest
    FROM relevant
    GROUP BY system, query_id
)
SELECT
    queries.system,
    CASE
        WHEN coalesce(judged_queries.m, 0) = 0 THEN CASE WHEN queries.missing THEN -2 ELSE -1 END
        WHEN queries.missing THEN 0
        ELSE places.rank
    END AS place,
    count(*) AS n,
    count(*) FILTER (WHERE queries.missing) AS n_missing,
    min(places.n_returned) FILTER (WHERE NOT queries.missing) AS fewest,
    max(places.n_returned) FILTER (WHERE NOT queries.missing) AS most,
    min(places.lowest) FILTER (WHERE NOT queries.missing) AS lowest,
    max(places.highest) FILTER (WHERE NOT queries.missing) AS highest
FROM queries
LEFT JOIN judged_queries ON judged_queries.query_id = queries.query_id
LEFT JOIN places ON places.system = queries.system AND places.query_id = queries.query_id
GROUP BY queries.system, place;
