-- name:     numbered_lists
-- title:    Lists with ties, the number of each query, and the number of random orders of each list
-- inputs:   predictions (system, query_id), truth (query_id), shuffled_lists (system, query_id)
-- params:   most_orders INTEGER DEFAULT 1000 CHECK (most_orders > 1),
--           most_rows INTEGER DEFAULT 1000000 CHECK (most_rows > 0),
--           least_lists INTEGER DEFAULT 200 CHECK (least_lists > 0)
-- portable: no, orders are drawn by a hash that only DuckDB has
-- grain:    system, query_id
-- note:     a list has most_orders; fewer if the orders of a system have more than most_rows rows, but at least 2, and
--           all lists of a system together have at least least_lists
WITH returned_rows AS (
    SELECT predictions.system, predictions.query_id, count(*) AS n_rows
    FROM predictions
    JOIN shuffled_lists
        ON shuffled_lists.system = predictions.system AND shuffled_lists.query_id = predictions.query_id
    GROUP BY predictions.system, predictions.query_id
),
judged_rows AS (
    SELECT query_id, count(*) AS n_rows
    FROM truth
    GROUP BY query_id
),
sized AS (
    SELECT
        returned_rows.system,
        returned_rows.query_id,
        count(*) OVER (PARTITION BY returned_rows.system) AS n_lists,
        sum(returned_rows.n_rows + coalesce(judged_rows.n_rows, 0)) OVER (PARTITION BY returned_rows.system) AS n_rows
    FROM returned_rows
    LEFT JOIN judged_rows ON judged_rows.query_id = returned_rows.query_id
)
SELECT
    system,
    query_id,
    dense_rank() OVER (ORDER BY query_id) AS number,
    CAST(greatest(2, ceil($least_lists / n_lists), least($most_orders, floor($most_rows / n_rows))) AS BIGINT)
        AS n_orders
FROM sized;
