-- name:     lift
-- title:    Lift of the top share of the rows
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   top DOUBLE CHECK (top > 0 AND top <= 1)
-- values:   top: the share of rows with the highest scores, such as 0.1 for a tenth
-- grain:    system, segment
-- range:    [0, inf), higher is better
-- formula:  share of the positives among the top rows / top; rows at the cut count in proportion
-- source:   Berry and Linoff, Data Mining Techniques, 2004
-- oracle:   reference
-- example:  lift(top := 0.25) = 2.222222
SELECT
    system,
    segment,
    sum(
        positives * greatest(least(
            ($top * (p + n) - (tp + fp - positives - negatives)) / nullif(positives + negatives, 0), 1
        ), 0)
    ) / nullif($top * max(p), 0) AS value
FROM thresholds
GROUP BY system, segment;
