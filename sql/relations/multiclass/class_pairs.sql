-- name:     class_pairs
-- title:    Pairs of a row of a class and another row, and the number of pairs in the right order
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   average VARCHAR DEFAULT 'macro' CHECK (average IN ('macro', 'weighted', 'micro')),
--           plan VARCHAR DEFAULT 'grouped' CHECK (plan IN ('grouped', 'sorted'))
-- values:   average: as in relations/multiclass/class_thresholds
--           plan: as in relations/classification/pairs
-- portable: with plan = grouped
-- grain:    system, segment, class
-- note:     both plans give the same numbers: sorted sums the average ranks of the rows of a class
WITH places AS (
    SELECT
        system, segment, class, label,
        rank() OVER (PARTITION BY system, segment, class ORDER BY score) AS first_rank,
        cume_dist() OVER (PARTITION BY system, segment, class ORDER BY score) AS share_upto,
        count(*) OVER (PARTITION BY system, segment, class) AS size
    FROM (
        SELECT system, segment, CASE $average WHEN 'micro' THEN '' ELSE class END AS class, label, score
        FROM classified
    ) AS scored
)
SELECT
    system,
    segment,
    class,
    sum(label) AS positives,
    sum(1 - label) AS negatives,
    (
        sum(label * (first_rank + floor(share_upto * size + 0.5e0))) - sum(label) * (sum(label) + 1)
    ) / 2 AS won
FROM places
WHERE $plan = 'sorted'
GROUP BY system, segment, class
UNION ALL
SELECT
    system,
    segment,
    class,
    max(p) AS positives,
    max(n) AS negatives,
    sum(positives * (n - fp) + positives * negatives / 2) AS won
FROM class_thresholds
WHERE $plan = 'grouped'
GROUP BY system, segment, class;
