-- name:     gains_curve
-- title:    Cumulative gains: share of the positives among the top rows
-- meaning:  The gains curve shows which share of all positives is among the rows with the highest scores.
-- use:      to choose how many rows to act on, such as customers to contact
-- beware:   lift cannot exceed 1 / base rate; do not compare the lift of data sets with different base rates
-- reading:  gain = share: no better than a random choice of rows
--           gain = 1: all positives are among the top rows
--           lift = 2: the top rows hold twice as many positives as a random choice
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           points INTEGER DEFAULT NULL CHECK (points > 1)
-- values:   bins: the number of points after the first, at equal shares of the rows
--           points: the most further points, at equal lengths of the curve; by default none
-- chart:    gains (points = 80)
-- grain:    system, segment, share
-- formula:  gain = positives in the top share / P, lift = gain / share; rows at a cut count in proportion
-- tex:      \mathrm{gain}(s) = \frac{\mathrm{TP}_s}{P} \qquad \mathrm{lift}(s) = \frac{\mathrm{gain}(s)}{s}
-- symbols:  s: the share of the rows, from the highest score
--           \mathrm{TP}_s: the number of positives among these rows; tied rows at the cut count in proportion
--           P: the number of positives
-- source:   Berry and Linoff, Data Mining Techniques, 2004
-- related:  lift, ks, roc_curve, threshold_table
-- note:     threshold is the score at the cut; the first point is (0, 0), with an infinite threshold and no lift
WITH placed AS (
    SELECT
        system, segment, score, positives, tp, p, p + n AS total, upto, before, place, places,
        CASE WHEN upto >= p + n THEN CAST($bins AS DOUBLE) ELSE upto * $bins / nullif(p + n, 0) END AS cut,
        floor(before * $bins / nullif(p + n, 0)) AS cuts_before
    FROM swept
),
reached AS (
    SELECT
        system, segment, 0e0 AS share, CAST('Infinity' AS DOUBLE) AS threshold, 0e0 / nullif(p, 0) AS gain
    FROM placed
    WHERE place = 1
    UNION ALL
    SELECT
        placed.system,
        placed.segment,
        slots.cut / CAST($bins AS DOUBLE) AS share,
        placed.score AS threshold,
        (placed.tp - placed.positives + placed.positives * least(
            (slots.cut * placed.total / $bins - placed.before) / nullif(placed.upto - placed.before, 0), 1
        )) / nullif(placed.p, 0) AS gain
    FROM placed
    JOIN range(1, $bins + 1) AS slots(cut) ON slots.cut > placed.cuts_before AND slots.cut <= placed.cut
    UNION ALL
    SELECT system, segment, upto / total AS share, score AS threshold, tp / nullif(p, 0) AS gain
    FROM placed
    WHERE $points IS NOT NULL AND cut <> floor(cut)
        AND (
            places <= $points
            OR floor((upto / total + coalesce(tp / nullif(p, 0), upto / total)) * $points / 2 + 1e-9) > floor(
                (before / total + coalesce((tp - positives) / nullif(p, 0), before / total)) * $points / 2 + 1e-9
            )
        )
)
SELECT
    system,
    segment,
    share,
    threshold,
    gain,
    gain / nullif(share, 0) AS lift
FROM reached
ORDER BY system, segment, share;
