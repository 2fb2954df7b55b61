-- name:     auc_influence
-- title:    What every unit, such as a user, moves the AUC of its segment by
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- params:   independent BOOLEAN DEFAULT FALSE
-- grain:    system, segment, unit
-- formula:  sum over the rows of the unit of weight * (placement - AUC) / (weight of the rows of its class);
--           the placement of a row is the share of the other class that it wins against, ties 1/2
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595; clusters: Obuchowski,
--           Biometrics 1997, doi:10.2307/2533958
-- note:     m times the sum of squares / (m - 1), m units, is the variance of the AUC; where the rows are
--           independent, each a unit, the factor at the end makes it the variance after DeLong
WITH counted AS (
    SELECT
        system, segment, unit, score,
        CASE WHEN label > 0 THEN 1 ELSE 0 END AS label,
        CASE WHEN $weighted THEN weight ELSE 1e0 END AS weight
    FROM predictions
    WHERE NOT $weighted OR weight > 0
),
placed AS (
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
        AND thresholds.score = counted.score
),
areas AS (
    SELECT
        system,
        segment,
        sum(CASE WHEN label = 1 THEN share * placement END) AS auc,
        count(*) AS rows_of_segment,
        sum(label) AS rows_of_positives
    FROM placed
    GROUP BY system, segment
)
SELECT
    placed.system,
    placed.segment,
    placed.unit,
    -- Of positives, or negatives, of one unit alone nothing is known of how they differ.
    CASE
        WHEN sum(max(placed.label)) OVER (PARTITION BY placed.system, placed.segment) > 1
            AND sum(1 - min(placed.label)) OVER (PARTITION BY placed.system, placed.segment) > 1
            THEN max(areas.auc)
    END AS total,
    -- DeLong divides by n - 1 within each class, not by the m - 1 of the units.
    sum(placed.share * (placed.placement - areas.auc) * CASE
        WHEN NOT $independent THEN 1e0
        WHEN placed.label = 1 THEN
            sqrt(rows_of_positives / nullif(rows_of_positives - 1, 0) * (rows_of_segment - 1) / rows_of_segment)
        ELSE sqrt(
            (rows_of_segment - rows_of_positives) / nullif(rows_of_segment - rows_of_positives - 1, 0)
            * (rows_of_segment - 1) / rows_of_segment
        )
    END) AS influence
FROM placed
JOIN areas ON areas.system = placed.system AND areas.segment = placed.segment
GROUP BY placed.system, placed.segment, placed.unit;
