-- name:     sampled_predictions
-- title:    The rows of a classifier whose columns, as text, have the smallest md5
-- inputs:   predictions (system, segment, label, score, weight, group_id, own_columns)
-- params:   size INTEGER DEFAULT 1000 CHECK (size > 0)
-- portable: no, except spark: others verify no numbers
-- grain:    row
-- note:     own_columns has what metrics of users read, as one value. Equal rows get different numbers; without
--           them, the sample would hold all of these rows or none
WITH copies AS (
    SELECT
        system, segment, label, score, weight, group_id, own_columns,
        row_number() OVER (
            PARTITION BY system, segment, label, score, weight, group_id, own_columns ORDER BY system
        ) AS copy
    FROM predictions
),
keyed AS (
    SELECT
        system, segment, label, score, weight, group_id, own_columns,
        md5(concat_ws(
            ',',
            CAST(system AS VARCHAR), CAST(segment AS VARCHAR), CAST(label AS VARCHAR), CAST(score AS VARCHAR),
            CAST(weight AS VARCHAR), CAST(group_id AS VARCHAR), CAST(own_columns AS VARCHAR), CAST(copy AS VARCHAR)
        )) AS key
    FROM copies
)
SELECT system, segment, label, score, weight, group_id, own_columns
FROM keyed
ORDER BY key, system, segment, label, score, weight, group_id, own_columns
LIMIT $size;
