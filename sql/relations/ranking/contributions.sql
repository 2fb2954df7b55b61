-- name:     contributions
-- title:    Contribution of each item to the value of its query
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), terms (system, query_id, item, place, gain, term),
--           valued (system, query_id, missing, no_relevant, value, weight)
-- grain:    system, query_id, item_id, rank
-- note:     terms are the terms of the metric, and valued its values after the policies; every returned item has
--           a row, and every relevant item that was not returned a row without a rank; the contributions of a query
--           add up to its value; a query whose value comes from a policy, or that has no value, has no contributions
WITH added AS (
    SELECT system, query_id, place, sum(gain) AS gain, sum(term) AS term
    FROM terms
    WHERE place IS NOT NULL
    GROUP BY system, query_id, place
),
listed AS (
    SELECT system, query_id, item_id, rank, max(tie_first) AS tie_first, max(tie_last) AS tie_last
    FROM returned
    GROUP BY system, query_id, item_id, rank
),
unlisted AS (
    SELECT queries.system, queries.query_id, graded_items.item_id
    FROM graded_items
    JOIN queries ON queries.query_id = graded_items.query_id
    LEFT JOIN listed
        ON listed.system = queries.system
        AND listed.query_id = graded_items.query_id
        AND listed.item_id = graded_items.item_id
    WHERE graded_items.relevant = 1 AND listed.item_id IS NULL
),
items AS (
    SELECT system, query_id, item_id, rank, tie_first, tie_last
    FROM listed
    UNION ALL
    SELECT system, query_id, item_id, NULL AS rank, NULL AS tie_first, NULL AS tie_last
    FROM unlisted
)
SELECT items.system, items.query_id, items.item_id, items.rank, items.tie_first, items.tie_last, graded_items.relevance,
    coalesce(graded_items.relevant, 0) AS relevant, coalesce(added.gain, 0) AS gain,
    CASE
        WHEN explained_values.value IS NULL OR explained_values.policy IS NOT NULL THEN NULL
        ELSE coalesce(added.term, 0)
    END AS contribution
FROM items
LEFT JOIN graded_items ON graded_items.query_id = items.query_id AND graded_items.item_id = items.item_id
LEFT JOIN added ON added.system = items.system AND added.query_id = items.query_id AND added.place = items.rank
JOIN explained_values ON explained_values.system = items.system AND explained_values.query_id = items.query_id;
