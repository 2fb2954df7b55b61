-- name:     planned_arms
-- title:    Variants with the units they have and the shares that they should have
-- inputs:   arms (arm, n)
-- params:   shares VARCHAR DEFAULT NULL
-- values:   shares: as in experiment_call
-- grain:    arm
-- note:     expected is NULL for a variant without a planned share, if others have one
SELECT
    coalesce(arms.arm, planned.arm) AS arm,
    coalesce(arms.n, 0) AS observed,
    CASE WHEN $shares IS NULL THEN 1e0 ELSE planned.share END AS expected
FROM arms
FULL JOIN (
    SELECT pair['name'] AS arm, TRY_CAST(pair['value'] AS DOUBLE) AS share
    FROM (SELECT unnest(named_values($shares)) AS pair)
) AS planned ON planned.arm = arms.arm;
