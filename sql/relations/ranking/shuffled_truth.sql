-- name:     shuffled_truth
-- title:    Judgments of the queries of shuffled_predictions, once for each order
-- inputs:   predictions (system, query_id), truth (query_id, item_id, relevance),
--           shuffled_lists (system, query_id)
-- params:   most_orders INTEGER DEFAULT 1000 CHECK (most_orders > 1)
-- portable: no, orders are drawn by a hash that only DuckDB has
-- grain:    query_id, item_id
SELECT orders.number * $most_orders + orders.place AS query_id, truth.item_id, truth.relevance
FROM truth
JOIN (
    SELECT query_id, number, unnest(range(max(n_orders))) AS place
    FROM numbered_lists
    GROUP BY query_id, number
) AS orders ON orders.query_id = truth.query_id;
