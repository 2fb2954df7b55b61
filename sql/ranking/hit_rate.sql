-- name:     hit_rate
-- alias:    hr, success
-- title:    Share of queries with a relevant item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in recall
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL; unjudged WHEN k IS NULL;
--           catalog_size WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1 if h >= 1, else 0
-- source:   Deshpande and Karypis, TOIS 2004, doi:10.1145/963770.963776
-- oracle:   ir_measures Success@{k}
-- example:  hit_rate(k := 2) = 1
SELECT
    system,
    query_id,
    CASE WHEN count(*) FILTER (WHERE rank <= coalesce($k, rank)) > 0 THEN 1e0 ELSE 0e0 END AS value
FROM relevant
GROUP BY system, query_id;
