-- name:     recall
-- title:    Recall
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'relevant' CHECK (norm IN ('relevant', 'min_k'))
-- values:   k: the number of top ranks that count; all by default
--           norm=relevant: hits are divided by the number of relevant items
--           norm=min_k: hits are divided by min(k, relevant items)
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL;
--           catalog_size WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  h / m; norm=min_k: h / min(m, k)
-- source:   Cleverdon, Aslib Proceedings 1967
-- oracle:   ir_measures R@{k}
-- example:  recall(k := 2) = 0.5
SELECT
    system,
    query_id,
    CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(CASE $norm WHEN 'min_k' THEN least($k, max(m)) ELSE max(m) END, 0) AS value
FROM relevant
GROUP BY system, query_id;
