-- name:     columns_of_row
-- title:    Columns of a row with their types
-- inputs:   rows (label)
SELECT typeof(struct_pack(*COLUMNS('.'))) AS found
FROM rows;
