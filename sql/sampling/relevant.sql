-- name:     relevant
-- title:    One relevant item at each of some ranks among all items
-- inputs:   ranks (rank)
-- params:   n_items INTEGER CHECK (n_items > 0), grade DOUBLE
-- grain:    query_id
-- note:     replaces the relation of this name, so that a metric can be evaluated as a function of the rank; the
--           query id is the rank
SELECT
    '' AS system,
    rank AS query_id,
    1 AS item_id,
    $grade AS relevance,
    1 AS ideal_rank,
    1 AS m,
    $n_items AS n_returned,
    rank,
    1 AS hit,
    1 AS returned_ideal_rank
FROM ranks;
