-- name:     precision_at_recall
-- title:    Largest precision at a recall or better
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   recall DOUBLE CHECK (recall >= 0 AND recall <= 1)
-- values:   recall: the lowest recall that is accepted
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  max over thresholds with R >= recall of P
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   reference
-- example:  precision_at_recall(recall := 0.8) = 0.615385
SELECT
    system,
    segment,
    max(CASE WHEN tp / nullif(p, 0) >= $recall THEN tp / nullif(tp + fp, 0) END) AS value
FROM thresholds
GROUP BY system, segment;
