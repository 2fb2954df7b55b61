-- name:     always_valid_p
-- title:    Always-valid p-value of a t statistic
-- params:   t DOUBLE CHECK (abs(t) <= 1e150), df DOUBLE CHECK (df BETWEEN 0.001 AND 1e15),
--           n DOUBLE CHECK (n BETWEEN 1 AND 1e15), planned DOUBLE CHECK (planned BETWEEN 1 AND 1e15)
-- range:    [0, 1]
-- formula:  min(1, 1 / L), L = ((1 + t^2 / df) / (1 + t^2 / (c * df)))^((df + 1) / 2) / sqrt(c), c = 1 + n /
--           prior_units(planned); for large df, L is exp(t^2 * (1 - 1 / c) / 2) / sqrt(c)
-- source:   Lindon, Ham, Tingley and Bojinov, 2022, arXiv:2210.08589; for large df: Johari, Koomen, Pekelis and
--           Walsh, Operations Research 2022, doi:10.1287/opre.2021.2135
-- oracle:   the ratio of the likelihoods, integrated numerically
-- example:  always_valid_p(4, 99, 100, 1000) = 0.05287978490062665
-- note:     relative error below 1e-12; L divides the likelihood of t under normal effects by that without an effect.
--           The effects, in standard deviations of a unit, have the mean 0 and the variance 1 / prior_units(planned)
SELECT
    CASE
        WHEN (abs($t) <= 1e150 AND $df BETWEEN 1e-3 AND 1e15 AND $n BETWEEN 1e0 AND 1e15
            AND $planned BETWEEN 1e0 AND 1e15) IS NOT TRUE THEN NULL
        -- With x = c - 1 and a = t^2 / df, the base of L is 1 + x a / (a + c), which loses no digits.
        ELSE least(1e0, exp(
            0.5e0 * log1p($n / prior_units($planned))
            - (0.5e0 * $df + 0.5e0) * log1p($n / prior_units($planned) * ($t * $t / $df)
                / ($t * $t / $df + 1e0 + $n / prior_units($planned)))))
    END AS value;
