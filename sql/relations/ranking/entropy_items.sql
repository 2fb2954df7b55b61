-- name:     entropy_items
-- title:    Recommended items with the number that an entropy is divided by
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   scale VARCHAR DEFAULT 'none' CHECK (scale IN ('none', 'items', 'max')),
--           unit VARCHAR DEFAULT 'bits' CHECK (unit IN ('bits', 'nats'))
-- values:   scale=none: the entropy itself
--           scale=items: the entropy divided by the number of items in a list
--           scale=max: the entropy divided by the largest one of the catalogue
--           unit=bits: logarithms to base 2
--           unit=nats: natural logarithms
-- grain:    system, segment, item_id
SELECT
    item_lists.system,
    item_lists.segment,
    item_lists.item_id,
    CAST(item_lists.n_lists AS DOUBLE) AS n_lists,
    item_lists.weight,
    ln(CAST(nullif(catalog_totals.n_catalog, 0) AS DOUBLE)) AS divisor
FROM item_lists
CROSS JOIN catalog_totals
WHERE $scale = 'max'
UNION ALL
SELECT
    system,
    segment,
    item_id,
    CAST(n_lists AS DOUBLE) AS n_lists,
    weight,
    CASE $unit WHEN 'bits' THEN ln(2e0) ELSE 1e0 END
        * CASE $scale WHEN 'items' THEN count(*) OVER (PARTITION BY system, segment) ELSE 1 END AS divisor
FROM item_lists
WHERE $scale <> 'max';
