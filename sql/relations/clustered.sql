-- name:     clustered
-- title:    Values of clusters of queries, such as the queries of a user, whose mean is that of all queries
-- inputs:   per_query (system, metric, query_id, cluster_id, value)
-- grain:    system, metric, query_id
-- formula:  mean + m * (total - mean * n_cluster) / n, over the m clusters, n queries in all
-- source:   Deng, Knoblich and Lu, KDD 2018, doi:10.1145/3219819.3219919
-- note:     the delta method for a ratio of sums over clusters; query_id is the cluster
WITH sums AS (
    SELECT system, metric, cluster_id, sum(value) AS total, count(value) AS n
    FROM per_query
    GROUP BY system, metric, cluster_id
),
overall AS (
    SELECT system, metric, sum(total) / nullif(sum(n), 0) AS mean, sum(n) AS n, count(*) AS clusters
    FROM sums
    WHERE n > 0
    GROUP BY system, metric
)
SELECT
    sums.system,
    sums.metric,
    sums.cluster_id AS query_id,
    overall.mean + overall.clusters * (sums.total - overall.mean * sums.n) / nullif(overall.n, 0) AS value
FROM sums
JOIN overall ON overall.system = sums.system AND overall.metric = sums.metric
WHERE sums.n > 0;
