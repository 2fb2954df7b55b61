-- name:     auc_influence
-- title:    Influence of every unit, such as a user, on the AUC of its segment
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- params:   independent BOOLEAN DEFAULT FALSE
-- grain:    system, segment, unit
-- formula:  sum over the rows of the unit of weight * (placement - AUC) / (weight of the rows of its class);
--           the placement of a row is the share of the other class that it wins against, ties 1/2
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595; clusters: Obuchowski,
--           Biometrics 1997, doi:10.2307/2533958; effective number: Kish, Survey Sampling, 1965
-- note:     with m units, the variance of the AUC is m / (m - 1) times the sum of the squared influences. Independent
--           rows: the last factor makes it the variance of DeLong. Clusters: the influence is divided by the shares
--           of both classes that the other units hold; it is then the change of the AUC without the unit, as in a
--           jackknife. n_effective is the effective number of units that hold positives, or of units that hold
--           negatives, whichever is smaller
WITH areas AS (
    SELECT
        system,
        segment,
        sum(CASE WHEN label = 1 THEN share * placement END) AS auc,
        count(*) AS rows_of_segment,
        sum(label) AS rows_of_positives
    FROM placements
    GROUP BY system, segment
),
by_unit AS (
    SELECT
        placements.system,
        placements.segment,
        placements.unit,
        max(areas.auc) AS auc,
        max(placements.label) AS has_positive,
        1 - min(placements.label) AS has_negative,
        sum(CASE WHEN placements.label = 1 THEN placements.share ELSE 0e0 END) AS share_of_positives,
        sum(CASE WHEN placements.label = 1 THEN 0e0 ELSE placements.share END) AS share_of_negatives,
        -- DeLong divides by n - 1 within each class, not by the m - 1 of the units.
        sum(placements.share * (placements.placement - areas.auc) * CASE
            WHEN NOT $independent THEN 1e0
            WHEN placements.label = 1 THEN
                sqrt(rows_of_positives / nullif(rows_of_positives - 1, 0) * (rows_of_segment - 1) / rows_of_segment)
            ELSE sqrt(
                (rows_of_segment - rows_of_positives) / nullif(rows_of_segment - rows_of_positives - 1, 0)
                * (rows_of_segment - 1) / rows_of_segment
            )
        END) AS influence
    FROM placements
    JOIN areas ON areas.system = placements.system AND areas.segment = placements.segment
    GROUP BY placements.system, placements.segment, placements.unit
),
units AS (
    SELECT
        system,
        segment,
        CASE WHEN sum(has_positive) > 1 AND sum(has_negative) > 1 THEN max(auc) END AS total,
        1e0 / nullif(greatest(
            sum(share_of_positives * share_of_positives), sum(share_of_negatives * share_of_negatives)
        ), 0) AS n_effective
    FROM by_unit
    GROUP BY system, segment
)
SELECT
    by_unit.system,
    by_unit.segment,
    by_unit.unit,
    -- If all positives (or all negatives) come from one unit, the variance between units is unknown.
    units.total,
    units.n_effective,
    by_unit.influence / CASE
        WHEN $independent THEN 1e0
        ELSE nullif((1 - by_unit.share_of_positives) * (1 - by_unit.share_of_negatives), 0)
    END AS influence
FROM by_unit
JOIN units ON units.system = by_unit.system AND units.segment = by_unit.segment;
