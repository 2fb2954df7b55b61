-- name:     repeated_unit
-- title:    units with several rows
-- severity: error
-- why:      a unit that counts several times makes the error look too small
-- inputs:   given_rows (name, unit)
-- advice:   keep one row per unit
-- note:     name and unit stand for all columns of names and of units
SELECT name, unit
FROM given_rows
GROUP BY name, unit
HAVING count(*) > 1;
