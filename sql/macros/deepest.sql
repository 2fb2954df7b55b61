-- name:     deepest
-- title:    The largest of some cut-offs, NULL where one of them is no cut-off
-- params:   cutoffs INTEGER
SELECT CASE WHEN len($cutoffs) = list_count($cutoffs) THEN list_max($cutoffs) END AS value;
