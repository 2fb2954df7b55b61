-- name:     ecce_curve
-- title:    Cumulative calibration curve: summed differences of label and probability
-- meaning:  The curve adds up label minus probability over the rows, from the lowest probability to the highest. Where
--           it rises, probabilities are too low; where it falls, they are too high; where it is flat, they are right.
-- use:      to see in which range of probabilities a model is wrong, without a choice of bins
-- beware:   read the slope, not the height: the curve can be far from 0 in a range where all probabilities are right
-- reading:  flat: the probabilities are right
--           falls by 0.01 from share 0.5 to 0.7: the probabilities of these 20 % of the rows are 0.05 too high
--           lower <= deviation <= upper at every point: chance alone explains the curve
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   points INTEGER DEFAULT NULL CHECK (points > 0)
-- values:   points: equal shares of the rows, with three points each; by default all
-- chart:    cumulative (points = 50)
-- grain:    system, segment, share
-- formula:  C_0 = 0, C_k = sum of (y - p) over the rows with one of the k lowest distinct p, / n; ECCE = max C - min C
-- tex:      C_k = \frac{1}{n} \sum_{i : p_i \le s_k} (y_i - p_i)
-- symbols:  s_k: the k-th lowest distinct probability; C_0 is 0
--           y_i: the label of row i, 1 for a positive and 0 for a negative
--           p_i: the predicted probability of row i
--           n: the number of rows
-- source:   Arrieta-Ibarra, Gujral, Tannen, Tygert and Xu, JMLR 2022, 23(351)
-- related:  ecce, ecce_z, ecce_p, calibration_curve, corp_curve
-- note:     share is the share of the rows with a probability of at most score; the first point is (0, 0), without a
--           score. The three points of a share are the last, the highest and the lowest. In 95 % of samples, the curve
--           of calibrated probabilities stays in a band of the height from lower to upper, which is 2.4977 standard
--           errors of ecce_z: the curve leaves it if ecce_p is below 0.05
WITH reached AS (
    SELECT
        deviation_steps.system, deviation_steps.segment, deviation_steps.score,
        deviations.total_before + deviation_steps.total AS reached,
        deviations.before + deviation_steps.deviated AS deviated
    FROM deviation_steps
    JOIN deviations
        ON deviations.system = deviation_steps.system
        AND deviations.segment = deviation_steps.segment
        AND deviations.score_range = deviation_steps.score_range
),
whole AS (
    SELECT
        system, segment,
        sum(total) AS total,
        (max(highest) + min(lowest)) / 2 AS middle,
        -- Half of the range that a Brownian motion exceeds with the probability 0.05.
        1.248836080524325e0 * sqrt(greatest(sum(variance), 0e0)) AS half
    FROM deviations
    GROUP BY system, segment
),
started AS (
    SELECT system, segment, CAST(NULL AS DOUBLE) AS score, 0e0 AS reached, 0e0 AS deviated FROM whole
    UNION ALL
    SELECT system, segment, score, reached, deviated FROM reached
),
points AS (
    SELECT
        started.system, started.segment, started.score,
        started.reached / nullif(whole.total, 0) AS share,
        started.deviated / nullif(whole.total, 0) AS deviation,
        -- Sums that are equal but for rounding are at one height.
        floor(started.deviated * 1e12 / nullif(whole.total, 0) + 0.5e0) AS height,
        (whole.middle - whole.half) / nullif(whole.total, 0) AS lower,
        (whole.middle + whole.half) / nullif(whole.total, 0) AS upper,
        -floor(1e-9 - started.reached * $points / nullif(whole.total, 0)) AS part
    FROM started
    JOIN whole ON whole.system = started.system AND whole.segment = started.segment
),
placed AS (
    SELECT
        system, segment, score, share, deviation, lower, upper,
        row_number() OVER (PARTITION BY system, segment, part ORDER BY share DESC) AS from_end,
        row_number() OVER (PARTITION BY system, segment, part ORDER BY height DESC, share) AS from_highest,
        row_number() OVER (PARTITION BY system, segment, part ORDER BY height, share) AS from_lowest
    FROM points
)
SELECT system, segment, share, score, deviation, lower, upper
FROM placed
WHERE $points IS NULL OR share = 0 OR from_end = 1 OR from_highest = 1 OR from_lowest = 1
ORDER BY system, segment, share;
