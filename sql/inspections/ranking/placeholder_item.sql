-- name:     placeholder_item
-- title:    rows whose item is a placeholder, such as padding
-- for:      ranking
-- severity: warning
-- why:      padding takes up ranks, and is a hit if the truth has the same placeholder
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id)
-- params:   text_items BOOLEAN DEFAULT TRUE
-- portable: no, except spark: some engines know the lower case of ASCII letters only
-- advice:   drop these rows; they take up ranks, and the truth may contain the same placeholder
SELECT query_id, item_id
FROM predictions
WHERE CASE WHEN $text_items THEN lower(CAST(item_id AS VARCHAR)) ELSE CAST(item_id AS VARCHAR) END
    IN ('', '-1', 'nan', 'none', 'null', '<na>');
