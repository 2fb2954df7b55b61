-- name:     merged_samples
-- title:    The values of each arm and of the control together, with the number of each up to every value
-- inputs:   observations (arm, value)
-- switches: control VARCHAR
-- values:   control: as in statistics/welch_t
-- grain:    arm, value
-- note:     numbers are DOUBLE, because their products are large. An arm without a control, and the reverse, is left
--           out
WITH counted AS (
    SELECT arm, CAST(arm AS VARCHAR) = $control AS is_control, CAST(value AS DOUBLE) AS value, count(*) AS n
    FROM observations
    WHERE value IS NOT NULL AND arm IS NOT NULL
    GROUP BY arm, value
),
arms AS (
    SELECT arm
    FROM counted
    WHERE NOT is_control
    GROUP BY arm
),
merged AS (
    SELECT
        arms.arm, counted.value,
        CAST(sum(CASE WHEN counted.is_control THEN counted.n ELSE 0 END) AS DOUBLE) AS control_here,
        CAST(sum(CASE WHEN counted.is_control THEN 0 ELSE counted.n END) AS DOUBLE) AS here
    FROM arms
    JOIN counted ON counted.is_control OR counted.arm = arms.arm
    GROUP BY arms.arm, counted.value
),
summed AS (
    SELECT
        arm, value, control_here, here,
        sum(control_here) OVER (PARTITION BY arm ORDER BY value) AS control_to_here,
        sum(here) OVER (PARTITION BY arm ORDER BY value) AS to_here,
        sum(control_here) OVER (PARTITION BY arm) AS n_control,
        sum(here) OVER (PARTITION BY arm) AS n
    FROM merged
)
SELECT arm, value, control_here, here, control_to_here, to_here, n_control, n
FROM summed
WHERE n_control > 0;
