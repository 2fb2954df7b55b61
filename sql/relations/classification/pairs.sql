-- name:     pairs
-- title:    Pairs of a positive and a negative, and the number of pairs in the right order
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   plan VARCHAR DEFAULT 'grouped' CHECK (plan IN ('grouped', 'sorted')),
--           per VARCHAR DEFAULT 'segment' CHECK (per IN ('segment', 'group'))
-- values:   plan=grouped: pairs are counted from distinct scores, as weights and bins need
--           plan=sorted: pairs are counted from the ranks of single rows
-- portable: with plan = grouped
-- grain:    system, segment, group_id
-- note:     both plans give the same numbers: sorted sums the average ranks of the positives, and includes the ties
--           in won; grouped counts by distinct score, and is needed for weights and bins; the engine takes the faster
--           one
WITH places AS (
    SELECT
        system,
        segment,
        group_id,
        label,
        rank() OVER (PARTITION BY system, segment, group_id ORDER BY score) AS first_rank,
        cume_dist() OVER (PARTITION BY system, segment, group_id ORDER BY score) AS share_upto,
        CASE $per WHEN 'group' THEN count(*) OVER (PARTITION BY system, segment, group_id) END AS group_size
    FROM labeled
)
SELECT
    places.system,
    places.segment,
    places.group_id,
    sum(places.label) AS positives,
    sum(1 - places.label) AS negatives,
    (
        sum(places.label * (
            places.first_rank
            + floor(places.share_upto * CASE $per WHEN 'group' THEN places.group_size ELSE segments.n END + 0.5e0)
        )) - sum(places.label) * (sum(places.label) + 1)
    ) / 2 AS won,
    0e0 AS tied
FROM places
JOIN segments ON segments.system = places.system AND segments.segment = places.segment
WHERE $plan = 'sorted'
GROUP BY places.system, places.segment, places.group_id
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
