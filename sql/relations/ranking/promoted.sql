-- name:     promoted
-- title:    Lists of one system, in each of which another item is put first
-- inputs:   predictions (system, query_id, item_id, score, position), put_first (number, item_id)
-- params:   by_rank BOOLEAN DEFAULT FALSE,
--           system VARCHAR
-- values:   system: the system whose list is changed
-- grain:    system, query_id, item_id
-- note:     the number of an item stands for the system of its list; the value of the metric for such a list shows
--           the contribution that the item could make
SELECT
    CAST(put_first.number AS VARCHAR) AS system,
    predictions.query_id,
    predictions.item_id,
    CASE WHEN $by_rank THEN predictions.score - 1 ELSE predictions.score END AS score,
    predictions.position
FROM predictions
CROSS JOIN put_first
WHERE predictions.system = $system AND predictions.item_id <> put_first.item_id
UNION ALL
SELECT
    CAST(put_first.number AS VARCHAR) AS system,
    predictions.query_id,
    put_first.item_id,
    CASE WHEN $by_rank THEN -1 ELSE max(predictions.score) + greatest(abs(max(predictions.score)), 1) END AS score,
    0 AS position
FROM predictions
CROSS JOIN put_first
WHERE predictions.system = $system
GROUP BY put_first.number, predictions.query_id, put_first.item_id;
