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
        AND n - ties <= CASE WHEN $exact THEN 100 ELSE 50 END
        AND CASE $zeros WHEN 'pratt' THEN n ELSE n - ties END <= 1000
),
sums AS (
    -- Without ties all doubled ranks are even.
    SELECT
        system, metric,
        CASE WHEN count(*) FILTER (WHERE doubled % 2 = 1) > 0 THEN 1 ELSE 2 END AS unit,
        array_agg(doubled) AS ranks,
        CAST(least(
            coalesce(sum(doubled) FILTER (WHERE direction > 0), 0),
            coalesce(sum(doubled) FILTER (WHERE direction < 0), 0)) AS BIGINT) AS smaller
    FROM ranked
    GROUP BY system, metric
)
SELECT
    system, metric,
    -- Probabilities of the sums from 0 to the smaller one: one list for every rank.
    least(2e0 * list_sum(list_reduce(
        list_prepend(
            list_transform(range(0, smaller // unit + 1), lambda s: CASE WHEN s = 0 THEN 1e0 ELSE 0e0 END),
            list_transform(ranks, lambda rank: [CAST(rank // unit AS DOUBLE)])),
        lambda reached, rank: list_transform(range(0, smaller // unit + 1), lambda s: 0.5e0 * (reached[s + 1]
            + CASE WHEN s >= rank[1] THEN reached[s + 1 - CAST(rank[1] AS BIGINT)] ELSE 0e0 END))
    )), 1e0) AS p
FROM sums;
