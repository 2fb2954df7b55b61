-- name:     deepest_cutoff
-- title:    The largest of some cut-offs, given as texts; NULL if one of them is none
-- params:   asked VARCHAR
SELECT CASE WHEN list_count($asked) = len($asked) THEN list_max(TRY_CAST($asked AS INTEGER[])) END AS value;
