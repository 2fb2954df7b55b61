-- name:     near_item_id
-- title:    items whose ids match only after ignoring spaces, case, leading zeros and '.0'
-- for:      ranking, no_common_item
-- severity: warning
-- why:      ids that are spelled differently do not match, so the values are too low
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- params:   text_items BOOLEAN DEFAULT TRUE
-- advice:   write the ids in the same way in both tables, if they mean the same
-- note:     different numbers differ in every spelling, so the check searches only text; an item may be spelled
--           correctly for some queries only
SELECT in_predictions, in_truth
FROM near_ids
WHERE $text_items AND id_column = 'item_id'
UNION ALL
SELECT in_predictions, in_truth
FROM near_items
WHERE $text_items AND plain NOT IN (SELECT plain FROM near_ids WHERE id_column = 'item_id');
