-- name:     bad_p
-- title:    p-values outside of [0, 1]
-- severity: error
-- why:      a number outside of [0, 1] is not a p-value
-- column:   given_rows.p
-- inputs:   given_rows (p)
-- advice:   give p-values, not statistics
-- note:     NaN stands for no p-value, as NULL does
SELECT *
FROM given_rows
WHERE p NOT BETWEEN 0 AND 1 AND NOT isnan(p);
