-- name:     several_rows
-- title:    What a list of metrics of rows asks for: a row for every one
-- inputs:   known (name, measure, has_cutoff, is_binary, undefined, weighted)
-- params:   metrics VARCHAR
-- grain:    segment
-- note:     known lists the metrics there are
WITH listed AS (
    SELECT unnest(range(len(asked_metrics($metrics)))) AS place, unnest(asked_metrics($metrics)) AS metric
)
SELECT
    listed.place AS segment,
    listed.metric,
    known.measure,
    TRY_CAST(metric_cutoff(listed.metric) AS INTEGER) AS k,
    known.has_cutoff,
    known.is_binary,
    known.undefined,
    known.weighted
FROM listed
LEFT JOIN known ON known.name = metric_name(listed.metric);
