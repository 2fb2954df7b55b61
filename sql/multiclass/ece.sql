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
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass')),
--           edges DOUBLE[] DEFAULT NULL CHECK (list_extract(edges, 1) = 0 AND list_extract(edges, -1) = 1
--               AND list_sort(list_distinct(edges)) = edges),
--           kind VARCHAR DEFAULT 'top' CHECK (kind IN ('top', 'class'))
-- values:   bins: as in relations/classification/binned
--           binning: as in relations/classification/binned
--           edges: as in relations/classification/binned
--           kind=top: the probability of the predicted class counts, whether it is right or not
--           kind=class: every class counts with bins of its own; the value is their mean
-- idle:     undefined WHEN TRUE; bins WHEN edges IS NOT NULL; binning WHEN edges IS NOT NULL
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
-- note:     the bins are those of the metric of two classes: a bin includes its lower edge, and the last one both
WITH counted AS (
    SELECT system, segment, CASE $kind WHEN 'class' THEN class ELSE '' END AS class, p, label, weight
    FROM class_probabilities
    WHERE $kind = 'class' OR place = 1
),
places AS (
    SELECT
        system, segment, class, p, label, weight,
        rank() OVER (PARTITION BY system, segment, class ORDER BY p) - 1 AS place,
        CAST(count(*) OVER (PARTITION BY system, segment, class) AS DOUBLE) AS size
    FROM counted
),
placed AS (
    SELECT
        system, segment, class, p, label, weight, place,
        floor(size / $bins) AS few,
        size - $bins * floor(size / $bins) AS wide
    FROM places
),
binned AS (
    SELECT
        system, segment, class, p, label, weight,
        CASE
            WHEN $edges IS NOT NULL
                THEN CAST(least(length(list_filter($edges, lambda edge: edge <= p)), length($edges) - 1) AS DOUBLE) - 1
            WHEN $binning = 'mass' THEN CASE
                WHEN place < wide * (few + 1) THEN floor(place / (few + 1))
                ELSE wide + floor((place - wide * (few + 1)) / nullif(few, 0))
            END
            WHEN p >= 1 THEN $bins - 1e0
            WHEN p >= (floor(p * $bins) + 1) / $bins THEN floor(p * $bins) + 1
            WHEN p < floor(p * $bins) / $bins THEN floor(p * $bins) - 1
            ELSE floor(p * $bins)
        END AS bin
    FROM placed
),
bins AS (
    SELECT system, segment, class, bin, sum(weight) AS total, sum(weight * p) AS p, sum(weight * label) AS actual
    FROM binned
    GROUP BY system, segment, class, bin
)
SELECT system, segment, sum(abs(p - actual)) / nullif(sum(total), 0) AS value
FROM bins
GROUP BY system, segment;
