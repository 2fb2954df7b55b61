-- name:     threshold_table
-- title:    Confusion matrix and its metrics at evenly spaced thresholds
-- meaning:  The table shows the confusion matrix and its metrics at several thresholds. It shows which errors a
--           decision at each threshold makes.
-- use:      to choose the threshold of a decision
-- beware:   if positives are rare, most scores are below the first steps, so use more points; confirm the chosen
--           threshold on other rows
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   points INTEGER DEFAULT 11 CHECK (points > 1)
-- values:   points: the number of thresholds from 0 to 1, at equal distances
-- grain:    system, segment, threshold
-- formula:  thresholds 0, 1 / (points - 1), ..., 1; a row is predicted positive if p >= threshold
-- source:   Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002
-- related:  confusion, pr_curve, roc_curve, max_f1, f_beta
WITH stepped AS (
    SELECT
        system,
        segment,
        label,
        weight,
        CASE
            WHEN p >= (floor(p * ($points - 1)) + 1) / ($points - 1) THEN floor(p * ($points - 1)) + 1
            WHEN p < floor(p * ($points - 1)) / ($points - 1) THEN floor(p * ($points - 1)) - 1
            ELSE floor(p * ($points - 1))
        END AS step
    FROM probabilities
),
slots AS (
    SELECT segments.system, segments.segment, slots.step
    FROM segments
    CROSS JOIN range($points) AS slots(step)
),
counted AS (
    SELECT system, segment, step, sum(weight * label) AS positives, sum(weight * (1 - label)) AS negatives
    FROM stepped
    GROUP BY system, segment, step
),
counts AS (
    SELECT
        slots.system,
        slots.segment,
        slots.step / CAST($points - 1 AS DOUBLE) AS threshold,
        sum(coalesce(counted.positives, 0))
            OVER (PARTITION BY slots.system, slots.segment ORDER BY slots.step DESC) AS tp,
        sum(coalesce(counted.negatives, 0))
            OVER (PARTITION BY slots.system, slots.segment ORDER BY slots.step DESC) AS fp,
        sum(coalesce(counted.positives, 0)) OVER (PARTITION BY slots.system, slots.segment) AS p,
        sum(coalesce(counted.negatives, 0)) OVER (PARTITION BY slots.system, slots.segment) AS n
    FROM slots
    LEFT JOIN counted
        ON counted.system = slots.system AND counted.segment = slots.segment
        AND counted.step = CAST(slots.step AS DOUBLE)
)
SELECT
    system, segment, threshold, tp, fp, p - tp AS fn, n - fp AS tn,
    tp / nullif(tp + fp, 0) AS precision,
    tp / nullif(p, 0) AS recall,
    (n - fp) / nullif(n, 0) AS specificity,
    2 * tp / nullif(tp + fp + p, 0) AS f1,
    (tp + n - fp) / nullif(p + n, 0) AS accuracy
FROM counts
ORDER BY system, segment, threshold;
