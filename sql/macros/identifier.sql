-- name:     identifier
-- title:    An id, refused where its type does not tell ids apart exactly
-- params:   id VARCHAR,
--           name VARCHAR
-- note:     the type is known before the rows are read, so that nothing is left of this but the column
SELECT
    CASE
        WHEN NOT is_id(typeof($id)) THEN error(
            'duckmetrics: column ''' || $name || ''' is ' || typeof($id)
            || ', not an id; cast it to BIGINT or VARCHAR'
        )
        ELSE $id
    END AS value;
