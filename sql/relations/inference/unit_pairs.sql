-- name:     unit_pairs
-- title:    The pairs of each segment, added up from its units
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- grain:    system, segment
-- note:     the rows of the relation pairs, without weights and groups: the numbers are whole, or whole and a half, so
--           their sums are exact in any order
SELECT
    system,
    segment,
    sum(n_positive) AS positives,
    sum(n - n_positive) AS negatives,
    sum(pairs_won) AS won,
    0e0 AS tied
FROM unit_placements
GROUP BY system, segment;
