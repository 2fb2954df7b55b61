-- name:     log_loss
-- alias:    logloss, cross_entropy
-- title:    Logarithmic loss
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf], lower is better
-- infinite: a wrong probability is 0 or 1, with eps=0
-- formula:  -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
-- source:   Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
-- oracle:   sklearn log_loss
-- example:  log_loss() = 0.459810
-- note:     a note tells how many rows were clipped; eps=0 does not clip, and one wrong certainty makes the
--           loss infinite
SELECT
    system,
    segment,
    -sum(
        weight * CASE
            WHEN label = 1 AND p > 0 THEN ln(p)
            WHEN label = 0 AND p < 1 THEN ln(1 - p) + ((1 - (1 - p)) - p) / (1 - p)  -- the rounding of 1 - p, put right
            ELSE CAST('-Infinity' AS DOUBLE)
        END
    ) / nullif(sum(weight), 0) AS value
FROM clipped
GROUP BY system, segment;
