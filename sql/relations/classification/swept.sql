-- name:     swept
-- title:    Thresholds from the highest to the lowest, with the areas up to them
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   ranges INTEGER DEFAULT 1 CHECK (ranges > 0)
-- grain:    system, segment, score
-- note:     won counts the pairs in the right order, ties 1/2; stepped sums the precision over the positives; upto is
--           the weight at or above the threshold, and before is the weight above it; ranges > 1: as in thresholds
SELECT
    system, segment, score, positives, tp, fp, p, n, upto, coalesce(before, 0) AS before, won, stepped, place, places
FROM ranged_areas
WHERE $ranges = 1
UNION ALL
SELECT
    ranged_areas.system, ranged_areas.segment, ranged_areas.score, ranged_areas.positives,
    ranged_areas.tp, ranged_areas.fp, ranged_areas.p, ranged_areas.n, ranged_areas.upto,
    coalesce(ranged_areas.before, area_ranges.upto_above) AS before,
    area_ranges.won_above + ranged_areas.won AS won,
    area_ranges.stepped_above + ranged_areas.stepped AS stepped,
    area_ranges.places_above + ranged_areas.place AS place,
    area_ranges.places
FROM ranged_areas
JOIN area_ranges
    ON area_ranges.system = ranged_areas.system
    AND area_ranges.segment = ranged_areas.segment
    AND area_ranges.score_range = ranged_areas.score_range
WHERE $ranges > 1;
