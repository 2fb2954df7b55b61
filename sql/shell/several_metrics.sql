-- name:     several_metrics
-- title:    What a list of metrics asks for: a row for every one
-- inputs:   known (name, measure, agg, has_cutoff)
-- params:   metrics VARCHAR,
--           agg VARCHAR DEFAULT 'mean'
-- grain:    segment
-- note:     known lists the metrics there are
WITH listed AS (
    SELECT unnest(range(len(asked_metrics($metrics)))) AS place, unnest(asked_metrics($metrics)) AS metric
)
SELECT
    listed.place AS segment,
    listed.metric,
    known.measure,
    list_extract(cutoffs(metric_cutoff(listed.metric)), 1) AS k,
    coalesce(known.agg, CAST($agg AS VARCHAR)) AS agg,
    known.has_cutoff
FROM listed
LEFT JOIN known ON known.name = metric_name(listed.metric);
