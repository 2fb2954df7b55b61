-- name:     needed_steps
-- title:    The texts of the steps that some metrics need
-- params:   mask INTEGER,
--           texts VARCHAR
-- note:     bit i of the mask says whether text i is needed; it is computed outside of the lambda that reads it
SELECT
    list_extract(list_transform([$mask], lambda needed: array_to_string(
        list_filter($texts, lambda text, place: (needed >> CAST(place - 1 AS BIGINT)) & 1 = 1), ''
    )), 1) AS value;
