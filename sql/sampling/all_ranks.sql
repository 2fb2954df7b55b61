-- name:     all_ranks
-- title:    Every rank that an item can have
-- params:   n_items INTEGER CHECK (n_items > 0)
-- grain:    rank
SELECT places.place AS rank
FROM range(1, CAST($n_items AS BIGINT) + 1) AS places(place);
