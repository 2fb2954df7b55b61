-- name:     covered
-- title:    Recommended items that count for coverage, with the size of the catalogue
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   scale VARCHAR DEFAULT 'share' CHECK (scale IN ('share', 'count')),
--           padding INTEGER DEFAULT 0 CHECK (padding >= 0)
-- values:   scale=share: the number of items is divided by the size of the catalogue
--           scale=count: the value is the number of items
--           padding: as in exposures
-- grain:    system, segment, item_id
SELECT exposures.system, exposures.segment, exposures.item_id, catalog_totals.n_catalog + $padding AS n_catalog
FROM exposures
CROSS JOIN catalog_totals
WHERE $scale = 'share'
UNION ALL
SELECT system, segment, item_id, 1 AS n_catalog
FROM exposures
WHERE $scale = 'count';
