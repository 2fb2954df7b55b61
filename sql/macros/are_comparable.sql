-- name:     are_comparable
-- title:    Whether ids of two types are of one kind, or a column is missing, which is a separate finding
-- params:   one VARCHAR,
--           other VARCHAR
SELECT coalesce(kind($one) = kind($other), '"NULL"' IN ($one, $other)) AS value;
