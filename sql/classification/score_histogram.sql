-- name:     score_histogram
-- title:    Histogram of the scores of each class
-- meaning:  The histogram counts the positives and the negatives in bins of the score. The less the two classes
--           overlap, the better the model separates them.
-- use:      to see how a model separates the classes, where its scores pile up, and where a threshold can lie
-- beware:   bins depend on the lowest and the highest score, so a single extreme score makes all bins wide; compare
--           the scores of two models only if both are probabilities
-- reading:  positive_share = negative_share in all bins: no better than random
--           no bin with both classes: one threshold separates them completely
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 40 CHECK (bins > 0)
-- values:   bins: the number of bins of equal width, between the extreme finite scores
-- chart:    histogram (bins = 40)
-- grain:    system, segment, bin
-- formula:  bin = min(bins - 1, floor((score - low) / (high - low) * bins)); share = weight of the class in the bin /
--           weight of the class
-- source:   Murphy and Winkler, Monthly Weather Review 1987, doi:10.1175/1520-0493(1987)115<1330:AGFFFV>2.0.CO;2
-- related:  ks, roc_curve, calibration_curve, auc
-- note:     empty bins have n = 0; infinite scores are in the first and the last bin; if all finite scores are equal,
--           they are in the first bin; halves keep the differences of huge scores finite
WITH extent AS (
    SELECT
        system,
        segment,
        coalesce(min(score) FILTER (WHERE isfinite(score)), 0) AS low,
        coalesce(max(score) FILTER (WHERE isfinite(score)), 0) AS high
    FROM score_groups
    GROUP BY system, segment
),
placed AS (
    SELECT
        score_groups.system, score_groups.segment, score_groups.positives, score_groups.negatives, score_groups.size,
        CASE
            WHEN score_groups.score < extent.low THEN 0
            WHEN score_groups.score > extent.high THEN $bins - 1
            WHEN extent.low = extent.high THEN 0
            ELSE least(
                floor((score_groups.score / 2 - extent.low / 2) / (extent.high / 2 - extent.low / 2) * $bins),
                $bins - 1
            )
        END AS bin
    FROM score_groups
    JOIN extent ON extent.system = score_groups.system AND extent.segment = score_groups.segment
),
counted AS (
    SELECT
        system, segment, CAST(bin AS DOUBLE) AS bin, sum(size) AS n, sum(positives) AS positives,
        sum(negatives) AS negatives
    FROM placed
    GROUP BY system, segment, bin
),
slots AS (
    SELECT
        totals.system, totals.segment, totals.p, totals.n, slots.bin,
        extent.low * (1 - slots.bin / CAST($bins AS DOUBLE)) + extent.high * (slots.bin / CAST($bins AS DOUBLE)) AS lo,
        extent.low * (1 - (slots.bin + 1) / CAST($bins AS DOUBLE))
            + extent.high * ((slots.bin + 1) / CAST($bins AS DOUBLE)) AS hi
    FROM (
        SELECT system, segment, sum(positives) AS p, sum(negatives) AS n FROM counted GROUP BY system, segment
    ) AS totals
    JOIN extent ON extent.system = totals.system AND extent.segment = totals.segment
    CROSS JOIN range($bins) AS slots(bin)
)
SELECT
    slots.system,
    slots.segment,
    slots.bin,
    slots.lo,
    slots.hi,
    CAST(floor(coalesce(counted.n, 0)) AS BIGINT) AS n,
    coalesce(counted.positives, 0) AS positives,
    coalesce(counted.negatives, 0) AS negatives,
    coalesce(counted.positives, 0) / nullif(slots.p, 0) AS positive_share,
    coalesce(counted.negatives, 0) / nullif(slots.n, 0) AS negative_share
FROM slots
LEFT JOIN counted
    ON counted.system = slots.system AND counted.segment = slots.segment
    AND counted.bin = CAST(slots.bin AS DOUBLE)
ORDER BY slots.system, slots.segment, slots.bin;
