-- name:     first_items
-- title:    The first k items of the lists that count, once in each slice
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- values:   k: as in ranking/recall
--           discount=none: every item of a list gets the same exposure
--           discount=log2: an item gets the exposure 1 / log2(rank + 1)
--           discount=geometric: an item gets the exposure patience ^ (rank - 1)
--           patience: the share of users who go on from one item to the next
-- grain:    system, segment, query_id, item_id
SELECT
    system,
    segment,
    query_id,
    item_id,
    CASE $discount
        WHEN 'log2' THEN ln(2e0) / ln(rank + 1e0)
        WHEN 'geometric' THEN power($patience, rank - 1)
        ELSE 1e0
    END AS exposure
FROM listed
WHERE rank <= coalesce($k, rank);
