-- name:     average_precision
-- alias:    ap, pr_auc
-- macro:    average_precision_score for average_precision, average_precision_score for ap
-- title:    Average precision, the area under the precision-recall curve
-- meaning:  Average precision summarizes the precision-recall curve in one number. It is high if most rows with high
--           scores are positives.
-- use:      when positives are rare and the rows with the highest scores matter most
-- beware:   the value grows with the base rate; do not compare slices or data sets with different base rates
-- reading:  1: every positive has a higher score than every negative
--           base rate: about the value of random scores
--           near 0: positives are rare and have the lowest scores
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   interpolation VARCHAR DEFAULT 'step' CHECK (interpolation IN ('step', 'trapezoid'))
-- values:   interpolation=step: a step of recall counts with the precision at its end
--           interpolation=trapezoid: a step of recall counts with the mean precision of its ends
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  sum over distinct scores, descending, of (R - previous R) P; trapezoid: the mean of P and the
--           previous P, which is 1 at first
-- tex:      \mathrm{AP} = \sum_{t=1}^{T} (R_t - R_{t-1}) P_t
-- symbols:  T: the number of distinct scores, from the highest to the lowest
--           R_t: the recall with distinct score t as the threshold
--           R_{t-1}: the recall at the score before, 0 at first
--           P_t: the precision with distinct score t as the threshold; trapezoid: the mean of it and the one before
-- source:   Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874
-- oracle:   sklearn average_precision_score
-- example:  average_precision() = 0.818277
-- worked:   (1/1 + 2/2 + 3/3 + 4/4 + 5/6 + 6/8 + 7/11 + 8/13 + 9/17) / 9 = 0.8183
-- related:  pr_curve, auc, precision_at_recall, max_f1
-- note:     if all scores are equal, the value is the share of positives; the trapezoid gives another value, which is
--           optimistic
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
