-- name:     numbered_sums
-- title:    What the pairs of a positive and a negative are counted from, by the places of numbers
-- inputs:   predictions (system, segment, label, score)
-- grain:    system, segment
-- note:     twice_below is, in a segment, twice the pairs with a lower number of the negative, plus P (P - 1) with the
--           number of positives P; rows with a score in doubt are read again, and compared by their scores
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
    counted.system,
    counted.segment,
    counted.positives,
    counted.twice_below,
    coalesce(again.won, 0) AS won,
    counted.tied + coalesce(again.tied, 0) AS tied
FROM counted
LEFT JOIN again ON again.system = counted.system AND again.segment = counted.segment;
