-- name:     placed_values
-- title:    The values of every arm in their order
-- inputs:   arm_values (arm, value, cluster_id)
-- grain:    arm, place
-- note:     n is the number of values of the arm
SELECT
    arm, cluster_id, CAST(value AS DOUBLE) AS value,
    row_number() OVER (PARTITION BY arm ORDER BY value, cluster_id) AS place,
    count(*) OVER (PARTITION BY arm) AS n
FROM arm_values
WHERE value IS NOT NULL;
