-- name:     several_systems
-- title:    systems, although labels=returned supports only one
-- for:      ranking
-- severity: error
-- why:      the items returned by all systems together would be the truth of each of them
-- column:   predictions.system
-- inputs:   predictions (system)
-- params:   labels VARCHAR DEFAULT 'truth'
-- advice:   evaluate the systems one by one, or set labels=truth
-- settles:  labels=truth
SELECT system
FROM systems
WHERE $labels = 'returned' AND (SELECT count(*) FROM systems) > 1;
