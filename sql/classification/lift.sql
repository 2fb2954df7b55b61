-- name:     lift
-- title:    Lift of the top share of the rows
-- meaning:  Lift compares the share of positives among the rows with the highest scores with the share among all
--           rows. A lift of 2 means twice as many positives as in a random choice of the same size.
-- use:      when a campaign or a review reaches only a fixed share of the rows, such as the best tenth
-- beware:   the value cannot exceed 1 / top or 1 / base rate, so lifts at other shares or base rates are not
--           comparable
-- reading:  2: the top rows hold twice as many positives as a random choice
--           1: no better than random
--           0: the top rows hold no positive
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   top DOUBLE CHECK (top > 0 AND top <= 1)
-- values:   top: the share of rows with the highest scores, such as 0.1 for a tenth
-- grain:    system, segment
-- range:    [0, inf), higher is better
-- formula:  share of the positives among the top rows / top; rows at the cut count in proportion
-- tex:      \mathrm{lift} = \frac{\mathrm{TP}_q / P}{q}
-- symbols:  q: the share of the rows that are in the top, the parameter top
--           \mathrm{TP}_q: the number of positives in the top; rows that tie at the cut count in proportion
--           P: the number of positives among all rows
-- source:   Berry and Linoff, Data Mining Techniques, 2004
-- oracle:   reference
-- example:  lift(top := 0.25) = 2.222222
-- worked:   (5 / 9) / 0.25 = 2.2222
-- related:  gains_curve, precision, gini, precision_at_recall
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
