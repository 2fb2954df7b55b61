-- name:     compared_groups
-- title:    Contribution of each group to the values of two systems, side by side
-- inputs:   keyed (system, query_id, segment, term), valued (system, query_id, missing, no_relevant, value, weight)
-- params:   system VARCHAR,
--           baseline VARCHAR DEFAULT NULL
-- values:   system: the system whose value is explained
--           baseline: the system that it is compared with; none by default
-- grain:    kind, segment
-- note:     a group that one system lacks adds 0 to its value
SELECT
    segment,
    kind,
    coalesce(sum(contribution) FILTER (WHERE system = $system), 0) AS contribution,
    coalesce(sum(contribution) FILTER (WHERE system = $baseline), 0) AS baseline_contribution,
    coalesce(sum(n) FILTER (WHERE system = $system), 0) AS n,
    coalesce(sum(n) FILTER (WHERE system = $baseline), 0) AS baseline_n
FROM group_contributions
WHERE system = $system OR system = coalesce($baseline, $system)
GROUP BY segment, kind;
