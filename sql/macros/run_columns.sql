-- name:     run_columns
-- title:    Pattern of the columns that may distinguish several systems, and of the column that is NULL
-- params:   query_id VARCHAR,
--           item_id VARCHAR,
--           score VARCHAR,
--           rank VARCHAR,
--           position VARCHAR
-- note:     if such a column has another role, the pattern matches only the column that is NULL
SELECT
    CASE
        WHEN regexp_full_match(
            $query_id || ' ' || $item_id || ' ' || coalesce($score, '') || ' ' || coalesce($rank, '') || ' '
            || coalesce($position, ''),
            '(.* )?((system|model|run|variant|algorithm|recommender|ranker)(_?(id|name|tag|version))?|tag)( .*)?', 'i'
        ) THEN '^_duckmetrics_none$'
        ELSE '(?i)^(_duckmetrics_none'
            || '|(system|model|run|variant|algorithm|recommender|ranker)(_?(id|name|tag|version))?|tag)$'
    END AS value;
