-- name:     delong
-- title:    AUC with its interval and its difference from a baseline, by DeLong's method
-- meaning:  DeLong's method shows how precise an AUC is. It also shows whether the AUC of a model differs from a
--           baseline's on the same rows by more than chance explains.
-- use:      to compare the AUC of two models on the same rows
-- beware:   with few rows of one class the interval is unreliable, and its bounds can be outside of [0, 1]; AUC does
--           not measure calibration
-- reading:  p < 0.05: the AUC differs from the baseline's by more than chance explains
--           lower > 0.5: the model ranks better than random
-- inputs:   scores (system, row_id, label, score)
-- params:   baseline VARCHAR DEFAULT NULL, level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   baseline: the system that others are compared with; by default there is none
--           level: as in mean_interval
-- grain:    one row per system: system, n_positive, n_negative, auc, se, lower, upper, delta, delta_se, delta_lower,
--           delta_upper, statistic, p
-- range:    (-inf, inf), auc and p in [0, 1]
-- formula:  the placement of a positive is the share of negatives below it, and the placement of a negative is the
--           share of positives above it, ties 1/2; auc is the mean placement, se^2 = var(placements of positives) /
--           n_positive + var(placements of negatives) / n_negative; delta_se^2 is the same sum for the differences of
--           placements
-- tex:      \mathrm{AUC} \mp z \cdot \mathrm{se} \qquad
--           \mathrm{se}^2 = \frac{s_+^2}{n_+} + \frac{s_-^2}{n_-}
-- symbols:  n_+: the number of positives
--           n_-: the number of negatives
--           s_+^2: the variance of the share of negatives that score below a positive, over the positives
--           s_-^2: the variance of the share of positives that score above a negative, over the negatives
--           z: the two-sided critical value of the normal distribution, 1.96 for level = 0.95
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595; Sun and Xu, IEEE Signal
--           Processing Letters 2014, doi:10.1109/LSP.2014.2337313
-- oracle:   the pairs of rows, one by one, in numpy
-- example:  delong(VALUES ('A', 1, 0, 1), ('A', 2, 1, 2), ('A', 3, 0, 3), ('A', 4, 1, 4)) = 'A', 2, 2, 0.75,
--           0.3535533905932738, 0.05704808782516102, 1.442951912174839, NULL, NULL, NULL, NULL, NULL, NULL
-- related:  auc, gauc, group_auc, mann_whitney
-- note:     a label above 0 is a positive; a row without a label or score is left out. Rows are paired by row_id and
--           class; if two systems have different rows, only the common rows add to their covariance. se is NULL if a
--           class has fewer than 2 rows or all placements are equal. Rows must be independent; rows of the same user
--           are not
WITH errors AS (
    SELECT
        one.system, one.n_positive, one.n_negative, one.auc,
        sum(one.influence * one.influence) AS square,
        count(base.row_id) AS shared,
        sum(power(one.influence - coalesce(base.influence, 0), 2e0)) AS square_of_own,
        coalesce(sum(base.influence * base.influence), 0) AS square_of_shared
    FROM auc_row_influence AS one
    LEFT JOIN auc_row_influence AS base
        ON base.system = $baseline AND base.row_id = one.row_id AND base.positive = one.positive
    GROUP BY one.system, one.n_positive, one.n_negative, one.auc
),
compared AS (
    SELECT
        one.system, one.n_positive, one.n_negative, one.auc,
        normal_quantile(0.5e0 + 0.5e0 * $level) AS z,
        nullif(sqrt(one.square), 0) AS se,
        one.auc - base.auc AS delta,
        -- Rows that only the baseline has add their own variance.
        CASE WHEN base.square IS NOT NULL THEN nullif(sqrt(one.square_of_own + CASE
            WHEN one.shared < base.n_positive + base.n_negative
                THEN greatest(base.square - one.square_of_shared, 0) ELSE 0 END), 0)
        END AS delta_se
    FROM errors AS one
    LEFT JOIN errors AS base ON base.system = $baseline AND base.system <> one.system
)
SELECT
    system,
    n_positive,
    n_negative,
    auc,
    se,
    auc - z * se AS lower,
    auc + z * se AS upper,
    delta,
    delta_se,
    delta - z * delta_se AS delta_lower,
    delta + z * delta_se AS delta_upper,
    delta / nullif(delta_se, 0) AS statistic,
    normal_p(delta / nullif(delta_se, 0)) AS p
FROM compared
ORDER BY system;
