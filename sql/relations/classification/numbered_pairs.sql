-- name:     numbered_pairs
-- title:    Pairs of a positive and a negative, counted from the places of numbers
-- inputs:   predictions (system, segment, label, score)
-- grain:    system, segment
-- note:     the rows of the relation pairs, without weights and groups; an engine that sorts whole numbers in less time
--           than it needs for ranks reads this; the sums may have a row for each part of the numbers
WITH added AS (
    SELECT
        system,
        segment,
        sum(positives) AS positives,
        sum(twice_below) AS twice_below,
        sum(won) AS won,
        sum(tied) AS tied
    FROM numbered_sums
    GROUP BY system, segment
)
SELECT
    segments.system,
    segments.segment,
    CAST(coalesce(added.positives, 0) AS DOUBLE) AS positives,
    CAST(segments.n - coalesce(added.positives, 0) AS DOUBLE) AS negatives,
    coalesce((added.twice_below - added.positives * (added.positives - 1)) / 2 + added.won, 0) AS won,
    CAST(coalesce(added.tied, 0) AS DOUBLE) AS tied
FROM segments
LEFT JOIN added ON added.system = segments.system AND added.segment = segments.segment;
