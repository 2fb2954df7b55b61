-- name:     contribution_sizes
-- title:    How many groups raise and lower a value, and how much the largest of them make
-- inputs:   keyed (system, query_id, segment, term), valued (system, query_id, missing, no_relevant, value)
-- params:   system VARCHAR,
--           baseline VARCHAR DEFAULT NULL,
--           percent DOUBLE DEFAULT 1 CHECK (percent > 0 AND percent <= 100)
-- values:   percent: how many of the groups count as the largest, in percent; at least 1
-- grain:    one row
-- note:     the size of a group is that of its difference, or of its contribution if there is no baseline; share is
--           that of the sizes of the largest groups among the sizes of all groups
WITH sized AS (
    SELECT contribution - baseline_contribution AS difference,
        row_number() OVER (ORDER BY abs(contribution - baseline_contribution) DESC, segment) AS place,
        count(*) OVER () AS n_groups
    FROM compared_groups
    WHERE kind = 'group'
)
SELECT
    count(*) AS n_groups,
    count(*) FILTER (WHERE difference > 0) AS n_up,
    coalesce(sum(difference) FILTER (WHERE difference > 0), 0) AS up,
    count(*) FILTER (WHERE difference < 0) AS n_down,
    coalesce(sum(difference) FILTER (WHERE difference < 0), 0) AS down,
    count(*) FILTER (WHERE (place - 1) * 100 < n_groups * $percent) AS n_largest,
    sum(abs(difference)) FILTER (WHERE (place - 1) * 100 < n_groups * $percent)
        / nullif(sum(abs(difference)), 0) AS share
FROM sized;
