-- name:     hosmer_lemeshow
-- title:    Hosmer-Lemeshow statistic of calibration
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
-- source:   Hosmer and Lemeshow, Communications in Statistics 1980, doi:10.1080/03610928008827941
-- oracle:   reference
-- example:  hosmer_lemeshow(bins := 5) = 1.758138
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
