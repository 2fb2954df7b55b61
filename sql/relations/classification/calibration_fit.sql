-- name:     calibration_fit
-- title:    Logistic regression of the label on the logit of the probability
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps > 0 AND eps < 0.5)
-- values:   eps: as in clipped
-- portable: no, each step of Newton's method aggregates, which recursive queries elsewhere cannot
-- grain:    system, segment
-- note:     Newton's method starts at (0, 0) and ends with a step below 1e-10, or after 25 steps; a segment without a
--           result is left out, because it has one class or one score, or a line separates the classes. Logits that
--           differ by less than 1e-12 of their size are one score. z is the logit between the smallest one, -1, and
--           the largest one, 1, so that sums in another order give the same line
WITH RECURSIVE logits AS (
    SELECT
        system, segment, positives, positives + negatives AS n,
        ln(greatest(least(score, 1 - $eps), $eps) / (1 - greatest(least(score, 1 - $eps), $eps))) AS x
    FROM score_groups
),
extents AS (
    SELECT system, segment, min(x) / 2 + max(x) / 2 AS middle, max(x) / 2 - min(x) / 2 AS half
    FROM logits
    GROUP BY system, segment
    HAVING max(x) - min(x) > 1e-12 * greatest(1e0, max(x), -min(x)) AND sum(positives) > 0 AND sum(positives) < sum(n)
),
placed AS (
    SELECT
        logits.system, logits.segment, logits.positives, logits.n,
        (logits.x - extents.middle) / extents.half AS z
    FROM logits
    JOIN extents ON extents.system = logits.system AND extents.segment = logits.segment
),
newton AS (
    SELECT system, segment, 0 AS step, 0e0 AS intercept, 0e0 AS slope, 1e0 AS change
    FROM extents
    UNION ALL
    SELECT
        system,
        segment,
        step + 1 AS step,
        intercept + (s2 * g0 - s1 * g1) / (s0 * s2 - s1 * s1) AS intercept,
        slope + (s0 * g1 - s1 * g0) / (s0 * s2 - s1 * s1) AS slope,
        greatest(abs(s2 * g0 - s1 * g1), abs(s0 * g1 - s1 * g0)) / (s0 * s2 - s1 * s1) AS change
    FROM (
        SELECT
            system, segment, step, intercept, slope,
            sum(positives - n * p) AS g0,
            sum((positives - n * p) * z) AS g1,
            sum(n * p * (1 - p)) AS s0,
            sum(n * p * (1 - p) * z) AS s1,
            sum(n * p * (1 - p) * z * z) AS s2
        FROM (
            SELECT
                newton.system, newton.segment, newton.step, newton.intercept, newton.slope,
                placed.positives, placed.n, placed.z,
                1 / (1 + exp(-newton.intercept - newton.slope * placed.z)) AS p
            FROM newton
            JOIN placed ON placed.system = newton.system AND placed.segment = newton.segment
            WHERE newton.step < 25 AND newton.change >= 1e-10
        ) AS fitted
        GROUP BY system, segment, step, intercept, slope
    ) AS moments
    WHERE s0 * s2 - s1 * s1 > 0
)
SELECT
    newton.system,
    newton.segment,
    newton.intercept - newton.slope * extents.middle / extents.half AS intercept,
    newton.slope / extents.half AS slope
FROM newton
JOIN extents ON extents.system = newton.system AND extents.segment = newton.segment
WHERE newton.change < 1e-10;
