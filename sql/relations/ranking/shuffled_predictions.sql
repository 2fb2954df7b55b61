-- name:     shuffled_predictions
-- title:    Predictions of lists with ties, once for each of some random orders, which position has
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id),
--           shuffled_lists (system, query_id)
-- params:   most_orders INTEGER DEFAULT 1000 CHECK (most_orders > 1), seed INTEGER DEFAULT 42,
--           copied BOOLEAN DEFAULT FALSE
-- values:   copied: whether the copies of an item are separate items
-- portable: no, orders are drawn by a hash that only DuckDB has
-- grain:    system, query_id, item_id
-- note:     query_id is the number of the query, times most_orders, plus the place of the order; the orders of a list
--           are independent of each other, and of those of other lists
SELECT
    predictions.system,
    orders.number * $most_orders + orders.place AS query_id,
    predictions.item_id,
    predictions.score,
    -- With one hash, ids with similar hashes would get similar places.
    hash(hash(
        predictions.system,
        predictions.query_id,
        predictions.item_id,
        CASE WHEN $copied THEN row_number() OVER (
            PARTITION BY predictions.system, predictions.query_id, predictions.item_id, orders.place
            ORDER BY predictions.score
        ) ELSE 1 END,
        orders.place,
        $seed
    )) AS position
FROM predictions
JOIN (
    SELECT system, query_id, number, unnest(range(n_orders)) AS place
    FROM numbered_lists
) AS orders ON orders.system = predictions.system AND orders.query_id = predictions.query_id;
