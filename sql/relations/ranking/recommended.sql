-- name:     recommended
-- title:    Returned items with their popularity in the history
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users'))
-- values:   popularity: as in item_popularity
-- grain:    system, query_id, item_id
-- note:     popularity and the places are NULL for a cold item, one that the history does not have
SELECT
    ranked.system,
    ranked.query_id,
    ranked.item_id,
    ranked.rank,
    item_popularity.popularity,
    item_popularity.head_place,
    item_popularity.tail_place,
    item_popularity.more_popular,
    item_popularity.popularity_place,
    item_popularity.low_rank,
    item_popularity.n_equal,
    popularity_totals.n_items,
    popularity_totals.largest,
    popularity_totals.smallest,
    popularity_totals.total,
    popularity_totals.popularity AS popularity_of_all
FROM ranked
CROSS JOIN popularity_totals
LEFT JOIN item_popularity ON item_popularity.item_id = ranked.item_id;
