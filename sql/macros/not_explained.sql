-- name:     not_explained
-- title:    Metrics that are not sums over items, or more than one metric
-- inputs:   specs (metric), not_sums (name, reason)
-- params:   names VARCHAR
-- note:     names are those of the metrics that can be explained
SELECT metric || ': ' || reason || '; these metrics can be explained: ' || $names AS problem
FROM specs
JOIN not_sums ON not_sums.name = metric_name(specs.metric)
UNION ALL
SELECT 'explain takes one metric, not ' || count(*) || '; call it once for each' AS problem
FROM specs
HAVING count(*) > 1;
