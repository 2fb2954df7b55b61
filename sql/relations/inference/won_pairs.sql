-- name:     won_pairs
-- title:    Pairs of a value of an arm and a value of the control, and how many of them the arm wins
-- inputs:   observations (arm, value)
-- switches: control VARCHAR
-- grain:    arm
-- formula:  u = number of pairs in which the arm has the larger value, ties 1/2; alikeness = sum of t^3 - t, t the
--           sizes of ties
-- note:     a value that is NULL is left out
WITH counted AS (
    SELECT CAST(arm AS VARCHAR) = $control AS is_control, arm, CAST(value AS DOUBLE) AS value, count(*) AS n
    FROM observations
    WHERE value IS NOT NULL
    GROUP BY arm, value
),
arms AS (
    SELECT DISTINCT arm
    FROM counted
    WHERE NOT is_control
),
pooled AS (
    SELECT arms.arm, counted.value,
        CASE WHEN counted.is_control THEN 0 ELSE counted.n END AS n,
        CASE WHEN counted.is_control THEN counted.n ELSE 0 END AS n_control
    FROM counted
    JOIN arms ON counted.is_control OR counted.arm = arms.arm
),
placed AS (
    SELECT
        arm,
        CAST(sum(n) AS DOUBLE) AS n,
        CAST(sum(n_control) AS DOUBLE) AS n_control,
        CAST(sum(sum(n_control)) OVER (
            PARTITION BY arm ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) AS upto
    FROM pooled
    GROUP BY arm, value
)
SELECT
    arm,
    sum(n_control) AS n_control,
    sum(n) AS n,
    sum(n) + sum(n_control) AS total,
    sum(n * (upto - 0.5e0 * n_control)) AS u,
    sum(power(n + n_control, 3e0) - (n + n_control)) AS alikeness
FROM placed
GROUP BY arm
HAVING sum(n_control) > 0;
