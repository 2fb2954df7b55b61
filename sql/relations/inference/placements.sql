-- name:     placements
-- title:    Rows with their weight, and the number and share of the rows of the other class that they win against
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- params:   plan VARCHAR DEFAULT 'grouped' CHECK (plan IN ('grouped', 'sorted'))
-- values:   plan=grouped: rows are looked up among the distinct scores, as weights need
--           plan=sorted: rows are counted in the order of their scores
-- portable: with plan = grouped
-- grain:    row
-- formula:  placement of a positive: the share of the negatives below it; of a negative: the share of the positives
--           above it, ties 1/2
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595
-- note:     both plans give the same numbers; sorted is faster where scores are many, and reads no weights
WITH counted AS (
    SELECT
        system, segment, unit, score,
        CASE WHEN label > 0 THEN 1 ELSE 0 END AS label,
        CASE WHEN $weighted THEN weight ELSE 1e0 END AS weight
    FROM predictions
    WHERE NOT $weighted OR weight > 0
),
compared AS (
    SELECT
        counted.system,
        counted.segment,
        counted.unit,
        counted.label,
        counted.weight,
        CASE
            WHEN counted.label = 1 THEN thresholds.n - thresholds.fp + thresholds.negatives / 2
            ELSE thresholds.tp - thresholds.positives / 2
        END AS won,
        CASE WHEN counted.label = 1 THEN thresholds.n ELSE thresholds.p END AS against
    FROM counted
    JOIN thresholds
        ON thresholds.system = counted.system
        AND thresholds.segment = counted.segment
        AND thresholds.score = counted.score
    WHERE $plan = 'grouped'
    UNION ALL
    SELECT
        system,
        segment,
        unit,
        label,
        1e0 AS weight,
        CASE WHEN label = 1 THEN negatives_upto - negatives / 2 ELSE p - positives_upto + positives / 2 END AS won,
        CASE WHEN label = 1 THEN n ELSE p END AS against
    FROM sorted_rows
    WHERE $plan = 'sorted'
)
SELECT
    system,
    segment,
    unit,
    label,
    weight,
    won,
    won / nullif(against, 0) AS placement
FROM compared;
