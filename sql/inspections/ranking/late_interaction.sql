-- name:     late_interaction
-- title:    interactions of the history after the first recommendation or judgment of the same user
-- for:      history
-- severity: warning
-- why:      a system that was trained on them knows what the user did afterwards
-- column:   history.timestamp
-- inputs:   history (query_id, item_id, timestamp), cuts (query_id, cut)
-- params:   by_day BOOLEAN DEFAULT FALSE
-- portable: no, except spark: times are compared by their dates
-- advice:   drop them from the history and from the training data
-- note:     by_day: a table has dates only, and nothing is known about the order within a day
SELECT
    history.query_id,
    history.item_id,
    history.timestamp,
    cuts.cut,
    (SELECT count(*) FROM history) AS total
FROM history
JOIN cuts ON cuts.query_id = history.query_id
WHERE CASE WHEN $by_day THEN CAST(history.timestamp AS DATE) > cuts.cut ELSE history.timestamp > cuts.cut END;
