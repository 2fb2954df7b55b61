-- name:     no_unit
-- title:    rows without a unit
-- severity: error
-- why:      a value without a unit cannot be paired
-- column:   given_rows.unit
-- inputs:   given_rows (unit)
-- advice:   give every row the id of its unit
-- note:     unit stands for each column of units
SELECT *
FROM given_rows
WHERE unit IS NULL;
