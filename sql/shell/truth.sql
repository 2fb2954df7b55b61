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
        list_value(*COLUMNS(coalesce('(?i)^' || regexp_escape($relevance) || '$', '(?i)^(relevance|_one)$'))) AS grades,
        list_value(*COLUMNS('(?i)^(label|_one)$')) AS labels
    FROM (SELECT *, 1 AS "_one" FROM query($source)) AS given
),
graded AS (
    SELECT
        query_id,
        item_id,
        CASE WHEN $relevance IS NULL AND len(grades) = 1 THEN list_extract(labels, 1) ELSE list_extract(grades, 1) END
            AS relevance
    FROM named
)
SELECT
    identifier(query_id, $query_id) AS query_id,
    identifier(item_id, $item_id) AS item_id,
    CASE
        WHEN NOT regexp_full_match(
            typeof(relevance), 'BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE'
        ) THEN error('duckmetrics: truth: column ''' || coalesce($relevance, 'relevance') || ''' is '
            || typeof(relevance) || ', not a number; cast it to DOUBLE')
        ELSE CAST(relevance AS DOUBLE)
    END AS relevance
FROM graded;
