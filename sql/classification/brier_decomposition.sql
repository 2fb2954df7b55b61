-- name:     brier_decomposition
-- title:    Brier score taken apart
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass'))
-- grain:    system, segment
-- formula:  Brier = reliability - resolution + uncertainty + variance within bins - covariance within bins (doubled)
-- source:   Stephenson, Coelho and Jolliffe, Weather and Forecasting 2008, doi:10.1175/2007WAF2006116.1
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
