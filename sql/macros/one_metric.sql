-- name:     one_metric
-- title:    Texts of one metric, for every cut-off asked for
-- params:   metric VARCHAR,
--           k VARCHAR DEFAULT NULL
SELECT list_transform(listed($k), lambda cutoff: $metric || coalesce('@' || cutoff, '')) AS value;
