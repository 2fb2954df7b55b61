-- name:     of_kind
-- title:    Id; an error if it is missing, of a type that does not distinguish ids, or of another kind elsewhere
-- params:   id VARCHAR,
--           name VARCHAR,
--           of_table VARCHAR,
--           other VARCHAR,
--           other_type VARCHAR,
--           example VARCHAR
-- note:     a silent cast would compare ids of other kinds. The types are known before the rows are read, so that only
--           the column is left of this. The advice casts the table whose type comes first in the alphabet: anything
--           to VARCHAR, and a DATE to a TIMESTAMP. DuckDB binds each node at every call, so that there are few
SELECT
    CASE
        WHEN '"NULL"' IN (typeof($id), $other_type) THEN error(concat(
            'duckmetrics: ', CASE WHEN typeof($id) = '"NULL"' THEN $of_table ELSE $other END, ': no column ''', $name,
            '''; name it with ', $example
        ))
        WHEN are_comparable(typeof($id), $other_type) THEN $id
        WHEN NOT is_id(typeof($id)) THEN error(concat(
            'duckmetrics: ', $of_table, ': column ''', $name, ''' is ',
            regexp_replace(typeof($id), '(?s)^ENUM.*', 'ENUM'), ', not an id; cast it to BIGINT or VARCHAR'
        ))
        WHEN NOT is_id($other_type) THEN error(concat(
            'duckmetrics: ', $other, ': column ''', $name, ''' is ',
            regexp_replace($other_type, '(?s)^ENUM.*', 'ENUM'), ', not an id; cast it to BIGINT or VARCHAR'
        ))
        ELSE error(concat(
            'duckmetrics: ', $name, ': ', $of_table, ' has ', $name, ' of type ', typeof($id), ', ', $other, ' has ',
            $name, ' of type ', $other_type, '; make them one kind, as in "SELECT * REPLACE (CAST(', $name, ' AS ',
            CASE WHEN are_times(typeof($id), $other_type) THEN greatest(typeof($id), $other_type) ELSE 'VARCHAR' END,
            ') AS ', $name, ') FROM ', CASE WHEN typeof($id) > $other_type THEN $other ELSE $of_table END, '"',
            CASE
                WHEN are_times(typeof($id), $other_type) OR 'VARCHAR' IN (typeof($id), $other_type) THEN ''
                ELSE ', in both tables'
            END
        ))
    END AS value;
