-- name:     ranking_results
-- title:    Value of a metric of rankings as results show it, or the reason why there is none
-- inputs:   summary (system, segment, value, n_population, n_no_relevant, n_missing)
-- grain:    system, segment
-- note:     n_population is the number of queries; n_no_relevant and n_missing are the numbers of queries without a
--           relevant item and without predictions. A value that overflows is NULL
SELECT
    system,
    segment,
    CASE WHEN isfinite(value) THEN value END AS value,
    CASE
        WHEN isfinite(value) THEN NULL
        WHEN value IS NOT NULL THEN 'the values overflow'
        WHEN n_population = 0 THEN 'no query in the population'
        WHEN n_no_relevant = n_population THEN 'no query has a relevant item'
        WHEN n_missing = n_population THEN 'no query has predictions'
        ELSE 'no query has a value'
    END AS reason
FROM summary;
