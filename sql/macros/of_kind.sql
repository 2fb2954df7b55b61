-- name:     of_kind
-- title:    Id; one of another kind than those of another table is an error, before a silent cast compares them
-- params:   id VARCHAR,
--           name VARCHAR,
--           of_table VARCHAR,
--           other VARCHAR,
--           other_type VARCHAR
-- note:     the types are known before the rows are read, so that only the column is left of this
SELECT
    CASE
        WHEN are_mixed(typeof($id), $other_type) THEN error(
            'duckmetrics: ' || $name || ': type ' || typeof($id) || ' in the ' || $of_table || ', ' || $other_type
            || ' in the ' || $other || '; make them one kind, as in SELECT * REPLACE (CAST(' || $name || ' AS '
            || CASE WHEN 'VARCHAR' IN (typeof($id), $other_type) THEN 'VARCHAR' ELSE $other_type END || ') AS ' || $name
            || ') FROM ' || CASE WHEN typeof($id) = 'VARCHAR' THEN $other ELSE $of_table END
        )
        ELSE $id
    END AS value;
