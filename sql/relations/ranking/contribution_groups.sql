-- name:     contribution_groups
-- title:    Contribution of each group of items or queries to the mean of a metric
-- inputs:   keyed (system, query_id, segment, term), valued (system, query_id, missing, no_relevant, value)
-- params:   system VARCHAR,
--           baseline VARCHAR DEFAULT NULL,
--           n INTEGER DEFAULT 10 CHECK (n > 0)
-- values:   system: the system whose value is explained
--           baseline: the system that it is compared with; none by default
--           n: the number of groups with a row of their own
-- grain:    kind, segment
-- note:     keyed are the terms of the metric with the group of each; the contribution of a group is the sum of its
--           terms divided by the number of queries in the mean of the system. kind: group; others, all groups after
--           the first n; policy, the queries whose value comes from a policy; n counts the items that add
--           something, or these queries. The rows add up to the values
WITH sized AS (
    SELECT system, query_id, value, policy IS NOT NULL AS by_policy,
        count(value) OVER (PARTITION BY system) AS n_queries
    FROM explained_values
),
parts AS (
    SELECT sized.system, keyed.segment, FALSE AS by_policy, keyed.term, sized.n_queries
    FROM keyed
    JOIN sized ON sized.system = keyed.system AND sized.query_id = keyed.query_id
    WHERE NOT sized.by_policy AND sized.value IS NOT NULL
    UNION ALL
    SELECT system, NULL AS segment, by_policy, value AS term, n_queries
    FROM sized
    WHERE by_policy AND value IS NOT NULL
),
groups AS (
    SELECT segment, by_policy,
        coalesce(sum(term) FILTER (WHERE system = $system) / max(n_queries) FILTER (WHERE system = $system), 0)
            AS contribution,
        coalesce(sum(term) FILTER (WHERE system = $baseline) / max(n_queries) FILTER (WHERE system = $baseline), 0)
            AS baseline_contribution,
        count(*) FILTER (WHERE system = $system AND (by_policy OR term <> 0)) AS n,
        count(*) FILTER (WHERE system = $baseline AND (by_policy OR term <> 0)) AS baseline_n
    FROM parts
    WHERE system = $system OR system = coalesce($baseline, $system)
    GROUP BY segment, by_policy
),
placed AS (
    SELECT segment, by_policy, contribution, baseline_contribution, n, baseline_n,
        row_number() OVER (
            PARTITION BY by_policy ORDER BY abs(contribution - baseline_contribution) DESC, segment
        ) AS place
    FROM groups
),
named AS (
    SELECT
        CASE WHEN by_policy THEN 'policy' WHEN place <= $n THEN 'group' ELSE 'others' END AS kind,
        CASE WHEN place <= $n AND NOT by_policy THEN segment END AS segment,
        contribution, baseline_contribution, n, baseline_n
    FROM placed
)
SELECT
    kind,
    segment,
    count(*) AS n_groups,
    sum(n) AS n,
    sum(baseline_n) AS baseline_n,
    sum(contribution) AS contribution,
    sum(baseline_contribution) AS baseline_contribution
FROM named
GROUP BY kind, segment;
