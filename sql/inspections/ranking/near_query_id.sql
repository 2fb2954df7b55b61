-- name:     near_query_id
-- title:    queries that both tables have only once blanks, case, leading zeros and '.0' are left aside
-- for:      ranking, no_common_query, missing_query
-- severity: warning
-- why:      queries that are spelled differently count as unanswered
-- column:   predictions.query_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- params:   text_queries BOOLEAN DEFAULT TRUE
-- advice:   write the ids in the same way on both sides, if they mean the same
-- note:     numbers that differ differ in every spelling, so only text is searched
SELECT in_predictions, in_truth
FROM near_ids
WHERE $text_queries AND id_column = 'query_id';
