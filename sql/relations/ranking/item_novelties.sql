-- name:     item_novelties
-- title:    Recommended items with their novelty in the history
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           cold VARCHAR DEFAULT 'zero' CHECK (cold IN ('zero', 'one', 'skip'))
-- values:   popularity: as in item_popularity
--           cold=zero: a recommendation of an item that the history lacks adds 0
--           cold=one: an item that the history lacks counts as if it had popularity 1
--           cold=skip: recommendations of items that the history lacks do not count
-- grain:    system, segment, item_id
-- note:     novelty is the negative base-2 logarithm of the share of the interactions, or of the users
SELECT
    item_lists.system,
    item_lists.segment,
    item_lists.item_id,
    item_lists.n_lists,
    CASE
        WHEN item_popularity.popularity IS NOT NULL OR $cold = 'one'
            THEN ln(popularity_totals.total / coalesce(item_popularity.popularity, 1)) / ln(2e0)
        WHEN $cold = 'zero' THEN 0e0
    END AS novelty
FROM item_lists
CROSS JOIN popularity_totals
LEFT JOIN item_popularity ON item_popularity.item_id = item_lists.item_id;
