-- name:     quantile_bounds
-- title:    Intervals of quantiles of the values of units, such as queries or users, by order statistics
-- inputs:   per_query (system, metric, query_id, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- portable: no, intervals are for DuckDB only
-- grain:    system, metric
-- formula:  the values of the ranks r and n + 1 - r', r = quantile_rank(n, n_independent, q, (1 - level) / 2), r' the
--           same of 1 - q
-- source:   Thompson, Annals of Mathematical Statistics 1936, doi:10.1214/aoms/1177732502; clusters: Woodruff, Journal
--           of the American Statistical Association 1952, doi:10.1080/01621459.1952.10483443
-- note:     if there are no bounds, why gives the reason
WITH tailed AS (
    -- A separate step, because DuckDB repeats the arguments of a macro.
    SELECT
        system, metric, q, estimate, n, clusters, n_effective, n_independent,
        CAST(n AS DOUBLE) AS size,
        0.5e0 * (1 - $level) AS tail
    FROM quantile_sizes
),
ranked AS (
    SELECT
        system, metric, q, estimate, n, clusters, n_effective, n_independent, tail,
        CAST(nullif(quantile_rank(size, n_independent, q, tail), 0) AS BIGINT) AS lower_rank,
        n + 1 - CAST(nullif(quantile_rank(size, n_independent, 1 - q, tail), 0) AS BIGINT) AS upper_rank
    FROM tailed
),
placed AS (
    SELECT
        system, metric, value,
        row_number() OVER (PARTITION BY system, metric ORDER BY value, query_id) AS rank
    FROM quantile_units
    WHERE value IS NOT NULL
)
SELECT
    ranked.system,
    ranked.metric,
    ranked.n,
    ranked.clusters,
    ranked.n_effective,
    ranked.q,
    ranked.estimate,
    max(CASE WHEN placed.rank = ranked.lower_rank THEN placed.value END) AS lower,
    max(CASE WHEN placed.rank = ranked.upper_rank THEN placed.value END) AS upper,
    ranked.lower_rank,
    ranked.upper_rank,
    CASE
        WHEN ranked.clusters < 2 THEN 'there is one unit only'
        WHEN ranked.n_independent IS NULL THEN 'its units are worth fewer than two of equal weight'
        WHEN ranked.lower_rank IS NULL OR ranked.upper_rank IS NULL
            THEN 'at this level, it needs at least '
                || CAST(CAST(ceil(ln(ranked.tail) / ln(greatest(ranked.q, 1 - ranked.q))) AS BIGINT) AS VARCHAR)
                || ' independent values of queries'
    END AS why
FROM ranked
JOIN placed ON placed.system = ranked.system AND placed.metric = ranked.metric
GROUP BY
    ranked.system, ranked.metric, ranked.n, ranked.clusters, ranked.n_effective, ranked.n_independent, ranked.q,
    ranked.estimate, ranked.tail, ranked.lower_rank, ranked.upper_rank;
