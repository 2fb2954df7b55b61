-- name:     pairs
-- title:    Pairs of a positive and a negative, and how many of them are in the right order
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   plan VARCHAR DEFAULT 'grouped' CHECK (plan IN ('grouped', 'sorted')),
--           per VARCHAR DEFAULT 'segment' CHECK (per IN ('segment', 'group'))
-- grain:    system, segment, group_id
-- note:     two ways to the same numbers: sorted sums the average ranks of the positives, and has the ties in won;
--           grouped counts by distinct score, and is needed for weights and bins; the engine takes the faster one
WITH places AS (
    SELECT
        labeled.system,
        labeled.segment,
        labeled.group_id,
        labeled.label,
        rank() OVER (PARTITION BY labeled.system, labeled.segment, labeled.group_id ORDER BY labeled.score)
            + floor(
                cume_dist() OVER (
                    PARTITION BY labeled.system, labeled.segment, labeled.group_id ORDER BY labeled.score
                ) * CASE $per
                    WHEN 'segment' THEN segments.n
                    ELSE count(*) OVER (PARTITION BY labeled.system, labeled.segment, labeled.group_id)
                END + 5e-1
            ) AS twice_rank
    FROM labeled
    JOIN segments ON segments.system = labeled.system AND segments.segment = labeled.segment
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
