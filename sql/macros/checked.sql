-- name:     checked
-- title:    Raises the first problem
-- inputs:   problems (problem, place)
-- note:     under a collation that takes no account of case or accents, the texts of two ids, names or slices are one
SELECT
    CASE
        WHEN lower(current_setting('default_collation')) NOT IN ('', 'binary', 'c', 'posix')
            THEN error(
                'duckmetrics: default_collation is ''' || current_setting('default_collation')
                || ''', so different texts may be one id; run RESET default_collation'
            )
        WHEN count(*) > 0
            THEN error('duckmetrics: ' || coalesce(arg_min(problem, place), 'the input cannot be evaluated'))
        ELSE TRUE
    END AS fine
FROM problems;
