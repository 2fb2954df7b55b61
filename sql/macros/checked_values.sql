-- name:     checked_values
-- title:    Values of every query, once no problem was found
-- inputs:   query_values (segment, metric, agg, query_id, value, missing, no_relevant, undefined), checked (fine)
-- grain:    segment, query_id
SELECT
    query_values.segment,
    query_values.metric,
    query_values.agg,
    query_values.query_id,
    query_values.value,
    query_values.missing,
    query_values.no_relevant,
    query_values.undefined
FROM query_values
CROSS JOIN checked
WHERE checked.fine;
