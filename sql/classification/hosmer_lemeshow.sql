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
--           binning VARCHAR DEFAULT 'mass' CHECK (binning IN ('mass', 'width')),
--           edges DOUBLE[] DEFAULT NULL CHECK (list_extract(edges, 1) = 0 AND list_extract(edges, -1) = 1
--               AND list_sort(list_distinct(edges)) = edges AND length(edges) > 3)
-- switches: weighted BOOLEAN DEFAULT FALSE CHECK (NOT weighted)
-- values:   weighted: cannot be true: the statistic has no weighted form
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- influence: none
-- undefined: the expected number of positives or negatives of a bin is 0
-- formula:  sum over bins of (O - E)^2 / (E (1 - E / n)); if calibrated, chi-square with bins - 2 degrees of freedom
--           for the rows that the model was fitted to, and with bins degrees of freedom for other rows
-- tex:      H = \sum_{b=1}^{B} \frac{(O_b - E_b)^2}{E_b (1 - E_b / n_b)}
-- symbols:  H: the Hosmer-Lemeshow statistic
--           B: the number of bins
--           O_b: the observed number of positives in bin b
--           E_b: the sum of the probabilities in bin b
--           n_b: the number of rows in bin b
-- source:   Hosmer and Lemeshow, Communications in Statistics 1980, doi:10.1080/03610928008827941
-- oracle:   reference
-- example:  hosmer_lemeshow(bins := 5) = 1.758138
-- worked:   (0 - (0.03 + 0.05 + 0.08 + 0.09 + 0.11))^2 / (0.36 * (1 - 0.36/5)) +
--           (1 - (0.12 + 0.15 + 0.18 + 0.18 + 0.22))^2 / (0.85 * (1 - 0.85/5)) +
--           (2 - (0.27 + 0.28 + 0.31 + 0.33 + 0.4 + 0.4))^2 / (1.99 * (1 - 1.99/6)) +
--           (2 - (0.45 + 0.52 + 0.55 + 0.55))^2 / (2.07 * (1 - 2.07/4)) +
--           (4 - (0.61 + 0.72 + 0.77 + 0.9))^2 / (3 * (1 - 3/4)) = 1.7581
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
