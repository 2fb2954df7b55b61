-- name:     rank_groups
-- title:    Groups of adjacent ranks that samples hardly distinguish
-- params:   n_items INTEGER CHECK (n_items > 1), n_draws INTEGER CHECK (n_draws > 0)
-- grain:    rank
-- note:     if the ranks in a sample have the standard deviation s, a group spans s / 64 of them; on the scale of the
--           arcsine of the square root, s is the same everywhere, 1 / (2 sqrt(n_draws))
SELECT
    places.place AS rank,
    dense_rank() OVER (
        ORDER BY floor(
            asin(sqrt((places.place - 1) / CAST($n_items - 1 AS DOUBLE))) * 128e0 * sqrt(CAST($n_draws AS DOUBLE))
        )
    ) AS number
FROM range(1, CAST($n_items AS BIGINT) + 1) AS places(place);
