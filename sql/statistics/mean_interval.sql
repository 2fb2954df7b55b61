-- name:     mean_interval
-- title:    Mean with its t-interval
-- inputs:   per_query (system, metric, query_id, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   level: the confidence level of the interval
-- grain:    one row per system and metric: system, metric, n, mean, sd, se, lower, upper
-- range:    (-inf, inf)
-- formula:  mean -+ t * sd / sqrt(n), t the two-sided critical value of Student's t with df = n - 1
-- source:   Student, Biometrika 1908, doi:10.1093/biomet/6.1.1
-- oracle:   scipy.stats.t.interval
-- example:  mean_interval(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 1), ('A', 'm', 3, 0)) = 'A', 'm', 3, 0.5, 0.5,
--           0.2886751345948129, -0.7420688558751651, 1.7420688558751651
-- note:     a value that is NULL is left out; of one value there is no interval. Bounds are not clipped to
--           the range of a metric. Values that are all 0 or 1 are a proportion: take wilson_interval
WITH moments AS (
    SELECT
        system,
        metric,
        count(value) AS n,
        avg(value) AS mean,
        CASE WHEN count(value) > 1 THEN stddev_samp(value) END AS sd
    FROM per_query
    GROUP BY system, metric
),
errors AS (
    SELECT
        system, metric, n, mean, sd,
        sd / nullif(sqrt(n), 0) AS se,
        student_t_critical(1 - $level, n - 1) * sd / nullif(sqrt(n), 0) AS half
    FROM moments
)
SELECT
    system,
    metric,
    n,
    mean,
    sd,
    se,
    mean - half AS lower,
    mean + half AS upper
FROM errors;
