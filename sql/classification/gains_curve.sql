-- name:     gains_curve
-- title:    Cumulative gains: share of the positives among the top rows
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0)
-- values:   bins: the number of points of the curve, at equal shares of the rows
-- grain:    system, segment, share
-- formula:  gain = positives in the top share / P, lift = gain / share; rows at a cut count in proportion
-- source:   Berry and Linoff, Data Mining Techniques, 2004
-- note:     threshold is the score at the cut
WITH placed AS (
    SELECT
        system, segment, score, positives, tp, p, p + n AS total, upto, before,
        CASE WHEN upto >= p + n THEN $bins ELSE floor(upto * $bins / nullif(p + n, 0)) END AS cuts,
        floor(before * $bins / nullif(p + n, 0)) AS cuts_before
    FROM swept
)
SELECT
    placed.system,
    placed.segment,
    slots.cut / CAST($bins AS DOUBLE) AS share,
    placed.score AS threshold,
    (placed.tp - placed.positives + placed.positives * least(
        (slots.cut * placed.total / $bins - placed.before) / nullif(placed.upto - placed.before, 0), 1
    )) / nullif(placed.p, 0) AS gain,
    (placed.tp - placed.positives + placed.positives * least(
        (slots.cut * placed.total / $bins - placed.before) / nullif(placed.upto - placed.before, 0), 1
    )) / nullif(placed.p, 0) * $bins / slots.cut AS lift
FROM placed
JOIN range(1, $bins + 1) AS slots(cut) ON slots.cut > placed.cuts_before AND slots.cut <= placed.cuts
ORDER BY placed.system, placed.segment, share;
