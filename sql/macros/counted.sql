-- name:     counted
-- title:    Queries behind every number
-- inputs:   query_values (segment, agg, value, missing, no_relevant, undefined)
-- grain:    segment
-- note:     a system without queries has a row in which all else is NULL
SELECT
    segment,
    count(missing) AS n_population,
    count(value) AS n,
    count(*) FILTER (WHERE missing) AS n_missing,
    count(*) FILTER (WHERE no_relevant) AS n_no_relevant,
    count(*) FILTER (WHERE undefined) AS n_undefined
FROM query_values
GROUP BY segment, agg;
