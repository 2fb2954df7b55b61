-- name:     covered
-- title:    Number of recommended items that count for coverage, and the size of the catalogue
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   scale VARCHAR DEFAULT 'share' CHECK (scale IN ('share', 'count')),
--           padding INTEGER DEFAULT 0 CHECK (padding >= 0)
-- values:   scale=share: the number of items is divided by the size of the catalogue
--           scale=count: the value is the number of items
--           padding: as in exposures
-- grain:    system, segment
SELECT
    list_totals.system,
    list_totals.segment,
    count(exposures.item_id) AS n_covered,
    max(catalog_totals.n_catalog) + $padding AS n_catalog
FROM list_totals
CROSS JOIN catalog_totals
LEFT JOIN exposures ON exposures.system = list_totals.system AND exposures.segment = list_totals.segment
WHERE $scale = 'share'
GROUP BY list_totals.system, list_totals.segment
UNION ALL
SELECT list_totals.system, list_totals.segment, count(exposures.item_id) AS n_covered, 1 AS n_catalog
FROM list_totals
LEFT JOIN exposures ON exposures.system = list_totals.system AND exposures.segment = list_totals.segment
WHERE $scale = 'count'
GROUP BY list_totals.system, list_totals.segment;
