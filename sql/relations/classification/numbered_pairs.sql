-- name:     numbered_pairs
-- title:    Pairs of a positive and a negative, counted from the places of numbers
-- inputs:   predictions (system, segment, label, score)
-- grain:    system, segment
-- note:     the rows of the relation pairs, without weights and groups; an engine that sorts whole numbers in less time
--           than it needs for ranks reads this; rows with a score in doubt are read again, and compared by their scores
WITH counted AS (
    SELECT
        system,
        segment,
        sum(positives) AS positives,
        sum(positives * (2 * (place - 1 - negatives) + positives - 1)) AS twice_below,
        sum(CASE WHEN is_doubtful THEN 0 ELSE positives * negatives END) AS tied
    FROM numbered_scores
    GROUP BY system, segment
),
doubted AS (
    SELECT
        numbered.system,
        numbered.segment,
        numbered_scores.number,
        numbered.score,
        sum(numbered.label) AS positives,
        sum(1 - numbered.label) AS negatives
    FROM numbered
    JOIN numbered_scores
        ON numbered_scores.system = numbered.system
        AND numbered_scores.segment = numbered.segment
        AND numbered_scores.number = numbered.number - numbered.label + 1
    WHERE numbered_scores.is_doubtful
    GROUP BY numbered.system, numbered.segment, numbered_scores.number, numbered.score
),
compared AS (
    SELECT
        system, segment, positives, negatives,
        sum(negatives) OVER (
            PARTITION BY system, segment, number ORDER BY score
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS negatives_upto
    FROM doubted
),
again AS (
    SELECT
        system,
        segment,
        sum(positives * (negatives_upto - negatives)) AS won,
        sum(positives * negatives) AS tied
    FROM compared
    GROUP BY system, segment
)
SELECT
    segments.system,
    segments.segment,
    CAST(coalesce(counted.positives, 0) AS DOUBLE) AS positives,
    CAST(segments.n - coalesce(counted.positives, 0) AS DOUBLE) AS negatives,
    coalesce((counted.twice_below - counted.positives * (counted.positives - 1)) / 2, 0) + coalesce(again.won, 0)
        AS won,
    CAST(coalesce(counted.tied, 0) + coalesce(again.tied, 0) AS DOUBLE) AS tied
FROM segments
LEFT JOIN counted ON counted.system = segments.system AND counted.segment = segments.segment
LEFT JOIN again ON again.system = segments.system AND again.segment = segments.segment;
