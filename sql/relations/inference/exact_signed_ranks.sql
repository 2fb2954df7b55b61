-- name:     exact_signed_ranks
-- title:    Exact p of the sum of signed ranks, of few ranked differences
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, zeros VARCHAR DEFAULT 'wilcox' CHECK (zeros IN ('wilcox', 'pratt')),
--           exact BOOLEAN DEFAULT NULL
-- values:   zeros=wilcox: as in statistics/wilcoxon
--           zeros=pratt: as in statistics/wilcoxon
--           exact: as in statistics/wilcoxon
-- portable: no, tests are computed in DuckDB
-- grain:    system, metric
-- formula:  p = 2 P(W <= least(w_plus, w_minus)), W the sum of ranks with random signs over the gains; a rank r moves
--           half of the probability of the sum s to s + r
-- source:   Wilcoxon, Biometrics Bulletin 1945, doi:10.2307/3001968
-- note:     ties share their midrank. Only probabilities are added, so that a small p has a small relative error
WITH counted AS (
    SELECT
        system, metric,
        CAST(floor(2 * first_rank + alike - 1) AS BIGINT) AS doubled,
        CASE WHEN difference > 0 THEN 1 WHEN difference < 0 THEN -1 ELSE 0 END AS direction,
        count(*) OVER (PARTITION BY system, metric) AS n,
        count(*) FILTER (WHERE difference = 0) OVER (PARTITION BY system, metric) AS ties
    FROM signed_ranks
    WHERE coalesce($exact, TRUE)
),
ranked AS (
    -- Zeros come first: without them, every other rank is smaller by their number.
    SELECT system, metric, direction, CASE $zeros WHEN 'pratt' THEN doubled ELSE doubled - 2 * ties END AS doubled
    FROM counted
    WHERE direction <> 0
        AND n - ties <= CASE WHEN $exact THEN 500 ELSE 200 END
        AND CASE $zeros WHEN 'pratt' THEN n ELSE n - ties END <= 1000
),
sums AS (
    -- Sums are multiples of a unit: without ties all doubled ranks are even.
    SELECT
        system, metric,
        array_agg(doubled ORDER BY doubled) AS ranks,
        list_reduce(array_agg(doubled), lambda one, other: gcd(one, other)) AS unit,
        CAST(least(
            coalesce(sum(doubled) FILTER (WHERE direction > 0), 0),
            coalesce(sum(doubled) FILTER (WHERE direction < 0), 0)) AS BIGINT) AS smaller
    FROM ranked
    GROUP BY system, metric
)
SELECT
    system, metric,
    -- Probabilities of the sums from 0 to the smaller one: one list for every rank. It grows with the ranks, so the
    -- small ones come first.
    least(2e0 * list_sum(list_reduce(
        list_prepend([1e0], list_transform(ranks, lambda rank: [CAST(rank // unit AS DOUBLE)])),
        lambda reached, rank: list_transform(
            range(0, least(length(reached) + CAST(rank[1] AS BIGINT), smaller // unit + 1)),
            lambda s: 0.5e0 * (CASE WHEN s < length(reached) THEN reached[s + 1] ELSE 0e0 END
                + CASE WHEN s >= rank[1] THEN reached[s + 1 - CAST(rank[1] AS BIGINT)] ELSE 0e0 END))
    )), 1e0) AS p
FROM sums;
