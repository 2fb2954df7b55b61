-- name:     corp_curve
-- title:    Calibration curve by isotonic regression (CORP)
-- meaning:  The CORP curve is the calibration curve whose bins the data choose: the ranges of scores within which the
--           share of positives does not rise. Nobody has to choose the number of bins.
-- use:      to see where probabilities are too high or too low, without a choice of bins
-- beware:   the first and the last block are often small and extreme, because the data choose the blocks; the shares
--           rise by construction, also where more data would show a fall
-- reading:  gap > 0: probabilities in this block are too high
--           gap = 0: the mean probability equals the share of positives
--           gap < 0: probabilities in this block are too low
-- inputs:   predictions (system, segment, label, score, weight)
-- chart:    isotonic
-- grain:    system, segment, block
-- formula:  the blocks of the weighted least-squares fit of y that does not fall with p; per block: mean p, mean y, and
--           the gap between the two
-- source:   Dimitriadis, Gneiting and Jordan, PNAS 2021, doi:10.1073/pnas.2016191118
-- related:  corp_decomposition, calibration_curve, ecce
-- note:     mean_label is the recalibrated probability of all rows with a score from lo to hi. Confidence intervals for
--           given bins do not hold for bins that the data choose, so there are none
SELECT
    system,
    segment,
    row_number() OVER (PARTITION BY system, segment ORDER BY lo) - 1 AS block,
    lo,
    hi,
    CAST(floor(size) AS BIGINT) AS n,
    predicted / total AS mean_score,
    positives / total AS mean_label,
    predicted / total - positives / total AS gap
FROM isotonic_blocks
ORDER BY system, segment, block;
