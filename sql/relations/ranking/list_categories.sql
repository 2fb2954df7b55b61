-- name:     list_categories
-- title:    Categories of each list with their number of items and their weight
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           item_categories (item_id, category)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- values:   k: as in ranking/recall
--           discount: as in categorized
--           patience: as in categorized
-- grain:    system, query_id, category
-- note:     the items without a category are in the row with category NULL; the sum of n_first is the number of items
--           of the list, as each item is counted in the row of one category only
WITH counted AS (
    SELECT
        system,
        query_id,
        category,
        count(*) AS n_items,
        count(CASE WHEN coalesce(number, 1) = 1 THEN 1 END) AS n_first,
        sum(weight / n_own) AS weight
    FROM categorized
    WHERE $k IS NULL OR rank <= $k
    GROUP BY system, query_id, category
)
SELECT
    counted.system,
    counted.query_id,
    counted.category,
    counted.n_items,
    counted.n_first,
    counted.weight,
    all_categories.n_all
FROM counted
LEFT JOIN all_categories ON all_categories.one = 1;
