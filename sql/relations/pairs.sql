-- name:     pairs
-- title:    Pairs of a positive and a negative, and how many of them are in the right order
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   plan VARCHAR DEFAULT 'grouped' CHECK (plan IN ('grouped', 'sorted'))
-- grain:    system, segment, group_id
-- note:     two ways to the same numbers: sorted sums the average ranks of the positives, and has the ties in won;
--           grouped counts by distinct score, and is needed for weights and bins; the engine takes the faster one
WITH places AS (
    SELECT
        system,
        segment,
        group_id,
        label,
        rank() OVER (PARTITION BY system, segment, group_id ORDER BY score)
            + round(
                cume_dist() OVER (PARTITION BY system, segment, group_id ORDER BY score)
                * count(*) OVER (PARTITION BY system, segment, group_id)
            ) AS twice_rank
    FROM labeled
)
SELECT
    system, segment, group_id,
    sum(label) AS positives,
    sum(1 - label) AS negatives,
    (sum(label * twice_rank) - sum(label) * (sum(label) + 1)) / 2 AS won,
    0e0 AS tied
FROM places
WHERE $plan = 'sorted'
GROUP BY system, segment, group_id
UNION ALL
SELECT
    system, segment, group_id,
    sum(positives) AS positives,
    sum(negatives) AS negatives,
    sum(positives * (n - fp)) AS won,
    sum(positives * negatives) AS tied
FROM thresholds
WHERE $plan = 'grouped'
GROUP BY system, segment, group_id;
