-- name:     auc_contributions
-- title:    Contribution of every unit, such as a row or a country, to the AUC of its segment
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- grain:    system, segment, unit
-- formula:  half the sum over the rows of the unit of share * placement
-- note:     the AUC is the mean of the placements of the positives, and also that of the negatives: each pair in the
--           right order adds one half for its positive and one half for its negative
SELECT system, segment, unit, sum(share * placement) / 2 AS contribution
FROM placements
GROUP BY system, segment, unit;
