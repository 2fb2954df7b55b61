-- name:     clustered_bins
-- title:    Bins of the probability, with the number of independent rows that the rows of its units are worth
-- inputs:   predictions (system, segment, label, score, weight, unit)
-- grain:    system, segment, bin
-- formula:  y (1 - y) / V, with the share of positives y and its variance V between the units; at most the rows
-- note:     the rows of sized_bins, if rows of one unit, such as a user, are correlated; where all labels of a bin are
--           equal, it is worth the number of its units
WITH residuals AS (
    SELECT
        bins.system, bins.segment, bins.bin, predictions.unit,
        sum(
            CASE WHEN $weighted THEN predictions.weight ELSE 1e0 END
            * (CASE WHEN predictions.label > 0 THEN 1e0 ELSE 0e0 END - bins.mean_label)
        ) AS residual
    FROM predictions
    JOIN bins
        ON bins.system = predictions.system AND bins.segment = predictions.segment
        AND predictions.score BETWEEN bins.lowest AND bins.highest
    WHERE NOT $weighted OR predictions.weight > 0
    GROUP BY bins.system, bins.segment, bins.bin, predictions.unit
),
varied AS (
    SELECT
        system, segment, bin,
        CAST(count(*) AS DOUBLE) AS units,
        sum(residual * residual) * count(*) / nullif(count(*) - 1, 0) AS variance
    FROM residuals
    GROUP BY system, segment, bin
)
SELECT
    bins.system, bins.segment, bins.bin, bins.n,
    CASE
        WHEN bins.mean_label * (1 - bins.mean_label) > 0 AND varied.units > 1 THEN least(
            bins.total,
            coalesce(
                bins.mean_label * (1 - bins.mean_label) * bins.total * bins.total / nullif(varied.variance, 0),
                bins.total
            )
        )
        ELSE least(bins.total, varied.units)
    END AS worth,
    bins.mean_score, bins.mean_label, bins.lowest, bins.highest
FROM bins
JOIN varied ON varied.system = bins.system AND varied.segment = bins.segment AND varied.bin = bins.bin;
