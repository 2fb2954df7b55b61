-- name:     common_items
-- title:    Items that a list shares with the reference run, with the number of items above them
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- grain:    system, query_id, rank
-- note:     n_above counts the shared items above an item in the list, and n_agreeing those of them that are above it
--           in the reference run, too; this compares all pairs of shared items of a list
WITH shared AS (
    SELECT system, query_id, rank, reference_rank
    FROM moved
    WHERE reference_rank <= coalesce($k, reference_rank) AND rank <= coalesce($k, rank)
)
SELECT
    shared.system,
    shared.query_id,
    shared.rank,
    count(above.rank) AS n_above,
    count(CASE WHEN above.reference_rank < shared.reference_rank THEN 1 END) AS n_agreeing
FROM shared
LEFT JOIN shared AS above
    ON above.system = shared.system AND above.query_id = shared.query_id AND above.rank < shared.rank
GROUP BY shared.system, shared.query_id, shared.rank;
