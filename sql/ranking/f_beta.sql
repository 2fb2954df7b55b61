-- name:     f_beta
-- alias:    f1 (beta = 1)
-- title:    Weighted harmonic mean of precision and recall, per query
-- group:    Accuracy
-- meaning:  F combines the precision and the recall of the returned items in one number. It is high only if both are
--           high.
-- use:      when users see a list of limited length and both wrong items and missed items cost something
-- beware:   at a cut-off, only a query with exactly k relevant items can reach 1; the mean is not the F of the mean
--           precision and recall
-- reading:  1: the first k items are all relevant, and no relevant item is missing
--           0.5: for example, precision and recall are both 0.5
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   beta DOUBLE CHECK (beta > 0),
--           k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: ties VARCHAR DEFAULT 'item_asc' CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text',
--               'pessimistic', 'optimistic', 'input', 'expected'))
-- values:   beta: recall is beta times as important as precision
--           ties=expected: as in dcg
-- idle:     ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    CASE WHEN ties <> 'expected' THEN k END
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  (1 + beta^2) * P * R / (beta^2 * P + R); 0 without a hit
-- tex:      F_\beta = \frac{(1 + \beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R}
-- symbols:  P: the precision of the first k items, by default of all
--           R: the recall of the first k items, by default of all
--           \beta: the factor by which recall counts more than precision
-- source:   van Rijsbergen, Information Retrieval, 1979
-- oracle:   reference
-- example:  f_beta(beta := 1, k := 2) = 0.5
-- worked:   q1: (1 + 1^2) * 1/2 * 1/2 / (1^2 * 1/2 + 1/2) = 0.5
--           q2: (1 + 1^2) * 1/2 * 1/2 / (1^2 * 1/2 + 1/2) = 0.5
-- related:  precision, recall, set_average_precision, r_precision
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
