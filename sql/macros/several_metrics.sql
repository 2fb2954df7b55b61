-- name:     several_metrics
-- title:    One row for every metric of a list
-- params:   metrics VARCHAR
-- inputs:   known (name)
-- grain:    segment
-- note:     known lists the available metrics, with the properties that the macro needs of each
WITH listed AS (
    SELECT unnest(range(len(asked_metrics($metrics)))) AS place, unnest(asked_metrics($metrics)) AS metric
)
SELECT
    listed.place AS segment,
    listed.metric,
    list_extract(cutoffs(metric_cutoff(listed.metric)), 1) AS k,
    known.* EXCLUDE (name)
FROM listed
LEFT JOIN known ON known.name = metric_name(listed.metric);
