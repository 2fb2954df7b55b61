-- name:     largest_cutoff
-- title:    Largest of some cut-offs, given as texts; NULL if all of them are NULL
-- params:   asked VARCHAR
SELECT list_max(TRY_CAST($asked AS INTEGER[])) AS value;
