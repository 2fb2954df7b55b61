-- name:     estimated_ranks
-- title:    Estimated rank among all items for each rank in a sample
-- params:   n_items INTEGER CHECK (n_items > 1), n_draws INTEGER CHECK (n_draws > 0)
-- grain:    rank
-- note:     the unbiased estimate, rounded down, as in the relation relevant with catalog_size
-- source:   Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226
SELECT 1 + (CAST($n_items AS BIGINT) - 1) * counts.n // $n_draws AS rank
FROM range(0, CAST($n_draws AS BIGINT) + 1) AS counts(n);
