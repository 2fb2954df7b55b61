-- name:     counted
-- title:    Queries behind every number
-- inputs:   query_values (segment, agg, value, missing, no_relevant, undefined)
-- grain:    segment
SELECT
    segment,
    count(*) AS n_population,
    count(value) AS n,
    count(*) FILTER (WHERE missing) AS n_missing,
    count(*) FILTER (WHERE no_relevant) AS n_no_relevant,
    count(*) FILTER (WHERE undefined) AS n_undefined
FROM query_values
GROUP BY segment, agg;
