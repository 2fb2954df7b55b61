-- name:     predictions
-- title:    Predictions of rankings as the metrics read them
-- params:   predictions VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id',
--           score VARCHAR DEFAULT 'score',
--           rank VARCHAR DEFAULT NULL,
--           position VARCHAR DEFAULT NULL
-- grain:    query_id, item_id
-- note:     a rank counts as a score that falls; position is the place of a row, for ties=input
WITH named AS (
    SELECT
        COLUMNS('(?i)^' || regexp_escape($query_id) || '$') AS query_id,
        COLUMNS('(?i)^' || regexp_escape($item_id) || '$') AS item_id,
        COLUMNS('(?i)^' || regexp_escape(coalesce($rank, $score)) || '$') AS score,
        COLUMNS('(?i)^' || regexp_escape(coalesce($position, '_none')) || '$') AS position
    FROM (SELECT *, NULL AS "_none" FROM query($source)) AS given
)
SELECT
    '' AS system,
    identifier(query_id, $query_id) AS query_id,
    identifier(item_id, $item_id) AS item_id,
    CASE
        WHEN $rank IS NULL THEN number(score, 'predictions: column ''' || $score || '''')
        ELSE -number(score, 'predictions: column ''' || $rank || '''')
    END AS score,
    position
FROM named;
