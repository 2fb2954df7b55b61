-- name:     ace
-- title:    Average calibration error over the bins
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass'))
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], lower is better
-- interval: none, it is a sum of absolute values, which every resample adds noise to, so that its samples lie
--           above the true value
-- formula:  mean over bins that hold a row of |mean p - mean y|
-- source:   Neumann, Zisserman and Vedaldi, NeurIPS workshop 2018
-- oracle:   reference
-- example:  ace() = 0.156241
SELECT system, segment, avg(abs(mean_score - mean_label)) AS value
FROM bins
GROUP BY system, segment;
