-- name:     log_loss
-- title:    Logarithmic loss, as an aggregate
-- inputs:   predictions (label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5)
-- formula:  -mean(ln |1 - y - p|), p clipped to [eps, 1 - eps]
-- note:     |1 - y - p| is p for a positive and 1 - p for a negative; its rounding is corrected. There is no CASE on
--           p, because DuckDB computes an expression in a CASE as often as it is written
SELECT
    -sum(
        weight * coalesce(
            ln(nullif(abs(1 - label - p), 0)) + (1 - label - (1 - label - p) - p) / nullif(1 - label - p, 0),
            CAST('-Infinity' AS DOUBLE)
        )
    ) / nullif(sum(weight), 0) AS value
FROM clipped;
