-- name:     largest_cutoff
-- title:    The largest of some cut-offs, given as texts; NULL if there is none
-- params:   asked VARCHAR
SELECT list_max(TRY_CAST($asked AS INTEGER[])) AS value;
