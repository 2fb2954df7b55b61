-- name:     queries
-- title:    One query for each rank of its relevant item, and one for each reason why there is no rank
-- inputs:   ranks (rank)
-- grain:    query_id
-- note:     replaces the relation of this name; the query id is the rank; query 0 is missing, query -1 has no
--           relevant item, and query -2 is both, so that the switches define the values of these three
SELECT '' AS system, rank AS query_id, FALSE AS missing
FROM ranks
UNION ALL
SELECT '' AS system, others.place AS query_id, others.place <> -1 AS missing
FROM range(-2, 1) AS others(place);
