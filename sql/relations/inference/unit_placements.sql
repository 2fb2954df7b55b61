-- name:     unit_placements
-- title:    Units, such as users, with the weight of their rows of each class and the sums of their placements
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- grain:    system, segment, unit
-- note:     pairs_won is the number of pairs of a positive of the unit and a negative that are in the right order, ties
--           1/2; won_by_positives and won_by_negatives are NULL without such rows, or without rows of the other class
SELECT
    system,
    segment,
    unit,
    count(*) AS n,
    sum(label) AS n_positive,
    sum(CASE WHEN label = 1 THEN weight ELSE 0e0 END) AS weight_of_positives,
    sum(CASE WHEN label = 1 THEN 0e0 ELSE weight END) AS weight_of_negatives,
    sum(CASE WHEN label = 1 THEN weight * placement END) AS won_by_positives,
    sum(CASE WHEN label = 0 THEN weight * placement END) AS won_by_negatives,
    sum(CASE WHEN label = 1 THEN weight * won ELSE 0e0 END) AS pairs_won
FROM placements
GROUP BY system, segment, unit;
