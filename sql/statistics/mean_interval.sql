-- name:     mean_interval
-- title:    Mean with its t-interval
-- meaning:  The interval shows how precisely the queries of the test set measure the mean of a metric. A wide
--           interval means that the test set has too few queries for a precise mean.
-- use:      to report a metric together with its uncertainty
-- beware:   two intervals that overlap do not mean that the systems are equal; compare systems on the same queries
--           with paired_t
-- reading:  level = 0.95: about 95 of 100 such intervals from new samples contain the mean of all possible queries
--           lower = upper: all values in the test set are equal
-- inputs:   per_query (system, metric, query_id, value)
-- params:   level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   level: the confidence level of the interval
-- grain:    one row per system and metric: system, metric, n, mean, sd, se, lower, upper
-- range:    (-inf, inf)
-- formula:  mean -+ t * sd / sqrt(n), t the two-sided critical value of Student's t with df = n - 1
-- tex:      \bar{x} \mp t \, \frac{s}{\sqrt{n}}
-- symbols:  \bar{x}: the mean of the values
--           s: the standard deviation of the values
--           n: the number of values
--           t: the two-sided critical value of Student's t with n - 1 degrees of freedom
-- source:   Student, Biometrika 1908, doi:10.1093/biomet/6.1.1
-- oracle:   scipy.stats.t.interval
-- example:  mean_interval(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 1), ('A', 'm', 3, 0)) = 'A', 'm', 3, 0.5, 0.5,
--           0.2886751345948129, -0.7420688558751651, 1.7420688558751651
-- related:  bootstrap_interval, wilson_interval, paired_t
-- note:     a value that is NULL is left out; with one value there is no interval. Bounds are not clipped to the
--           range of a metric. If all values are 0 or 1, their mean is a proportion: use wilson_interval
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
