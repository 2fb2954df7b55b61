-- name:     group_exposures
-- title:    How often the head and the tail are recommended, and how often they could be
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- grain:    system, segment, in_tail
-- note:     a user can get every item of the history but the own ones; items that the history lacks are in no group
WITH recommended_items AS (
    SELECT distinct_items.system, distinct_items.segment, tail_items.in_tail, count(*) AS n_recommended
    FROM distinct_items
    JOIN tail_items ON tail_items.item_id = distinct_items.item_id
    LEFT JOIN own_items
        ON own_items.query_id = distinct_items.query_id AND own_items.item_id = distinct_items.item_id
    WHERE own_items.item_id IS NULL
    GROUP BY distinct_items.system, distinct_items.segment, tail_items.in_tail
),
own AS (
    SELECT lists.system, lists.segment, tail_items.in_tail, count(*) AS n_own
    FROM lists
    JOIN own_items ON own_items.query_id = lists.query_id
    JOIN tail_items ON tail_items.item_id = own_items.item_id
    GROUP BY lists.system, lists.segment, tail_items.in_tail
),
user_counts AS (
    SELECT system, segment, count(*) AS n_users
    FROM lists
    GROUP BY system, segment
),
group_sizes AS (
    SELECT in_tail, count(*) AS n_items
    FROM tail_items
    GROUP BY in_tail
)
SELECT
    user_counts.system,
    user_counts.segment,
    group_sizes.in_tail,
    CAST(coalesce(recommended_items.n_recommended, 0) AS DOUBLE) AS n_recommended,
    user_counts.n_users * group_sizes.n_items - coalesce(own.n_own, 0) AS n_possible
FROM user_counts
CROSS JOIN group_sizes
LEFT JOIN recommended_items
    ON recommended_items.system = user_counts.system
        AND recommended_items.segment = user_counts.segment
        AND recommended_items.in_tail = group_sizes.in_tail
LEFT JOIN own
    ON own.system = user_counts.system AND own.segment = user_counts.segment AND own.in_tail = group_sizes.in_tail;
