-- name:     ahead_of_popularity
-- title:    Returned items, each with its advance over its place by popularity
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id), items (item_id)
-- grain:    system, query_id, item_id
-- note:     advance is the number of places, as a share of the catalogue; a cold item is behind the last place
SELECT
    judged_recommended.system,
    judged_recommended.query_id,
    judged_recommended.item_id,
    judged_recommended.rank,
    judged_recommended.relevant,
    CAST(greatest(
        coalesce(judged_recommended.popularity_place, catalog_totals.n_catalog + 1) - judged_recommended.rank, 0
    ) AS DOUBLE) / nullif(catalog_totals.n_catalog, 0) AS advance
FROM judged_recommended
CROSS JOIN catalog_totals;
