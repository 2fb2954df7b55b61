-- name:     near_items
-- title:    Items of a query that match an item of the other table only after normalization
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id)
-- grain:    plain
-- note:     an id can be right for one query and wrong for another; so queries are compared one by one, but only for
--           items that are written in more than one way
WITH several AS (
    SELECT plain
    FROM spellings
    WHERE id_column = 'item_id'
    GROUP BY plain
    HAVING count(*) > 1
),
doubtful AS (
    SELECT spellings.id, spellings.plain
    FROM spellings
    JOIN several ON several.plain = spellings.plain
    WHERE spellings.id_column = 'item_id'
),
placed AS (
    SELECT predictions.query_id, doubtful.plain, doubtful.id, 1 AS predicted, 0 AS judged
    FROM predictions
    JOIN doubtful ON doubtful.id = CAST(predictions.item_id AS VARCHAR)
    UNION ALL
    SELECT truth.query_id, doubtful.plain, doubtful.id, 0 AS predicted, 1 AS judged
    FROM truth
    JOIN doubtful ON doubtful.id = CAST(truth.item_id AS VARCHAR)
),
found AS (
    SELECT query_id, plain, id, max(predicted) = 1 AS is_predicted
    FROM placed
    GROUP BY query_id, plain, id
    HAVING max(predicted) + max(judged) = 1
),
paired AS (
    SELECT
        plain,
        min(CASE WHEN is_predicted THEN id END) AS in_predictions,
        min(CASE WHEN NOT is_predicted THEN id END) AS in_truth
    FROM found
    GROUP BY query_id, plain
),
numbered AS (
    SELECT
        plain,
        in_predictions,
        in_truth,
        row_number() OVER (PARTITION BY plain ORDER BY in_predictions, in_truth) AS place
    FROM paired
    WHERE in_predictions IS NOT NULL AND in_truth IS NOT NULL
)
SELECT plain, in_predictions, in_truth
FROM numbered
WHERE place = 1;
