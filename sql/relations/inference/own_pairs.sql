-- name:     own_pairs
-- title:    Large units, such as users, with the pairs of their own rows that are in the right order
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- params:   independent BOOLEAN DEFAULT FALSE
-- grain:    system, segment, unit
-- note:     a large unit has rows of both classes, and at least 0.1 % of the weight of one of them. A tie is half a
--           pair. Independent rows have no pairs of their own
WITH shares AS (
    SELECT
        system, segment, unit, weight_of_positives, weight_of_negatives,
        sum(weight_of_positives) OVER (PARTITION BY system, segment) AS p,
        sum(weight_of_negatives) OVER (PARTITION BY system, segment) AS n
    FROM unit_placements
    WHERE NOT $independent
),
large AS (
    SELECT system, segment, unit
    FROM shares
    WHERE weight_of_positives > 0 AND weight_of_negatives > 0
        AND greatest(weight_of_positives / nullif(p, 0), weight_of_negatives / nullif(n, 0)) >= 1e-3
),
scores AS (
    SELECT
        predictions.system,
        predictions.segment,
        predictions.unit,
        predictions.score,
        sum(CASE WHEN predictions.label > 0 THEN CASE WHEN $weighted THEN predictions.weight ELSE 1e0 END ELSE 0e0 END)
            AS positives,
        sum(CASE WHEN predictions.label > 0 THEN 0e0 ELSE CASE WHEN $weighted THEN predictions.weight ELSE 1e0 END END)
            AS negatives
    FROM predictions
    JOIN large
        ON large.system = predictions.system
        AND large.segment = predictions.segment
        AND large.unit = predictions.unit
    WHERE NOT $independent AND (NOT $weighted OR predictions.weight > 0)
    GROUP BY predictions.system, predictions.segment, predictions.unit, predictions.score
),
counted AS (
    SELECT
        system, segment, unit, positives, negatives,
        sum(negatives) OVER (
            PARTITION BY system, segment, unit ORDER BY score ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS negatives_upto
    FROM scores
)
SELECT system, segment, unit, sum(positives * (negatives_upto - negatives / 2)) AS won
FROM counted
GROUP BY system, segment, unit;
