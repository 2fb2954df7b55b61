-- name:     mce
-- title:    Maximum calibration error
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass'))
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- interval: none, it is a maximum, which every resample adds noise to, so that its samples lie above the true
--           value
-- formula:  the largest |mean p - mean y| of a bin
-- source:   Naeini, Cooper and Hauskrecht, AAAI 2015
-- oracle:   reference
-- example:  mce() = 0.39
SELECT system, segment, max(abs(mean_score - mean_label)) AS value
FROM bins
GROUP BY system, segment;
