-- name:     recall_at_precision
-- title:    Largest recall at a precision or better
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   precision DOUBLE CHECK (precision >= 0 AND precision <= 1)
-- values:   precision: the lowest precision that is accepted
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- undefined: no threshold reaches the precision
-- formula:  max over thresholds with P >= precision of R
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   reference
-- example:  recall_at_precision(precision := 0.75) = 0.666667
SELECT
    system,
    segment,
    max(CASE WHEN tp / nullif(tp + fp, 0) >= $precision THEN tp / nullif(p, 0) END) AS value
FROM thresholds
GROUP BY system, segment;
