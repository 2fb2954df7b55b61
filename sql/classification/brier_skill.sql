-- name:     brier_skill
-- title:    Brier score relative to a prediction of the base rate
-- meaning:  The Brier skill score shows how much lower the squared error is than that of a constant prediction. The
--           constant is the base rate.
-- use:      to compare Brier scores of data with different base rates
-- beware:   if positives are rare, even a useful model can have a value near 0; by default, the base rate comes from
--           the evaluated rows, not from training
-- reading:  1: every positive has probability 1, and every negative has probability 0
--           0: no better than predicting the base rate for every row
--           -1: the squared error is twice that of predicting the base rate
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   base_rate DOUBLE DEFAULT NULL CHECK (base_rate > 0 AND base_rate < 1)
-- values:   base_rate: as in base_entropy
-- idle:     undefined WHEN base_rate IS NOT NULL
-- grain:    system, segment
-- range:    (-inf, 1], higher is better
-- formula:  1 - Brier / mean (c - y)^2, c = base rate
-- tex:      \mathrm{BSS} = 1 - \frac{\sum_{i=1}^{n} (p_i - y_i)^2}{\sum_{i=1}^{n} (c - y_i)^2}
-- symbols:  n: the number of rows
--           p_i: the predicted probability of row i
--           y_i: the label of row i, 1 for a positive and 0 for a negative
--           c: the base rate, by default the share of positives in the rows
-- source:   Murphy, Journal of Applied Meteorology 1973, doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2
-- oracle:   reference
-- example:  brier_skill() = 0.35152
-- worked:   1 - ((1 - 0.72)^2 + 0.15^2 + 0.4^2 + 0.08^2 + (1 - 0.33)^2 + 0.4^2 + 0.05^2 + 0.22^2 + 0.31^2 + 0.12^2 +
--           (1 - 0.55)^2 + (1 - 0.61)^2 + 0.55^2 + (1 - 0.28)^2 + 0.09^2 + (1 - 0.9)^2 + (1 - 0.45)^2 +
--           (1 - 0.77)^2 + 0.18^2 + 0.03^2 + (1 - 0.18)^2 + 0.52^2 + 0.27^2 + 0.11^2) / (9 * (1 - 9/24)^2 +
--           15 * (9/24)^2) = 0.3515
-- related:  brier, base_rate, rig, r2
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
