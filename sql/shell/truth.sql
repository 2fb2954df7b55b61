-- name:     truth
-- title:    Truth of rankings as the metrics read it
-- params:   truth VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id',
--           relevance VARCHAR DEFAULT NULL
-- grain:    query_id, item_id
-- note:     the column relevance, else label; where there is neither, every row is relevant, grade 1
WITH named AS (
    SELECT
        COLUMNS('(?i)^' || regexp_escape($query_id) || '$') AS query_id,
        COLUMNS('(?i)^' || regexp_escape($item_id) || '$') AS item_id,
        list_value(*COLUMNS('(?i)^(_none|' || coalesce(regexp_escape($relevance), 'relevance') || ')$')) AS grades,
        list_value(*COLUMNS('(?i)^(_none|label)$')) AS labels
    FROM (SELECT *, NULL AS "_none" FROM query($source)) AS given
)
SELECT
    identifier(query_id, $query_id) AS query_id,
    identifier(item_id, $item_id) AS item_id,
    CASE
        WHEN len(grades) > 1
            THEN grade(list_extract(grades, 1), 'truth: column ''' || coalesce($relevance, 'relevance') || '''')
        WHEN $relevance IS NOT NULL
            THEN error('duckmetrics: truth: no column ''' || $relevance || '''; name it with relevance := ...')
        WHEN len(labels) > 1 THEN grade(list_extract(labels, 1), 'truth: column ''label''')
        ELSE 1e0
    END AS relevance
FROM named;
