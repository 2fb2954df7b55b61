-- name:     ece
-- title:    Expected calibration error
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass'))
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- interval: none, it is a sum of absolute values, which every resample adds noise to, so that its samples lie
--           above the true value
-- formula:  sum over bins of n_b |mean p - mean y| / n
-- source:   Naeini, Cooper and Hauskrecht, AAAI 2015
-- oracle:   reference
-- example:  ece() = 0.12375
SELECT system, segment, sum(total * abs(mean_score - mean_label)) / nullif(sum(total), 0) AS value
FROM bins
GROUP BY system, segment;
