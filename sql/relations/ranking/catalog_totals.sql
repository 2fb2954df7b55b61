-- name:     catalog_totals
-- title:    Number of items of the catalogue
-- inputs:   items (item_id)
-- grain:    n_catalog
SELECT count(item_id) AS n_catalog
FROM items;
