-- name:     repeated_unit
-- title:    units with several rows
-- severity: error
-- inputs:   given_rows (name, unit)
-- advice:   keep one row per unit
SELECT name, unit
FROM given_rows
GROUP BY name, unit
HAVING count(*) > 1;
