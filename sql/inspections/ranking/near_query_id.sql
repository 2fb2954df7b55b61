-- name:     near_query_id
-- title:    queries whose ids match only after ignoring spaces, case, leading zeros and '.0'
-- for:      ranking, no_common_query, missing_query, unanswered_query
-- severity: warning
-- why:      queries whose ids are spelled differently count as unanswered
-- column:   predictions.query_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- params:   text_queries BOOLEAN DEFAULT TRUE
-- advice:   write the ids in the same way in both tables, if they mean the same
-- note:     different numbers differ in every spelling, so the check searches only text
SELECT in_predictions, in_truth
FROM near_ids
WHERE $text_queries AND id_column = 'query_id';
