-- name:     cutoffs_can_be_written
-- title:    Whether an argument is NULL, a cut-off, or a list of different cut-offs
-- params:   k VARCHAR,
--           asked VARCHAR
-- note:     asked is the argument as a list of texts
SELECT
    $k IS NULL
    OR (regexp_full_match(CAST($k AS VARCHAR), '\[?([1-9]\d*|NULL)(, ([1-9]\d*|NULL))*\]?')
        AND list_count(TRY_CAST($asked AS INTEGER[])) = list_count($asked)
        AND len(list_distinct($asked)) = list_count($asked)
        AND len($asked) - list_count($asked) < 2) AS value;
