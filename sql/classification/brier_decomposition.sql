-- name:     brier_decomposition
-- title:    Parts of the Brier score
-- meaning:  This table splits the Brier score into parts. The parts show whether errors come from poor calibration,
--           from weak separation of the classes, or from the data itself.
-- use:      to find out why one model has a lower Brier score than another
-- beware:   all parts except uncertainty depend on the bins; if bins hold few rows, chance alone increases
--           reliability and resolution
-- reading:  reliability = 0: in every bin, the mean probability equals the share of positives
--           resolution = 0: all bins have the same share of positives
--           uncertainty = 0.25: both classes are equally common, the highest possible value
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass')),
--           edges DOUBLE[] DEFAULT NULL CHECK (list_extract(edges, 1) = 0 AND list_extract(edges, -1) = 1
--               AND list_sort(list_distinct(edges)) = edges)
-- grain:    system, segment
-- formula:  Brier = reliability - resolution + uncertainty + variance within bins - covariance within bins (doubled)
-- tex:      \mathrm{BS} = \sum_{b=1}^{B} \frac{n_b}{n} \left( ({\bar{p}}_b - {\bar{y}}_b)^2 - ({\bar{y}}_b - \bar{y})^2
--           + V_b - 2 C_b \right) + \bar{y} (1 - \bar{y})
-- symbols:  B: the number of bins that hold a row
--           n_b: the number of rows in bin b
--           n: the number of rows
--           {\bar{p}}_b: the mean predicted probability in bin b
--           {\bar{y}}_b: the share of positives in bin b
--           \bar{y}: the share of positives in all rows
--           V_b: the variance of the probabilities within bin b
--           C_b: the covariance of the probability and the label within bin b
-- source:   Stephenson, Coelho and Jolliffe, Weather and Forecasting 2008, doi:10.1175/2007WAF2006116.1
-- related:  brier, brier_skill, calibration_curve, ece
WITH parts AS (
    SELECT
        system,
        segment,
        sum(total) AS total,
        sum(total * mean_label) / nullif(sum(total), 0) AS base_rate,
        sum(total * (mean_square - 2 * mean_product + mean_label)) AS squared_error,
        sum(total * (mean_score - mean_label) * (mean_score - mean_label)) AS squared_gap,
        sum(total * mean_label * mean_label) AS squared_label,
        sum(total * (mean_square - mean_score * mean_score)) AS variance,
        sum(total * (mean_product - mean_score * mean_label)) AS covariance
    FROM bins
    GROUP BY system, segment
)
SELECT
    system,
    segment,
    squared_error / nullif(total, 0) AS brier,
    squared_gap / nullif(total, 0) AS reliability,
    squared_label / nullif(total, 0) - base_rate * base_rate AS resolution,
    base_rate * (1 - base_rate) AS uncertainty,
    variance / nullif(total, 0) AS within_variance,
    2 * covariance / nullif(total, 0) AS within_covariance
FROM parts;
