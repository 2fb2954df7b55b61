-- name:     hosmer_lemeshow
-- title:    Hosmer-Lemeshow statistic of calibration
-- meaning:  This statistic compares the observed and the expected number of positives in bins of similar probability.
--           A large value is evidence that the probabilities are not calibrated.
-- use:      to test whether the gaps of a calibration curve are larger than chance explains
-- beware:   with many rows, even tiny errors give a large value; for rows that the model was not fitted to, use bins
--           degrees of freedom
-- reading:  0: in every bin, the expected number of positives equals the observed number
--           15.51: p = 0.05 with 8 degrees of freedom; larger values are evidence against calibration
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 2),
--           binning VARCHAR DEFAULT 'mass' CHECK (binning IN ('mass'))
-- switches: weighted BOOLEAN DEFAULT FALSE CHECK (NOT weighted)
-- values:   weighted: cannot be true: the statistic has no weighted form
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- influence: none
-- undefined: a bin expects no positive, or no negative
-- formula:  sum over bins of (O - E)^2 / (E (1 - E / n)), chi-square with bins - 2 degrees of freedom if calibrated
-- tex:      H = \sum_{b=1}^{B} \frac{(O_b - E_b)^2}{E_b (1 - E_b / n_b)}
-- symbols:  H: Hosmer-Lemeshow statistic
--           B: number of bins
--           O_b: observed number of positives in bin b
--           E_b: sum of the probabilities in bin b
--           n_b: number of rows in bin b
-- source:   Hosmer and Lemeshow, Communications in Statistics 1980, doi:10.1080/03610928008827941
-- oracle:   reference
-- example:  hosmer_lemeshow(bins := 5) = 1.758138
-- worked:   0.36^2 / 0.33408 + 0.15^2 / 0.7055 + 0.01^2 / 1.32998 + 0.07^2 / 0.998775 + 1^2 / 0.75 = 1.7581
-- related:  spiegelhalter_z, calibration_curve, calibration_slope, ece, chi_square
SELECT
    system,
    segment,
    CASE
        WHEN min(mean_score * (1 - mean_score)) > 0 THEN sum(
            total * (mean_label - mean_score) * (mean_label - mean_score)
            / nullif(mean_score * (1 - mean_score), 0)
        )
    END AS value
FROM bins
GROUP BY system, segment;
