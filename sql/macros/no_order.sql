-- name:     no_order
-- title:    Order of the input that is needed but unknown
-- params:   ties VARCHAR DEFAULT 'item_asc',
--           position VARCHAR DEFAULT NULL,
--           by_rank BOOLEAN DEFAULT FALSE
-- note:     ranks are also an order
SELECT 'ties := ''input'' needs the order of the rows; name the column that holds it with "position" := ...' AS problem
WHERE $ties = 'input' AND $position IS NULL AND NOT $by_rank;
