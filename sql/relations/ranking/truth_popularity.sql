-- name:     truth_popularity
-- title:    Queries by the popularity of their relevant items in the history
-- slice:    truth_popularity: 'head' if all relevant items are in the head, 'tail' if none is, 'mixed', or 'none'
--           if there are none; the head is the fewest most popular items with 80 % of the interactions
-- inputs:   known_queries (query_id), truth (query_id, item_id, relevance), history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users'))
-- values:   popularity: as in item_popularity
-- grain:    query_id
-- note:     an item that the history does not have is not in the head; a grade above 0 is relevant, whatever rel is
WITH head_items AS (
    SELECT item_popularity.item_id
    FROM item_popularity
    CROSS JOIN popularity_totals
    WHERE 5 * item_popularity.more_popular < 4 * popularity_totals.popularity
),
wanted AS (
    SELECT truth.query_id, count(*) AS n_relevant, count(head_items.item_id) AS n_head
    FROM truth
    LEFT JOIN head_items ON head_items.item_id = truth.item_id
    WHERE truth.relevance > 0
    GROUP BY truth.query_id
)
SELECT
    known_queries.query_id,
    CASE
        WHEN wanted.n_relevant IS NULL THEN 'none'
        WHEN wanted.n_head = wanted.n_relevant THEN 'head'
        WHEN wanted.n_head = 0 THEN 'tail'
        ELSE 'mixed'
    END AS truth_popularity
FROM known_queries
LEFT JOIN wanted ON wanted.query_id = known_queries.query_id;
