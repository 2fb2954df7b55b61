-- name:     chances
-- title:    Chance of each rank in a sample, for each rank among all items
-- params:   n_items INTEGER CHECK (n_items > 1), n_draws INTEGER CHECK (n_draws > 0)
-- grain:    rank, sampled_rank
-- formula:  P(i given r) = C(m, i - 1) p^(i - 1) (1 - p)^(m - i + 1), p = (r - 1) / (n_items - 1), m = n_draws
-- source:   Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226
-- oracle:   scipy.stats.binom.pmf
-- note:     draws are uniform and with replacement; relative error below 1e-11 for 1000000 items and 2000 draws
WITH ranks AS (
    SELECT
        places.place AS rank,
        ln(nullif(places.place - 1, 0) / CAST($n_items - 1 AS DOUBLE)) AS log_above,
        ln(nullif($n_items - places.place, 0) / CAST($n_items - 1 AS DOUBLE)) AS log_below
    FROM range(1, CAST($n_items AS BIGINT) + 1) AS places(place)
),
draws AS (
    SELECT
        counts.n AS above,
        $n_draws - counts.n AS below,
        lgamma($n_draws + 1) - lgamma(counts.n + 1) - lgamma($n_draws - counts.n + 1) AS log_ways
    FROM range(0, CAST($n_draws AS BIGINT) + 1) AS counts(n)
)
SELECT
    ranks.rank,
    draws.above + 1 AS sampled_rank,
    -- No item is above the first rank or below the last: their logarithms are NULL, and none is drawn.
    coalesce(
        exp(
            draws.log_ways
            + CASE WHEN draws.above > 0 THEN draws.above * ranks.log_above ELSE 0e0 END
            + CASE WHEN draws.below > 0 THEN draws.below * ranks.log_below ELSE 0e0 END
        ), 0e0
    ) AS chance
FROM ranks
CROSS JOIN draws;
