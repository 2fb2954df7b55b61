-- name:     exposures
-- title:    Recommended items with their exposure, in the order of the exposure
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   over VARCHAR DEFAULT 'catalog' CHECK (over IN ('catalog', 'recommended')),
--           padding INTEGER DEFAULT 0 CHECK (padding >= 0)
-- values:   over=catalog: the items are those of the catalogue
--           over=recommended: the items are those in at least one list
--           padding: a number of further items that no list has
-- grain:    system, segment, item_id
-- note:     low_place is 1 for the item with the least exposure, of those in a list, n_listed; n_items is the number
--           of all items
WITH kept AS (
    SELECT system, segment, item_id, n_lists, exposure
    FROM item_lists
    WHERE $over = 'recommended'
    UNION ALL
    SELECT item_lists.system, item_lists.segment, item_lists.item_id, item_lists.n_lists, item_lists.exposure
    FROM item_lists
    JOIN items ON items.item_id = item_lists.item_id
    WHERE $over = 'catalog'
),
placed AS (
    SELECT
        system,
        segment,
        item_id,
        n_lists,
        exposure,
        row_number() OVER (PARTITION BY system, segment ORDER BY exposure, item_id) AS low_place,
        count(*) OVER (PARTITION BY system, segment) AS n_listed
    FROM kept
)
SELECT system, segment, item_id, n_lists, exposure, low_place, n_listed, n_listed + $padding AS n_items
FROM placed
WHERE $over = 'recommended'
UNION ALL
SELECT
    placed.system,
    placed.segment,
    placed.item_id,
    placed.n_lists,
    placed.exposure,
    placed.low_place,
    placed.n_listed,
    catalog_totals.n_catalog + $padding AS n_items
FROM placed
CROSS JOIN catalog_totals
WHERE $over = 'catalog';
