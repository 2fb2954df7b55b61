-- name:     reference_nan_score
-- title:    rows whose score is NaN, which would sort before every number
-- for:      reference
-- severity: error
-- why:      NaN has no place in an order, and each tool puts it in a different place
-- column:   reference.score
-- inputs:   reference (query_id, item_id, score)
-- advice:   drop these rows or give them the lowest score
SELECT query_id, item_id
FROM reference
WHERE isnan(score);
