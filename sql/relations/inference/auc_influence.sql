-- name:     auc_influence
-- title:    Influence of every unit, such as a user, on the AUC of its segment
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- params:   independent BOOLEAN DEFAULT FALSE
-- grain:    system, segment, unit
-- formula:  sum over the rows of the unit of weight * (placement - AUC) / (weight of the rows of its class);
--           the placement of a row is the share of the other class that it wins against, ties 1/2. Clusters: minus
--           (pairs won within the unit - AUC * pairs of the unit) / (all pairs), because these count twice
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595; clusters: Obuchowski,
--           Biometrics 1997, doi:10.2307/2533958; effective number: Kish, Survey Sampling, 1965
-- note:     with m units, the variance of the AUC is m / (m - 1) times the sum of the squared influences. Independent
--           rows: the last factor makes it the variance of DeLong. Clusters: the influence is divided by the shares of
--           both classes that the other units hold; it is then the change of the AUC without the unit, as in a
--           jackknife. This is exact for units with 0.1 % or more of a class; the pairs within smaller units are left
--           out, and their influence is off by less than 0.2 % of their weight. n_effective is the effective number of
--           units that hold positives, or of units that hold negatives, whichever is smaller
WITH areas AS (
    SELECT
        system,
        segment,
        sum(weight_of_positives) AS p,
        sum(weight_of_negatives) AS n,
        sum(won_by_positives) / nullif(sum(weight_of_positives), 0) AS auc,
        -- If all positives (or all negatives) come from one unit, the variance between units is unknown.
        count(*) FILTER (WHERE n_positive > 0) > 1 AND count(*) FILTER (WHERE n > n_positive) > 1 AS varies,
        sum(n) AS rows_of_segment,
        sum(n_positive) AS rows_of_positives,
        least(
            sum(weight_of_positives) * sum(weight_of_positives)
            / nullif(sum(weight_of_positives * weight_of_positives), 0),
            sum(weight_of_negatives) * sum(weight_of_negatives)
            / nullif(sum(weight_of_negatives * weight_of_negatives), 0)
        ) AS n_effective
    FROM unit_placements
    GROUP BY system, segment
),
scaled AS (
    SELECT
        system, segment, p, n, auc, varies, n_effective,
        -- DeLong divides by n - 1 within each class, not by the m - 1 of the units.
        sqrt(
            rows_of_positives / nullif(rows_of_positives - 1, 0) * (rows_of_segment - 1) / rows_of_segment
        ) AS of_positives,
        sqrt(
            (rows_of_segment - rows_of_positives) / nullif(rows_of_segment - rows_of_positives - 1, 0)
            * (rows_of_segment - 1) / rows_of_segment
        ) AS of_negatives
    FROM areas
)
SELECT
    units.system,
    units.segment,
    units.unit,
    CASE WHEN scaled.varies THEN scaled.auc END AS total,
    scaled.n_effective,
    (
        coalesce(CASE WHEN $independent THEN scaled.of_positives ELSE 1e0 END
            * (units.won_by_positives - scaled.auc * units.weight_of_positives) / scaled.p, 0)
        + coalesce(CASE WHEN $independent THEN scaled.of_negatives ELSE 1e0 END
            * (units.won_by_negatives - scaled.auc * units.weight_of_negatives) / scaled.n, 0)
        - coalesce((own_pairs.won - scaled.auc * units.weight_of_positives * units.weight_of_negatives)
            / (scaled.p * scaled.n), 0)
    ) / CASE
        WHEN $independent THEN 1e0
        ELSE nullif((1 - units.weight_of_positives / scaled.p) * (1 - units.weight_of_negatives / scaled.n), 0)
    END AS influence
FROM unit_placements AS units
JOIN scaled ON scaled.system = units.system AND scaled.segment = units.segment
LEFT JOIN own_pairs
    ON own_pairs.system = units.system AND own_pairs.segment = units.segment AND own_pairs.unit = units.unit;
