-- name:     near_item_id
-- title:    items that both tables have only once blanks, case, leading zeros and '.0' are left aside
-- for:      ranking, no_common_item
-- severity: warning
-- why:      ids that are spelled differently do not match, so the values are too low
-- column:   predictions.item_id
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- params:   text_items BOOLEAN DEFAULT TRUE
-- advice:   write the ids in the same way on both sides, if they mean the same
-- note:     numbers that differ differ in every spelling, so only text is searched; an item may be written right
--           for some queries only
SELECT in_predictions, in_truth
FROM near_ids
WHERE $text_items AND id_column = 'item_id'
UNION ALL
SELECT in_predictions, in_truth
FROM near_items
WHERE $text_items AND plain NOT IN (SELECT plain FROM near_ids WHERE id_column = 'item_id');
