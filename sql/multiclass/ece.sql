-- name:     ece
-- title:    Expected calibration error of several classes
-- meaning:  ECE is the average difference between the probability of the predicted class and the share of rows in which
--           it is the right one.
-- use:      to see whether the model is as sure as it is right
-- beware:   the value depends on the bins; if bins hold few rows, even a calibrated model has a value above 0; it looks
--           only at the predicted class, unless kind=class
-- reading:  0: in every bin, the predicted class is right as often as the probability says
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           kind VARCHAR DEFAULT 'top' CHECK (kind IN ('top', 'class'))
-- values:   bins: the number of bins of the probability, of equal width
--           kind=top: the probability of the predicted class counts, whether it is right or not
--           kind=class: every class counts with bins of its own; the value is their mean
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- interval: none, it is a sum of absolute values: every resample adds noise, and the samples lie above the true value
-- formula:  sum over bins of n_b |mean p - mean y| / n
-- tex:      \mathrm{ECE} = \sum_{b} \frac{n_b}{n} \left| \bar{p}_b - \bar{y}_b \right|
-- symbols:  b: a bin of the probability
--           n_b: the number of rows in bin b
--           n: the number of rows
--           \bar{p}_b: the mean probability in bin b
--           \bar{y}_b: the share of rows in bin b whose class is right
-- source:   Guo et al., ICML 2017, arXiv:1706.04599
-- oracle:   reference
-- example:  ece() = 0.300000
-- worked:   (abs(0.5 - 1) + abs(0.6 + 0.6 + 0.6 - 1) + abs(0.7 - 1) + abs(0.8 - 1)) / 6 = 0.3
-- related:  log_loss, brier, accuracy
-- note:     bin b is [b / bins, (b + 1) / bins), and the last bin includes 1
WITH counted AS (
    SELECT
        system,
        segment,
        CASE $kind WHEN 'class' THEN class ELSE '' END AS class,
        least(
            CASE
                WHEN p >= (floor(p * $bins) + 1) / $bins THEN floor(p * $bins) + 1
                WHEN p < floor(p * $bins) / $bins THEN floor(p * $bins) - 1
                ELSE floor(p * $bins)
            END, $bins - 1
        ) AS bin,
        p, label, weight
    FROM class_probabilities
    WHERE $kind = 'class' OR place = 1
),
bins AS (
    SELECT system, segment, class, bin, sum(weight) AS total, sum(weight * p) AS p, sum(weight * label) AS actual
    FROM counted
    GROUP BY system, segment, class, bin
)
SELECT system, segment, sum(abs(p - actual)) / nullif(sum(total), 0) AS value
FROM bins
GROUP BY system, segment;
