-- name:     average_precision
-- alias:    ap, pr_auc
-- macro:    average_precision_score for average_precision, average_precision_score for ap
-- title:    Average precision, the area under the precision-recall curve
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   interpolation VARCHAR DEFAULT 'step' CHECK (interpolation IN ('step', 'trapezoid'))
-- values:   interpolation=step: a step of recall counts with the precision at its end
--           interpolation=trapezoid: a step of recall counts with the mean precision of its ends
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  sum over distinct scores, descending, of (R - previous R) P; trapezoid: the mean of P and the
--           previous P, which is 1 at first
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   sklearn average_precision_score
-- example:  average_precision() = 0.818277
-- note:     scores that are all equal give the share of positives; the trapezoid is optimistic and another number
SELECT
    system,
    segment,
    sum(
        positives / nullif(p, 0) * CASE $interpolation
            WHEN 'step' THEN tp / nullif(tp + fp, 0)
            ELSE (
                tp / nullif(tp + fp, 0)
                + coalesce((tp - positives) / nullif((tp - positives) + (fp - negatives), 0), 1)
            ) / 2
        END
    ) AS value
FROM thresholds
GROUP BY system, segment;
