-- name:     no_listed_item
-- title:    systems without any item of the catalogue
-- for:      items
-- severity: warning
-- why:      ids that do not match look the same as a system that covers nothing and has no variety
-- column:   predictions.item_id
-- inputs:   predictions (system, item_id), items (item_id)
-- advice:   check that both tables use the same ids
WITH listed_systems AS (
    SELECT DISTINCT predictions.system
    FROM predictions
    JOIN items ON items.item_id = predictions.item_id
)
SELECT systems.system, (SELECT count(*) FROM systems) AS total
FROM systems
WHERE NOT EXISTS (SELECT 1 FROM listed_systems WHERE listed_systems.system = systems.system);
