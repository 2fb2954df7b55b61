-- name:     no_reference_item
-- title:    items, none of them in the lists of both runs, so the lists have nothing in common
-- for:      reference
-- severity: warning
-- why:      ids that do not match look the same as a run that recommends other items
-- column:   predictions.item_id
-- inputs:   predictions (item_id), reference (item_id)
-- when:     NOT EXISTS (
--               SELECT 1 FROM predictions
--               JOIN (SELECT DISTINCT item_id FROM reference) AS referred ON referred.item_id = predictions.item_id)
-- advice:   check that both tables use the same ids
SELECT item_id, 'predictions' AS found_in
FROM (SELECT DISTINCT item_id FROM predictions) AS recommended_items
UNION ALL
SELECT item_id, 'reference' AS found_in
FROM (SELECT DISTINCT item_id FROM reference) AS referred_items;
