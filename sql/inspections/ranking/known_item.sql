-- name:     known_item
-- title:    recommended items that the user's own history has
-- for:      history
-- severity: note
-- why:      if users want an item once only, it takes the place of a better one
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL
-- depth:    k
-- advice:   remove the items of the history from the lists, unless users take an item more than once
SELECT
    ranked.system,
    ranked.query_id,
    ranked.item_id,
    ranked.rank,
    (SELECT count(*) FROM ranked WHERE $k IS NULL OR rank <= $k) AS total
FROM ranked
WHERE ($k IS NULL OR ranked.rank <= $k)
    AND EXISTS (
        SELECT 1 FROM history WHERE history.query_id = ranked.query_id AND history.item_id = ranked.item_id
    );
