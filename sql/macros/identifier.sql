-- name:     identifier
-- title:    Id; a type that does not distinguish ids exactly is an error
-- params:   id VARCHAR,
--           name VARCHAR
-- note:     the type is known before the rows are read, so that only the column is left of this
SELECT
    CASE
        WHEN NOT is_id(typeof($id)) THEN error(
            'duckmetrics: column ''' || $name || ''' is ' || typeof($id)
            || ', not an id; cast it to BIGINT or VARCHAR'
        )
        ELSE $id
    END AS value;
