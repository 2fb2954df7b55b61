-- name:     quantile_sizes
-- title:    Quantiles, with the number of independent values that have the same information
-- inputs:   per_query (system, metric, query_id, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- grain:    system, metric
-- formula:  n_independent = n / deff * (z / t)^2, at most n; deff = variance of the share of values below the quantile
--           between clusters / the same variance of independent values; t has n_effective - 1 degrees of freedom
-- source:   Woodruff, Journal of the American Statistical Association 1952, doi:10.1080/01621459.1952.10483443;
--           Korn and Graubard, Survey Methodology 1998, 24(2), 193-201; effective number: Kish, Survey Sampling, 1965
-- note:     n_effective = n^2 / sum of n_cluster^2. Of values equal to the quantile, the fraction counts that makes the
--           share q. The quantile is that of aggregations/percentile
WITH placed AS (
    SELECT system, metric, cluster_id, value, q,
        row_number() OVER (PARTITION BY system, metric ORDER BY value, query_id) - 1 AS place,
        (count(*) OVER (PARTITION BY system, metric) - 1) * (q * 1e2) / 1e2 AS target
    FROM quantile_units
    WHERE value IS NOT NULL
),
estimated AS (
    SELECT system, metric, q,
        sum(value * (1 - abs(place - target))) FILTER (WHERE abs(place - target) < 1) AS estimate,
        max(value) FILTER (WHERE place <= target) AS pivot
    FROM placed
    GROUP BY system, metric, q
),
counted AS (
    SELECT placed.system, placed.metric, placed.cluster_id, estimated.q, estimated.estimate,
        count(*) AS n,
        count(CASE WHEN placed.value < estimated.pivot THEN 1 END) AS n_below,
        count(CASE WHEN placed.value = estimated.pivot THEN 1 END) AS n_tied
    FROM placed
    JOIN estimated ON estimated.system = placed.system AND estimated.metric = placed.metric
    GROUP BY placed.system, placed.metric, placed.cluster_id, estimated.q, estimated.estimate
),
totals AS (
    SELECT system, metric, q, estimate,
        CAST(sum(n) AS BIGINT) AS n, count(*) AS clusters,
        CAST(sum(n) AS DOUBLE) * sum(n) / nullif(sum(CAST(n AS DOUBLE) * n), 0) AS n_effective,
        sum(n_below) AS below, sum(n_tied) AS tied,
        greatest(0e0, least(1e0, (q * sum(n) - sum(n_below)) / nullif(sum(n_tied), 0))) AS fraction
    FROM counted
    GROUP BY system, metric, q, estimate
),
spreads AS (
    SELECT
        totals.system, totals.metric, totals.q, totals.estimate, totals.n, totals.clusters, totals.n_effective,
        (totals.below * (1e0 - totals.below / totals.n) + totals.tied * totals.fraction
            * (totals.fraction * (1e0 - totals.tied / totals.n) - 2e0 * totals.below / totals.n))
            / nullif(totals.n - 1e0, 0) AS variance,
        sum(power(counted.n_below + totals.fraction * counted.n_tied
            - counted.n * (totals.below + totals.fraction * totals.tied) / totals.n, 2e0))
            / nullif(totals.n * (totals.clusters - 1e0) / totals.clusters, 0) AS between_clusters
    FROM totals
    JOIN counted ON counted.system = totals.system AND counted.metric = totals.metric
    GROUP BY
        totals.system, totals.metric, totals.q, totals.estimate, totals.n, totals.clusters, totals.n_effective,
        totals.below, totals.tied, totals.fraction
)
SELECT system, metric, q, estimate, n, clusters,
    least(n_effective, clusters) AS n_effective,
    CASE
        WHEN clusters = n THEN CAST(n AS DOUBLE)
        WHEN clusters < 2 OR n_effective < 2 THEN NULL
        WHEN variance > 0 AND between_clusters > 0
            THEN least(n, n * variance / between_clusters
                * power(normal_quantile(0.5e0 + 0.5e0 * $level) / student_t_critical(1 - $level, n_effective - 1), 2e0))
        WHEN variance > 0 THEN CAST(n AS DOUBLE)
        ELSE n_effective
    END AS n_independent
FROM spreads;
