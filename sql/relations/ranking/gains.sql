-- name:     gains
-- title:    Gain of each item in a (discounted) cumulative gain, and its position
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           gain VARCHAR DEFAULT 'linear' CHECK (gain IN ('linear', 'exp2', 'binary')),
--           discount VARCHAR DEFAULT 'log2' CHECK (discount IN ('log2', 'log2_clip', 'reciprocal')),
--           ideal VARCHAR DEFAULT 'none' CHECK (ideal IN ('none', 'judged', 'returned', 'full_k'))
-- values:   k: as in ranking/recall
--           gain=linear: the gain of an item is its grade
--           gain=exp2: the gain of an item is 2^grade - 1
--           gain=binary: the gain of every relevant item is 1
--           discount=log2: the gain at rank i is divided by log2(i + 1)
--           discount=log2_clip: the gain at rank i is divided by max(1, log2(i))
--           discount=reciprocal: the gain at rank i is divided by i
--           ideal=none: the order of the ranking itself, not an ideal order
--           ideal=judged: the ideal has all relevant items of the truth
--           ideal=returned: the ideal has the returned items only
--           ideal=full_k: the ideal has k items of the highest grade
-- facts:    exponential WHEN gain = 'exp2'
-- grain:    system, query_id, item_id
-- note:     ideal=none is the ranking itself; item and place are as in relevant; ties=expected gives every row the
--           mean gain of its tie group, which is the average over all orders (McSherry and Najork, ECIR 2008)
WITH placed AS (
    SELECT system, query_id, item, place, relevance, TRUE AS is_relevant, NULL AS tie_first,
        CASE $ideal WHEN 'none' THEN rank WHEN 'returned' THEN returned_ideal_rank ELSE ideal_rank END AS position
    FROM relevant
    WHERE $ideal <> 'full_k' AND ($ties <> 'expected' OR $ideal <> 'none')
    UNION ALL
    SELECT queries.system, queries.query_id, item_id AS item, rank AS place, relevance, is_relevant, tie_first,
        rank AS position
    FROM queries
    LEFT JOIN returned ON returned.system = queries.system AND returned.query_id = queries.query_id
    WHERE $ties = 'expected' AND $ideal = 'none'
    UNION ALL
    SELECT system, query_id, NULL AS item, NULL AS place, max(relevance) AS relevance, TRUE AS is_relevant,
        NULL AS tie_first, slots.position
    FROM relevant
    CROSS JOIN range(1, CAST($k AS BIGINT) + 1) AS slots(position)
    WHERE $ideal = 'full_k'
    GROUP BY system, query_id, slots.position
),
gained AS (
    SELECT
        system,
        query_id,
        item,
        place,
        position,
        tie_first,
        CASE
            WHEN NOT is_relevant THEN 0e0
            WHEN $gain = 'exp2' THEN power(2e0, relevance) - 1
            WHEN $gain = 'binary' THEN 1e0
            ELSE relevance
        END AS gain
    FROM placed
),
averaged AS (
    SELECT system, query_id, item, place, position, gain
    FROM gained
    WHERE $ties <> 'expected' OR $ideal <> 'none'
    UNION ALL
    SELECT system, query_id, item, place, position, avg(gain) OVER (PARTITION BY system, query_id, tie_first) AS gain
    FROM gained
    WHERE $ties = 'expected' AND $ideal = 'none'
)
SELECT
    system,
    query_id,
    item,
    place,
    position,
    gain,
    CASE $discount
        WHEN 'log2' THEN 1e0 / log(2, position + 1)
        WHEN 'log2_clip' THEN 1e0 / greatest(1e0, log(2, position))
        ELSE 1e0 / position
    END AS discount
FROM averaged;
