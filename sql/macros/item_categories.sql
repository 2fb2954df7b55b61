-- name:     item_categories
-- title:    Categories of the items, as the metrics read them
-- params:   source VARCHAR,
--           item_id VARCHAR DEFAULT 'item_id',
--           category VARCHAR DEFAULT 'category'
-- grain:    item_id, category
-- note:     a category is a value, or a list with several; a missing column has the type "NULL", which is known before
--           the rows are read
WITH named AS (
    SELECT
        coalesce(*COLUMNS(one_of($item_id))) AS item_id,
        coalesce(*COLUMNS(one_of($category))) AS category,
        typeof(coalesce(*COLUMNS(one_of($category)))) AS category_type
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
),
listed AS (
    SELECT
        identifier(item_id, $item_id) AS item_id,
        unnest(CASE
            WHEN category_type = '"NULL"'
                THEN error('duckmetrics: items: no column ''' || $category || '''; name it with category := ...')
            WHEN ends_with(category_type, ']') THEN CAST(category AS VARCHAR[])
            ELSE [CAST(category AS VARCHAR)]
        END) AS category
    FROM named
)
SELECT DISTINCT item_id, category
FROM listed
WHERE category IS NOT NULL;
