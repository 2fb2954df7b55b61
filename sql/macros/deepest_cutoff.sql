-- name:     deepest_cutoff
-- title:    Largest of some cut-offs, given as texts; NULL if one of them is NULL
-- params:   asked VARCHAR
SELECT CASE WHEN list_count($asked) = len($asked) THEN list_max(TRY_CAST($asked AS INTEGER[])) END AS value;
