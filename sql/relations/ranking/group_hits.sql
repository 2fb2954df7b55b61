-- name:     group_hits
-- title:    How many relevant items of the head and of the tail there are, and how many are recommended
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- grain:    system, segment, in_tail
-- note:     relevant items of the user's own history do not count; items that the history lacks are in no group
WITH wanted AS (
    SELECT lists.system, lists.segment, lists.query_id, graded_items.item_id, tail_items.in_tail
    FROM lists
    JOIN graded_items ON graded_items.query_id = lists.query_id
    JOIN tail_items ON tail_items.item_id = graded_items.item_id
    LEFT JOIN own_items
        ON own_items.query_id = graded_items.query_id AND own_items.item_id = graded_items.item_id
    WHERE graded_items.relevant = 1 AND own_items.item_id IS NULL
)
SELECT
    wanted.system,
    wanted.segment,
    wanted.in_tail,
    CAST(count(distinct_items.item_id) AS DOUBLE) AS n_recommended,
    count(*) AS n_possible
FROM wanted
LEFT JOIN distinct_items
    ON distinct_items.system = wanted.system
        AND distinct_items.segment = wanted.segment
        AND distinct_items.query_id = wanted.query_id
        AND distinct_items.item_id = wanted.item_id
GROUP BY wanted.system, wanted.segment, wanted.in_tail;
