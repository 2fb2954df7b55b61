-- name:     placements
-- title:    Rows with the share of the other class that they win against
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- grain:    row
-- formula:  placement of a positive: the share of the negatives below it; of a negative: the share of the positives
--           above it, ties 1/2; share: the weight of the row divided by the weight of its class
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595
WITH counted AS (
    SELECT
        system, segment, unit, score,
        CASE WHEN label > 0 THEN 1 ELSE 0 END AS label,
        CASE WHEN $weighted THEN weight ELSE 1e0 END AS weight
    FROM predictions
    WHERE NOT $weighted OR weight > 0
)
SELECT
    counted.system,
    counted.segment,
    counted.unit,
    counted.label,
    counted.weight / nullif(CASE WHEN counted.label = 1 THEN thresholds.p ELSE thresholds.n END, 0) AS share,
    CASE
        WHEN counted.label = 1
            THEN (thresholds.n - thresholds.fp + thresholds.negatives / 2) / nullif(thresholds.n, 0)
        ELSE (thresholds.tp - thresholds.positives / 2) / nullif(thresholds.p, 0)
    END AS placement
FROM counted
JOIN thresholds
    ON thresholds.system = counted.system
    AND thresholds.segment = counted.segment
    AND thresholds.score = counted.score;
