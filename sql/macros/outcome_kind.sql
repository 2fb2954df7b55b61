-- name:     outcome_kind
-- title:    Kind of comparison of an outcome of an experiment: ratio, adjusted (by CUPED) or mean
-- params:   outcome VARCHAR
SELECT
    CASE
        WHEN $outcome['denominator'] IS NOT NULL THEN 'ratio'
        WHEN $outcome['before'] IS NOT NULL THEN 'adjusted'
        ELSE 'mean'
    END AS value;
