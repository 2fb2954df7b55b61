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
        WHEN are_mixed(typeof($id), $other_type) THEN error(list_extract(list_transform(
            [$other_type],
            lambda its_type: 'duckmetrics: ' || $name || ': type ' || typeof($id) || ' in the ' || $of_table || ', '
                || its_type || ' in the ' || $other || '; make them one kind, as in SELECT * REPLACE (CAST(' || $name
                || ' AS ' || CASE
                    WHEN NOT are_times(typeof($id), its_type) THEN 'VARCHAR'
                    WHEN its_type = 'DATE' THEN typeof($id)
                    ELSE its_type
                END || ') AS ' || $name || ') FROM '
                || CASE WHEN typeof($id) = 'VARCHAR' OR its_type = 'DATE' THEN $other ELSE $of_table END
                || CASE
                    WHEN 'VARCHAR' IN (typeof($id), its_type) OR are_times(typeof($id), its_type) THEN ''
                    ELSE ', in both tables'
                END
        ), 1))
        ELSE $id
    END AS value;
