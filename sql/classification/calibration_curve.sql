-- name:     calibration_curve
-- title:    Calibration curve: predicted and observed share of positives, bin by bin
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass'))
-- grain:    system, segment, bin
-- formula:  per bin: mean p, mean y with its 95 % Wilson interval, and the gap between the two
-- source:   Wilson, JASA 1927, doi:10.1080/01621459.1927.10502953
-- note:     bins without a row are there, with n = 0; with weights, a weight counts as so many rows
WITH slots AS (
    SELECT segments.system, segments.segment, slots.bin
    FROM segments
    CROSS JOIN range($bins) AS slots(bin)
)
SELECT
    slots.system,
    slots.segment,
    slots.bin,
    CASE $binning WHEN 'width' THEN slots.bin / CAST($bins AS DOUBLE) ELSE bins.lowest END AS lo,
    CASE $binning WHEN 'width' THEN (slots.bin + 1) / CAST($bins AS DOUBLE) ELSE bins.highest END AS hi,
    coalesce(bins.n, 0) AS n,
    bins.mean_score,
    bins.mean_label,
    (bins.mean_label + 3.8414588206941227e0 / (2 * bins.total) - 1.9599639845400541e0 * sqrt(
        bins.mean_label * (1 - bins.mean_label) / bins.total + 3.8414588206941227e0 / (4 * bins.total * bins.total)
    )) / (1 + 3.8414588206941227e0 / bins.total) AS lower,
    (bins.mean_label + 3.8414588206941227e0 / (2 * bins.total) + 1.9599639845400541e0 * sqrt(
        bins.mean_label * (1 - bins.mean_label) / bins.total + 3.8414588206941227e0 / (4 * bins.total * bins.total)
    )) / (1 + 3.8414588206941227e0 / bins.total) AS upper,
    bins.mean_score - bins.mean_label AS gap
FROM slots
LEFT JOIN bins ON bins.system = slots.system AND bins.segment = slots.segment AND bins.bin = slots.bin
ORDER BY slots.system, slots.segment, slots.bin;
