-- name:     of_kind
-- title:    Id; a type that does not distinguish ids is an error, and so is another kind than in another table
-- params:   id VARCHAR,
--           name VARCHAR,
--           of_table VARCHAR,
--           other VARCHAR,
--           other_type VARCHAR
-- note:     a silent cast would compare ids of other kinds. The types are known before the rows are read, so that only
--           the column is left of this. The other type is often a query, and is therefore read seldom
SELECT
    CASE
        WHEN NOT is_id(typeof($id)) THEN error(
            'duckmetrics: column ''' || $name || ''' is ' || typeof($id)
            || ', not an id; cast it to BIGINT or VARCHAR'
        )
        WHEN are_mixed(typeof($id), $other_type) THEN error(replace(
            'duckmetrics: ' || $name || ': type ' || typeof($id) || ' in the ' || $of_table || ', {other} in the '
            || $other || '; make them one kind, as in SELECT * REPLACE (CAST(' || $name || ' AS '
            || CASE WHEN typeof($id) = 'VARCHAR' THEN 'VARCHAR' ELSE '{other}' END || ') AS ' || $name || ') FROM '
            || CASE WHEN typeof($id) = 'VARCHAR' THEN $other ELSE $of_table END,
            '{other}', $other_type
        ))
        ELSE $id
    END AS value;
