-- name:     base_rate
-- alias:    prevalence, ctr
-- title:    Share of the positives
-- inputs:   predictions (system, segment, label, weight)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 1], neither is better
-- interval: proportion
-- formula:  P / (P + N)
-- source:   Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899
-- oracle:   reference
-- example:  base_rate() = 0.375
SELECT system, segment, sum(weight * label) / nullif(sum(weight), 0) AS value
FROM labeled
GROUP BY system, segment;
