-- name:     listed
-- title:    An argument that may be a list, as a list of texts
-- params:   given VARCHAR
-- note:     the text of a list, as DuckDB writes it, is read back element by element
SELECT coalesce(TRY_CAST(CAST($given AS VARCHAR) AS VARCHAR[]), [CAST($given AS VARCHAR)]) AS value;
