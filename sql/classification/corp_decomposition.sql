-- name:     corp_decomposition
-- title:    Miscalibration, discrimination and uncertainty of the Brier score (CORP)
-- meaning:  This table splits the Brier score into three parts without a choice of bins. Miscalibration is what the
--           best recalibration of the scores would save, and discrimination is how much better than the base rate the
--           recalibrated scores are.
-- use:      to find out whether a model with a worse Brier score needs recalibration or other features
-- beware:   recalibration is fitted to the same rows, so chance alone raises miscalibration and discrimination on few
--           rows
-- reading:  miscalibration = 0: no rising change of the probabilities lowers the Brier score
--           discrimination = 0: the recalibrated scores are no better than the base rate
--           uncertainty = 0.25: both classes are equally common, the highest possible value
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- formula:  Brier = miscalibration - discrimination + uncertainty; miscalibration = Brier - Brier of x, discrimination
--           = uncertainty - Brier of x, x = isotonic regression of y on p, uncertainty = mean y (1 - mean y)
-- tex:      \mathrm{BS} = \mathrm{MCB} - \mathrm{DSC} + \mathrm{UNC} \qquad
--           \mathrm{MCB} = \mathrm{BS} - \frac{1}{n} \sum_{i=1}^{n} (x_i - y_i)^2 \qquad
--           \mathrm{UNC} = \bar{y} (1 - \bar{y})
-- symbols:  \mathrm{MCB}: the miscalibration
--           \mathrm{DSC}: the discrimination
--           \mathrm{UNC}: the uncertainty
--           x_i: the recalibrated probability of row i, by isotonic regression
--           y_i: the label of row i, 1 for a positive and 0 for a negative
--           \bar{y}: the share of positives in all rows
--           n: the number of rows
-- source:   Dimitriadis, Gneiting and Jordan, PNAS 2021, doi:10.1073/pnas.2016191118
-- related:  brier, brier_decomposition, corp_curve, calibration_slope
WITH scored AS (
    SELECT
        system, segment,
        sum(positives * (1 - score) * (1 - score) + negatives * score * score)
            / nullif(sum(positives + negatives), 0) AS brier,
        sum(positives) / nullif(sum(positives + negatives), 0) AS base_rate
    FROM score_groups
    GROUP BY system, segment
),
recalibrated AS (
    SELECT
        system, segment,
        sum(positives * (total - positives) / total) / nullif(sum(total), 0) AS brier
    FROM isotonic_blocks
    GROUP BY system, segment
)
SELECT
    scored.system,
    scored.segment,
    scored.brier,
    greatest(scored.brier - recalibrated.brier, 0e0) AS miscalibration,
    greatest(scored.base_rate * (1 - scored.base_rate) - recalibrated.brier, 0e0) AS discrimination,
    scored.base_rate * (1 - scored.base_rate) AS uncertainty
FROM scored
JOIN recalibrated ON recalibrated.system = scored.system AND recalibrated.segment = scored.segment;
