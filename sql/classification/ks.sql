-- name:     ks
-- title:    Kolmogorov-Smirnov distance of the scores of both classes
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: none, it is a maximum, which every resample adds noise to, so that its samples lie above the true
--           value
-- formula:  max over thresholds of |TPR - FPR|
-- source:   Kolmogorov 1933; Smirnov 1948, doi:10.1214/aoms/1177730256
-- oracle:   scipy ks_2samp
-- example:  ks() = 0.555556
SELECT system, segment, max(abs(tp / nullif(p, 0) - fp / nullif(n, 0))) AS value
FROM thresholds
GROUP BY system, segment;
