-- name:     auc_contributions
-- title:    Contribution of every unit, such as a row or a country, to the AUC of its segment
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- grain:    system, segment, unit
-- formula:  half the sum over the rows of the unit of placement * weight / weight of the class of the row
-- note:     the AUC is the mean of the placements of the positives, and also that of the negatives: each pair in the
--           right order adds one half for its positive and one half for its negative
WITH totals AS (
    SELECT system, segment, sum(weight_of_positives) AS p, sum(weight_of_negatives) AS n
    FROM unit_placements
    GROUP BY system, segment
)
SELECT
    unit_placements.system,
    unit_placements.segment,
    unit_placements.unit,
    (
        coalesce(unit_placements.won_by_positives / nullif(totals.p, 0), 0)
        + coalesce(unit_placements.won_by_negatives / nullif(totals.n, 0), 0)
    ) / 2 AS contribution
FROM unit_placements
JOIN totals ON totals.system = unit_placements.system AND totals.segment = unit_placements.segment;
