-- name:     calibration_fit
-- title:    Logistic regression of the label on the logit of the probability
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps > 0 AND eps < 0.5)
-- values:   eps: as in clipped
-- portable: no, each step of Newton's method aggregates, which recursive queries elsewhere cannot
-- grain:    system, segment
-- note:     Newton's method starts at (0, 0) and ends with a step below 1e-10, or after 25 steps; a segment without a
--           result is left out, because it has one class or one score, or a line separates the classes
WITH RECURSIVE logits AS (
    SELECT
        system, segment, positives, positives + negatives AS n,
        ln(greatest(least(score, 1 - $eps), $eps) / (1 - greatest(least(score, 1 - $eps), $eps))) AS x
    FROM score_groups
),
newton AS (
    SELECT system, segment, 0 AS step, 0e0 AS intercept, 0e0 AS slope, 1e0 AS change
    FROM logits
    GROUP BY system, segment
    HAVING min(x) < max(x) AND sum(positives) > 0 AND sum(positives) < sum(n)
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
            sum((positives - n * p) * x) AS g1,
            sum(n * p * (1 - p)) AS s0,
            sum(n * p * (1 - p) * x) AS s1,
            sum(n * p * (1 - p) * x * x) AS s2
        FROM (
            SELECT
                newton.system, newton.segment, newton.step, newton.intercept, newton.slope,
                logits.positives, logits.n, logits.x,
                1 / (1 + exp(-newton.intercept - newton.slope * logits.x)) AS p
            FROM newton
            JOIN logits ON logits.system = newton.system AND logits.segment = newton.segment
            WHERE newton.step < 25 AND newton.change >= 1e-10
        ) AS fitted
        GROUP BY system, segment, step, intercept, slope
    ) AS moments
    WHERE s0 * s2 - s1 * s1 > 0
)
SELECT system, segment, intercept, slope
FROM newton
WHERE change < 1e-10;
