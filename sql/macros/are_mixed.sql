-- name:     are_mixed
-- title:    Whether ids of two types are of different kinds, so that a silent cast would compare them
-- params:   one VARCHAR,
--           other VARCHAR
-- note:     a column that is missing, or is not an id, is a separate finding
SELECT is_id($one) AND is_id($other) AND NOT are_comparable($one, $other) AS value;
