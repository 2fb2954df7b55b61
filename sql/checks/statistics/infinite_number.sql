-- name:     infinite_number
-- title:    rows with NaN or an infinite value
-- severity: error
-- why:      one such number makes the mean infinite or undefined
-- column:   given_rows.number
-- inputs:   given_rows (number)
-- advice:   give finite numbers, or NULL for a missing number
-- note:     number stands for each column of numbers
SELECT *
FROM given_rows
WHERE NOT isfinite(number);
