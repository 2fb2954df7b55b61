-- name:     categorized
-- title:    Returned items with their categories
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_categories (item_id, category)
-- params:   discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- values:   discount=none: every item of the list counts the same
--           discount=log2: an item counts as much as in DCG, 1 / log2(rank + 1)
--           discount=geometric: an item counts as much as a user is likely to reach it
--           patience: with discount=geometric, the probability that a user goes on
-- grain:    system, query_id, item_id, category
-- note:     an item without a category has one row, in which category, number and n_own are NULL
SELECT
    ranked.system,
    ranked.query_id,
    ranked.item_id,
    ranked.rank,
    CASE $discount
        WHEN 'log2' THEN 1 / log(2, ranked.rank + 1)
        WHEN 'geometric' THEN power($patience, ranked.rank - 1)
        ELSE 1e0
    END AS weight,
    numbered_categories.category,
    numbered_categories.number,
    numbered_categories.n_own
FROM ranked
LEFT JOIN numbered_categories ON numbered_categories.item_id = ranked.item_id;
