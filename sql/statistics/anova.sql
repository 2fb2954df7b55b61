-- name:     anova
-- title:    Two-way analysis of variance without replication: systems by queries
-- meaning:  The analysis of variance (ANOVA) shows whether three or more systems differ in their means by more than
--           chance explains. It first removes the differences between easy and hard queries.
-- use:      to check all systems in one test before you compare pairs of them
-- beware:   a small p does not show which systems differ; p is exact only if the errors are normal and have the same
--           variance
-- reading:  f = 1: the systems differ about as much as chance explains
--           p < 0.05: at least two systems differ by more than chance explains
-- inputs:   per_query (system, metric, query_id, value)
-- grain:    one row per metric: metric, n_systems, n, ss_system, ss_query, ss_error, df_system, df_error, mse, f, p
-- range:    [0, inf], and p in [0, 1]
-- formula:  f = (ss_system / df_system) / mse, mse = ss_error / df_error, df_system = systems - 1,
--           df_error = (systems - 1) * (n - 1); ss_error sums (value - system mean - query mean + mean)^2
-- tex:      F = \frac{\mathit{SS}_{\mathrm{system}} / (k - 1)}{\mathit{SS}_{\mathrm{error}} / ((k - 1)(n - 1))}
--           \qquad \mathit{SS}_{\mathrm{system}} = \sum_{s, q} ({\bar{x}}_s - \bar{x})^2 \qquad
--           \mathit{SS}_{\mathrm{error}} = \sum_{s, q} (x_{sq} - {\bar{x}}_s - {\bar{x}}_q + \bar{x})^2
-- symbols:  k: the number of systems
--           n: the number of queries
--           x_{sq}: the value of system s in query q
--           {\bar{x}}_s: the mean of system s
--           {\bar{x}}_q: the mean of query q
--           \bar{x}: the mean of all values
-- source:   Fisher, Statistical Methods for Research Workers, 1925
-- oracle:   statsmodels.stats.anova.anova_lm
-- example:  anova(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 1), ('A', 'm', 3, 2), ('B', 'm', 1, 1), ('B', 'm', 2, 2),
--           ('B', 'm', 3, 6)) = 'm', 2, 3, 6, 13, 3, 1, 2, 1.5, 4, 0.18350341907227397
-- related:  tukey_hsd, friedman, paired_t
-- note:     only complete blocks count: the queries for which every system of the metric has a value. If the systems
--           differ by the same amount in every query, f and p are NULL; if all systems are equal, p is 1
WITH centered AS (
    SELECT
        metric,
        value,
        value - avg(value) OVER (PARTITION BY metric) AS deviation,
        avg(value) OVER (PARTITION BY metric, place) - avg(value) OVER (PARTITION BY metric) AS system_effect,
        avg(value) OVER (PARTITION BY metric, query_id) - avg(value) OVER (PARTITION BY metric) AS query_effect,
        systems
    FROM blocks
),
sums AS (
    SELECT
        metric,
        max(systems) AS n_systems,
        count(*) // max(systems) AS n,
        sum(system_effect * system_effect) AS ss_system,
        sum(query_effect * query_effect) AS ss_query,
        sum(power(deviation - system_effect - query_effect, 2e0)) AS ss_error,
        1e-24 * sum(value * value) AS negligible
    FROM centered
    GROUP BY metric
),
ratios AS (
    SELECT
        metric, n_systems, n, ss_system, ss_query, ss_error, negligible,
        n_systems - 1 AS df_system,
        (n_systems - 1) * (n - 1) AS df_error,
        ss_error / nullif((n_systems - 1) * (n - 1), 0) AS mse,
        CASE WHEN ss_error > negligible
            THEN ss_system / nullif(n_systems - 1, 0) / nullif(ss_error / nullif((n_systems - 1) * (n - 1), 0), 0)
        END AS f
    FROM sums
)
SELECT
    metric, n_systems, n, ss_system, ss_query, ss_error, df_system, df_error, mse, f,
    CASE WHEN df_error > 0 AND ss_system <= negligible AND ss_error <= negligible THEN 1e0
        ELSE f_sf(f, df_system, df_error) END AS p
FROM ratios;
