-- name:     of_same_kind
-- title:    Id; NULL if its kind is not that of another table, which refuses it with of_kind
-- params:   id VARCHAR,
--           other_type VARCHAR
-- note:     one message about two tables is enough, and shorter to bind
SELECT CASE WHEN are_comparable(typeof($id), $other_type) THEN $id END AS value;
