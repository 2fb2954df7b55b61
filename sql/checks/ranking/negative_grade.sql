-- name:     negative_grade
-- title:    rows whose relevance is negative
-- for:      ranking
-- severity: error
-- why:      a negative gain can make a value negative, or larger than 1
-- column:   truth.relevance
-- inputs:   truth (query_id, item_id, relevance)
-- params:   negative_grade VARCHAR DEFAULT 'error'
-- advice:   correct them, or set negative_grade=zero if they mean judged and nonrelevant
-- settles:  negative_grade=zero
SELECT query_id, item_id, relevance
FROM truth
WHERE $negative_grade = 'error' AND relevance < 0 AND NOT isinf(relevance);
