-- name:     f_beta
-- alias:    f1 (beta = 1)
-- macro:    f_beta_score for f_beta, f1_score for f1
-- title:    Weighted harmonic mean of precision and recall
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   beta DOUBLE CHECK (beta > 0),
--           threshold DOUBLE DEFAULT 0.5
-- values:   beta: as in ranking/f_beta
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- undefined: no row is positive or predicted positive
-- formula:  (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
-- source:   van Rijsbergen, Information Retrieval, 1979
-- oracle:   sklearn fbeta_score
-- example:  f_beta(beta := 2, threshold := 0.3) = 0.729167
SELECT
    system,
    segment,
    (1 + $beta * $beta) * tp / nullif((1 + $beta * $beta) * tp + $beta * $beta * fn + fp, 0) AS value
FROM confusion;
