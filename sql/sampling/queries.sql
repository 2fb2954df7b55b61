-- name:     queries
-- title:    A query for each of some ranks of its relevant item, and for each reason that there is none
-- inputs:   ranks (rank)
-- grain:    query_id
-- note:     stands in for the relation of this name; the query is called as the rank, 0 is missing, -1 has no relevant
--           item, -2 both, so that the policies say what those three are worth
SELECT '' AS system, rank AS query_id, FALSE AS missing
FROM ranks
UNION ALL
SELECT '' AS system, others.place AS query_id, others.place <> -1 AS missing
FROM range(-2, 1) AS others(place);
