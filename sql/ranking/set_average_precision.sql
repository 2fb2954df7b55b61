-- name:     set_average_precision
-- alias:    set_ap
-- title:    Precision times recall, the average precision of a list without an order
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in recall
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  P * R = h^2 / (k * m), without a cut-off h^2 / (n * m); 0 without a hit
-- source:   trec_eval set_map
-- oracle:   ir_measures SetAP
-- example:  set_average_precision(k := 2) = 0.25
SELECT
    system,
    query_id,
    CASE WHEN recall.value = 0 THEN 0e0 ELSE precision.value * recall.value END AS value
FROM recall
LEFT JOIN precision USING (system, query_id);
