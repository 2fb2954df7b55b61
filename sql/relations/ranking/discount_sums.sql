-- name:     discount_sums
-- title:    Sums of p^j / j over the ranks j up to a rank
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   p DOUBLE DEFAULT 0.9 CHECK (p > 0 AND p < 1),
--           k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   p: as in ranking/rbp
--           k: as in ranking/recall
-- grain:    rank
-- note:     the ranks go down to k, or to the last rank of all lists; at rank 1,000,000 a term is too small to count
WITH longest AS (
    SELECT max(n) AS n
    FROM (
        SELECT n_returned AS n FROM returned_counts
        UNION ALL
        SELECT n_reference AS n FROM reference_counts
    ) AS lengths
)
SELECT
    ranks.rank,
    sum(power($p, ranks.rank) / ranks.rank) OVER (ORDER BY ranks.rank) AS total
FROM range(1, coalesce($k, 999999) + 1) AS ranks(rank)
CROSS JOIN longest
WHERE $k IS NOT NULL OR ranks.rank <= longest.n;
