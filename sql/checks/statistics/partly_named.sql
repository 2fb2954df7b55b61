-- name:     partly_named
-- title:    rows without a name
-- severity: error
-- why:      a row without a name may belong to any of the others
-- column:   given_rows.name
-- inputs:   given_rows (name)
-- advice:   give every row a name
-- note:     a single system needs no name; NULL next to names is a mistake
SELECT *
FROM given_rows
WHERE name IS NULL AND (SELECT count(name) FROM given_rows) > 0;
