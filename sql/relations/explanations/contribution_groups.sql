-- name:     contribution_groups
-- title:    Contribution of each group of items, queries or rows to a metric, of the largest groups only
-- inputs:   keyed (system, query_id, segment, term), valued (system, query_id, missing, no_relevant, value, weight)
-- params:   n INTEGER DEFAULT 10 CHECK (n > 0)
-- values:   n: the number of groups with a row of their own
-- grain:    kind, segment
-- note:     kind: group; others, all groups after the first n; constant and policy as in group_contributions. n counts
--           as there. The rows add up to the values
WITH placed AS (
    SELECT segment, kind, contribution, baseline_contribution, n, baseline_n,
        row_number() OVER (
            PARTITION BY kind ORDER BY abs(contribution - baseline_contribution) DESC, segment
        ) AS place
    FROM compared_groups
),
named AS (
    SELECT
        CASE WHEN kind <> 'group' OR place <= $n THEN kind ELSE 'others' END AS kind,
        CASE WHEN kind = 'group' AND place <= $n THEN segment END AS segment,
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
