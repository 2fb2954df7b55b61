-- name:     brier_skill
-- title:    Brier score relative to that of predicting the base rate
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   base_rate DOUBLE DEFAULT NULL CHECK (base_rate > 0 AND base_rate < 1)
-- values:   base_rate: as in base_entropy
-- idle:     undefined WHEN base_rate IS NOT NULL
-- grain:    system, segment
-- range:    (-inf, 1], higher is better
-- formula:  1 - Brier / mean (c - y)^2, c = base rate
-- source:   Murphy, Journal of Applied Meteorology 1973, doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2
-- oracle:   reference
-- example:  brier_skill() = 0.35152
SELECT
    system,
    segment,
    1 - brier.value / nullif(
        base_rate.value * (1 - base_rate.value)
        + (coalesce($base_rate, base_rate.value) - base_rate.value)
        * (coalesce($base_rate, base_rate.value) - base_rate.value), 0
    ) AS value
FROM brier
LEFT JOIN base_rate USING (system, segment);
