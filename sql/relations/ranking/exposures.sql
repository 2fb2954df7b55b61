-- name:     exposures
-- title:    Recommended items with the number of lists that have them, in the order of that number
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           over VARCHAR DEFAULT 'catalog' CHECK (over IN ('catalog', 'recommended')),
--           padding INTEGER DEFAULT 0 CHECK (padding >= 0)
-- values:   k: as in ranking/recall
--           over=catalog: the items are those of the catalogue
--           over=recommended: the items are those in at least one list
--           padding: a number of further items that no list has
-- grain:    system, segment, item_id
-- note:     a list is the first k items of a query; low_place is 1 for the item in the fewest lists, of those
--           in a list, n_listed; n_items is the number of all items
WITH counted AS (
    SELECT system, segment, item_id, count(*) AS n_lists
    FROM listed
    WHERE rank <= coalesce($k, rank)
    GROUP BY system, segment, item_id
),
catalog_size AS (
    SELECT count(*) AS n_items
    FROM items
    WHERE $over = 'catalog'
),
known AS (
    SELECT counted.system, counted.segment, counted.item_id, counted.n_lists
    FROM counted
    WHERE $over = 'recommended'
    UNION ALL
    SELECT counted.system, counted.segment, counted.item_id, counted.n_lists
    FROM counted
    JOIN items ON items.item_id = counted.item_id
    WHERE $over = 'catalog'
),
placed AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        row_number() OVER (PARTITION BY system, segment ORDER BY n_lists, item_id) AS low_place,
        count(*) OVER (PARTITION BY system, segment) AS n_listed
    FROM known
)
SELECT
    placed.system,
    placed.segment,
    placed.item_id,
    placed.n_lists,
    placed.low_place,
    placed.n_listed,
    CASE $over WHEN 'catalog' THEN catalog_size.n_items ELSE placed.n_listed END + $padding AS n_items
FROM placed
CROSS JOIN catalog_size;
