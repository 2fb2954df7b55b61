-- name:     base_rate
-- alias:    prevalence, ctr
-- title:    Share of the positives
-- meaning:  The base rate is the share of the rows that are positive; for clicks, it is the click-through rate. It
--           describes the data, not the model.
-- use:      to interpret metrics that depend on it, such as precision, accuracy and log loss
-- beware:   if negatives were sampled before the evaluation, the value is higher than in production
-- reading:  0: all rows are negative
--           0.5: both classes are equally common
--           1: all rows are positive
-- inputs:   predictions (system, segment, label, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], neither is better
-- interval: proportion
-- formula:  P / (P + N)
-- tex:      c = \frac{P}{P + N}
-- symbols:  c: the base rate
--           P: the number of positives
--           N: the number of negatives
-- source:   Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899
-- oracle:   reference
-- example:  base_rate() = 0.375
-- worked:   9 / (9 + 15) = 0.375
-- related:  base_entropy, calibration_ratio, lift, wilson_interval
SELECT system, segment, sum(weight * label) / nullif(sum(weight), 0) AS value
FROM labeled
GROUP BY system, segment;
