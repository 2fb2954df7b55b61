-- name:     base_entropy
-- title:    Entropy of the base rate
-- meaning:  Base entropy shows how uncertain a label is to someone who knows only the base rate. It is highest if
--           both classes are equally common.
-- use:      to judge a log loss: a useful model has a lower one
-- beware:   it describes the labels, not the model; tools that use log2 report a value 1.44 times as large
-- reading:  0.693: both classes are equally common, the highest possible value
--           0.325: one row in 10 is positive
--           0.056: one row in 100 is positive
-- inputs:   predictions (system, segment, label, weight)
-- params:   base_rate DOUBLE DEFAULT NULL CHECK (base_rate > 0 AND base_rate < 1)
-- values:   base_rate: the share of positives to compare with; by default the share in the rows
-- idle:     undefined WHEN base_rate IS NOT NULL
-- grain:    system, segment
-- range:    [0, 1], neither is better
-- formula:  -(c ln c + (1 - c) ln(1 - c)), c = the share of positives, or base_rate
-- tex:      H = -(c \ln c + (1 - c) \ln(1 - c))
-- symbols:  H: the base entropy
--           c: the share of positives, or the parameter base_rate
-- source:   He et al., ADKDD 2014, doi:10.1145/2648584.2648589
-- oracle:   reference
-- example:  base_entropy() = 0.661563
-- worked:   -(0.375 * ln(0.375) + 0.625 * ln(0.625)) = 0.6616
-- related:  log_loss, normalized_entropy, rig, base_rate
-- note:     without base_rate, it is the log loss of predicting the share of positives for every row
WITH shares AS (
    SELECT
        system,
        segment,
        CASE
            WHEN $base_rate IS NOT NULL THEN least($base_rate, 1 - $base_rate)
            ELSE least(sum(weight * label), sum(weight * (1 - label))) / nullif(sum(weight), 0)
        END AS smaller
    FROM labeled
    GROUP BY system, segment
)
SELECT
    system,
    segment,
    CASE WHEN smaller > 0 THEN -smaller * ln(smaller) - (1 - smaller) * log1p(-smaller) END AS value
FROM shares;
