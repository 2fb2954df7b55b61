-- name:     is_id
-- title:    Whether values of a type are exact, as ids must be, or the column is missing
-- params:   type VARCHAR
SELECT are_comparable($type, $type) AS value;
