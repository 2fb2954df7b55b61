-- name:     in_slices
-- title:    Queries in their slices, each slice with a number
-- inputs:   sliced (query_id, slice_number, attributes)
-- grain:    query_id, segment
SELECT sliced.*, dense_rank() OVER (ORDER BY slice_number, attributes) AS segment
FROM sliced;
