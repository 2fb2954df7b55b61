-- name:     outcome_kind
-- title:    How an outcome of an experiment is compared: ratio, adjusted (by CUPED) or mean
-- params:   outcome VARCHAR
SELECT
    CASE
        WHEN $outcome['denominator'] IS NOT NULL THEN 'ratio'
        WHEN $outcome['before'] IS NOT NULL THEN 'adjusted'
        ELSE 'mean'
    END AS value;
