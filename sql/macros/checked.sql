-- name:     checked
-- title:    Raises the first problem
-- inputs:   problems (problem, place)
SELECT
    CASE
        WHEN count(*) > 0
            THEN error('duckmetrics: ' || coalesce(arg_min(problem, place), 'the input cannot be evaluated'))
        ELSE TRUE
    END AS fine
FROM problems;
