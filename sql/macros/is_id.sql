-- name:     is_id
-- title:    Whether values of a type are exact, as ids must be, or the column is missing
-- params:   type VARCHAR
SELECT $type = '"NULL"' OR kind($type) IS NOT NULL AS value;
