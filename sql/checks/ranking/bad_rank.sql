-- name:     bad_rank
-- title:    rows whose rank is not a whole number of 1 or more
-- for:      ranking
-- severity: error
-- why:      the rank decides the cut-off and the discount, so it must be 1, 2, 3 and so on
-- column:   predictions.score
-- inputs:   predictions (query_id, item_id, score)
-- params:   by_rank BOOLEAN DEFAULT FALSE
-- advice:   number the items of every query from 1, for example with row_number()
-- note:     ranks are taken as they are given: 1 is the best
SELECT query_id, item_id, -score AS score
FROM predictions
WHERE $by_rank AND score IS NOT NULL AND NOT isnan(score) AND (score > -1 OR score < -9e15 OR score <> floor(score));
