-- name:     r_precision
-- alias:    rprec
-- title:    Precision at rank m, the number of relevant items
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  hits in the top m / m
-- source:   Buckley and Voorhees, TREC: Experiment and Evaluation, 2005
-- oracle:   ir_measures Rprec
-- example:  r_precision() = 0.5
SELECT
    system,
    query_id,
    CAST(count(*) FILTER (WHERE rank <= m) AS DOUBLE) / nullif(max(m), 0) AS value
FROM relevant
GROUP BY system, query_id;
