-- name:     slice_label
-- title:    The columns by which results are split as one text; a column that results have anyway is refused
-- params:   names VARCHAR,
--           reserved VARCHAR
SELECT
    CASE
        WHEN list_has_any(list_transform($names, lambda name: lower(name)), $reserved)
            THEN error(
                'duckmetrics: by: results have a column '''
                || list_extract(list_filter($names, lambda name: list_contains($reserved, lower(name))), 1)
                || ''' of their own; rename yours in a view or in the text of a query'
            )
        ELSE array_to_string($names, ',')
    END AS value;
