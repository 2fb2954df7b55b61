-- name:     nan_relevance
-- title:    rows whose relevance is NaN or infinite
-- for:      ranking
-- severity: error
-- why:      such a grade has no gain
-- column:   truth.relevance
-- inputs:   truth (query_id, item_id, relevance)
-- advice:   drop or correct these rows
SELECT query_id, item_id, relevance
FROM truth
WHERE isnan(relevance) OR isinf(relevance);
