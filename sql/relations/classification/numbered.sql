-- name:     numbered
-- title:    Rows with a whole number in the order of the scores
-- inputs:   predictions (system, segment, label, score)
-- params:   scale DOUBLE DEFAULT 1e0
-- values:   scale: a power of two; no score times the scale has more than 61 bits
-- portable: no, other engines count pairs from grouped scores
-- grain:    row
-- note:     the number is the score times the scale, with the class as the last bit; a scaled score of more than 52
--           bits is whole, the others are rounded; scores that are too large for the scale have the last number
SELECT
    system,
    segment,
    CASE WHEN label > 0 THEN 1 ELSE 0 END AS label,
    score,
    2 * CAST(least(greatest(score * $scale, -2305843009213693952e0), 2305843009213693952e0) AS BIGINT)
    + CASE WHEN label > 0 THEN 1 ELSE 0 END AS number
FROM predictions;
