-- name:     estimated_ranks
-- title:    The rank among all items that each rank in a sample stands for
-- params:   n_items INTEGER CHECK (n_items > 1), n_draws INTEGER CHECK (n_draws > 0)
-- grain:    rank
-- note:     rounded down from the unbiased estimate, as the relation relevant has it for catalog_size
-- source:   Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226
SELECT 1 + (CAST($n_items AS BIGINT) - 1) * counts.n // $n_draws AS rank
FROM range(0, CAST($n_draws AS BIGINT) + 1) AS counts(n);
