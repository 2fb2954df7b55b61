-- name:     group_contributions
-- title:    Contribution of each group of items or queries to the mean of a metric
-- inputs:   keyed (system, query_id, segment, term), valued (system, query_id, missing, no_relevant, value, weight)
-- grain:    system, kind, segment
-- note:     keyed are the terms of the metric with the group of each; the contribution of a group is the sum of its
--           terms divided by the number of queries in the mean of the system; with weights, of weight * term divided
--           by the sum of the weights. kind: group; policy, the queries whose value comes from a policy; constant,
--           what a metric of rows adds for no row. n counts the items that add something, these queries, or rows. For
--           metrics of rows an input of this name has the groups
WITH sized AS (
    SELECT system, query_id, value, CASE WHEN policy IS NULL THEN 'group' ELSE 'policy' END AS kind,
        weight, sum(CASE WHEN value IS NOT NULL THEN weight END) OVER (PARTITION BY system) AS all_weights
    FROM explained_values
),
parts AS (
    SELECT sized.system, keyed.segment, sized.kind, keyed.term, sized.weight, sized.all_weights
    FROM keyed
    JOIN sized ON sized.system = keyed.system AND sized.query_id = keyed.query_id
    WHERE sized.kind = 'group' AND sized.value IS NOT NULL
    UNION ALL
    SELECT system, NULL AS segment, kind, value AS term, weight, all_weights
    FROM sized
    WHERE kind = 'policy' AND value IS NOT NULL
)
SELECT
    system,
    segment,
    kind,
    sum(term * weight) / max(all_weights) AS contribution,
    count(*) FILTER (WHERE kind = 'policy' OR term <> 0) AS n
FROM parts
GROUP BY system, segment, kind;
