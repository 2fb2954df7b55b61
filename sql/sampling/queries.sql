-- name:     queries
-- title:    A query for each of some ranks of its relevant item, one that is missing, and one without such an item
-- inputs:   ranks (rank)
-- grain:    query_id
-- note:     stands in for the relation of this name; the query is called as the rank, 0 is missing, -1 has no relevant
--           item, so that the policies say what those two are worth
SELECT '' AS system, rank AS query_id, FALSE AS missing
FROM ranks
UNION ALL
SELECT '' AS system, others.place AS query_id, others.place = 0 AS missing
FROM range(-1, 1) AS others(place);
