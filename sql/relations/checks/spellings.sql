-- name:     spellings
-- title:    Ids of both tables, as they are written and after normalization
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- portable: no, except spark: ids are compared by regular expressions
-- grain:    id_column, id
-- note:     normalization removes blanks around an id, upper case, leading zeros, and the '.0' of a number that was a
--           float
WITH ids AS (
    SELECT 'query_id' AS id_column, CAST(query_id AS VARCHAR) AS id, 1 AS predicted, 0 AS judged
    FROM (SELECT DISTINCT query_id FROM predictions) AS predicted_queries
    UNION ALL
    SELECT 'query_id' AS id_column, CAST(query_id AS VARCHAR) AS id, 0 AS predicted, 1 AS judged
    FROM (SELECT DISTINCT query_id FROM truth) AS judged_queries
    UNION ALL
    SELECT 'item_id' AS id_column, CAST(item_id AS VARCHAR) AS id, 1 AS predicted, 0 AS judged
    FROM (SELECT DISTINCT item_id FROM predictions) AS predicted_items
    UNION ALL
    SELECT 'item_id' AS id_column, CAST(item_id AS VARCHAR) AS id, 0 AS predicted, 1 AS judged
    FROM (SELECT DISTINCT item_id FROM truth) AS judged_items
),
found AS (
    SELECT id_column, id, max(predicted) = 1 AS is_predicted, max(judged) = 1 AS is_judged
    FROM ids
    WHERE id IS NOT NULL
    GROUP BY id_column, id
)
SELECT
    id_column,
    id,
    is_predicted,
    is_judged,
    ltrim(
        regexp_replace(
            regexp_replace(lower(id), '^[\s\x{a0}\x{200b}\x{feff}]+', ''),
            '(\.0+)?[\s\x{a0}\x{200b}\x{feff}]*$', ''
        ), '0'
    ) AS plain
FROM found;
