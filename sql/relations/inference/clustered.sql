-- name:     clustered
-- title:    Values of clusters of queries, such as the queries of a user, whose mean is that of all queries
-- inputs:   per_query (system, metric, query_id, cluster_id, value, weight)
-- params:   weighted BOOLEAN DEFAULT FALSE
-- grain:    system, metric, query_id
-- formula:  mean + (m - 1) * (d - mean of d), d = (total - mean * n_cluster) / (n - n_cluster): the change of the
--           mean of n queries without one of m clusters
-- source:   Efron and Stein, Annals of Statistics 1981, doi:10.1214/aos/1176345462 (jackknife); effective number:
--           Kish, Survey Sampling, 1965
-- note:     query_id is the cluster; n_effective = n^2 / sum of n_cluster^2; hits: every query has the value 0 or 1.
--           Where queries have weights, n is their sum, and total that of weight * value. part has the same mean as
--           value, and the sign of the cluster: tests that flip or count signs read it
WITH sums AS (
    SELECT
        system, metric, cluster_id,
        CASE WHEN $weighted THEN sum(weight * value) ELSE sum(value) END AS total,
        CASE WHEN $weighted THEN sum(CASE WHEN value IS NOT NULL THEN weight END) ELSE count(value) END AS n,
        count(CASE WHEN value <> 0 AND value <> 1 THEN value END) AS n_graded
    FROM per_query
    GROUP BY system, metric, cluster_id
),
overall AS (
    SELECT
        system, metric,
        sum(total) / nullif(sum(n), 0) AS mean,
        sum(n) AS n,
        count(*) AS clusters,
        CAST(sum(n) AS DOUBLE) * sum(n) / nullif(sum(CAST(n AS DOUBLE) * n), 0) AS n_effective,
        sum(n_graded) = 0 AS hits
    FROM sums
    WHERE n > 0
    GROUP BY system, metric
),
changes AS (
    SELECT
        sums.system,
        sums.metric,
        sums.cluster_id,
        sums.total,
        (sums.total - overall.mean * sums.n) / nullif(overall.n - sums.n, 0) AS change
    FROM sums
    JOIN overall ON overall.system = sums.system AND overall.metric = sums.metric
    WHERE sums.n > 0
),
centers AS (
    SELECT system, metric, avg(change) AS change
    FROM changes
    GROUP BY system, metric
)
SELECT
    changes.system,
    changes.metric,
    changes.cluster_id AS query_id,
    overall.mean + (overall.clusters - 1) * (changes.change - centers.change) AS value,
    overall.n_effective,
    overall.hits,
    overall.clusters * changes.total / overall.n AS part
FROM changes
JOIN overall ON overall.system = changes.system AND overall.metric = changes.metric
JOIN centers ON centers.system = changes.system AND centers.metric = changes.metric;
