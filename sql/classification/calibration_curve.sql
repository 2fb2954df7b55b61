-- name:     calibration_curve
-- title:    Calibration curve: predicted and observed share per bin
-- meaning:  The calibration curve compares the mean probability with the observed share of positives in every bin. If
--           a model is calibrated, the two differ only by chance.
-- use:      to see where probabilities are too high or too low
-- beware:   in a bin with few rows, a large gap can be chance; check whether the mean probability lies in the
--           interval
-- reading:  gap > 0: probabilities in this bin are too high
--           gap = 0: the mean probability equals the share of positives
--           gap < 0: probabilities in this bin are too low
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass')),
--           edges DOUBLE[] DEFAULT NULL CHECK (list_extract(edges, 1) = 0 AND list_extract(edges, -1) = 1
--               AND list_sort(list_distinct(edges)) = edges)
-- chart:    calibration (binning = mass)
-- grain:    system, segment, bin
-- formula:  per bin: mean p, mean y with its 95 % Wilson interval, and the gap between the two
-- source:   Wilson, JASA 1927, doi:10.1080/01621459.1927.10502953
-- related:  ece, mce, brier_decomposition, calibration_slope, hosmer_lemeshow
-- note:     empty bins have n = 0; the interval counts a weight of 3 as three rows. With a
--           cluster, it is that of the number of independent rows with the same variance of the share
WITH slots AS (
    SELECT segments.system, segments.segment, slots.bin
    FROM segments
    CROSS JOIN range(CASE WHEN $edges IS NULL THEN $bins ELSE length($edges) - 1 END) AS slots(bin)
),
intervals AS (
    SELECT
        system,
        segment,
        bin,
        n,
        mean_score,
        mean_label,
        lowest,
        highest,
        (mean_label + 3.8414588206941227e0 / (2 * worth)) / (1 + 3.8414588206941227e0 / worth) AS center,
        1.9599639845400541e0 * sqrt(
            mean_label * (1 - mean_label) / worth + 3.8414588206941227e0 / (4 * worth * worth)
        ) / (1 + 3.8414588206941227e0 / worth) AS half
    FROM sized_bins
)
SELECT
    slots.system,
    slots.segment,
    slots.bin,
    CASE
        WHEN $edges IS NOT NULL THEN list_extract($edges, slots.bin + 1)
        WHEN $binning = 'width' THEN slots.bin / CAST($bins AS DOUBLE)
        ELSE intervals.lowest
    END AS lo,
    CASE
        WHEN $edges IS NOT NULL THEN list_extract($edges, slots.bin + 2)
        WHEN $binning = 'width' THEN (slots.bin + 1) / CAST($bins AS DOUBLE)
        ELSE intervals.highest
    END AS hi,
    coalesce(intervals.n, 0) AS n,
    intervals.mean_score,
    intervals.mean_label,
    CASE WHEN intervals.n > 0 THEN greatest(intervals.center - intervals.half, 0e0) END AS lower,
    CASE WHEN intervals.n > 0 THEN least(intervals.center + intervals.half, 1e0) END AS upper,
    intervals.mean_score - intervals.mean_label AS gap
FROM slots
LEFT JOIN intervals
    ON intervals.system = slots.system AND intervals.segment = slots.segment
    AND intervals.bin = CAST(slots.bin AS DOUBLE)
ORDER BY slots.system, slots.segment, slots.bin;
