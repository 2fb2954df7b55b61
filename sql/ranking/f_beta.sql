-- name:     f_beta
-- alias:    f1 (beta = 1)
-- title:    Weighted harmonic mean of precision and recall, per query
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   beta DOUBLE CHECK (beta > 0),
--           k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   beta: recall is beta times as important as precision
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  (1 + beta^2) * P * R / (beta^2 * P + R); 0 without a hit
-- source:   van Rijsbergen, Information Retrieval, 1979
-- oracle:   reference
-- example:  f_beta(beta := 1, k := 2) = 0.5
SELECT
    system,
    query_id,
    CASE
        WHEN recall.value = 0 THEN 0e0
        ELSE (1 + $beta * $beta) * precision.value * recall.value
            / nullif($beta * $beta * precision.value + recall.value, 0)
    END AS value
FROM recall
LEFT JOIN precision USING (system, query_id);
