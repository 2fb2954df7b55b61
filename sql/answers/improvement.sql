-- name:     improvement
-- title:    How much better a value is than that of the baseline, NULL if nothing says which of them is better
-- params:   better VARCHAR, target DOUBLE, value DOUBLE, base DOUBLE, delta DOUBLE, lower DOUBLE, upper DOUBLE,
--           base_lower DOUBLE, base_upper DOUBLE, level DOUBLE, alpha DOUBLE, n_tests INT
-- range:    [-inf, inf]
-- formula:  the difference, its negative if lower is better, or how much nearer the value is to the target
-- source:   the middle of two values is below a target if twice the target is above the sum of their upper ends:
--           intervals that each contain a value, whatever the correlation of the values is
-- oracle:   plain Python
-- example:  improvement('lower', NULL, 0.4, 0.5, -0.1, 0.3, 0.5, 0.4, 0.6, 0.95, 0.05, 1) = 0.1
-- note:     if the middle of two values is below a target, the higher value is nearer to the target; above it, the
--           lower one. So the data must show on which side the middle is, by intervals as wide as alpha and the number
--           of tests ask for; lower and upper, base_lower and base_upper are ends of intervals of the level
SELECT
    CASE
        WHEN $better = 'higher' THEN $delta
        WHEN $better = 'lower' THEN -$delta
        WHEN abs($value + $base - 2e0 * $target)
            > -normal_quantile($alpha / (2e0 * $n_tests)) / normal_quantile((1e0 + $level) / 2e0) * CASE
                WHEN $value + $base > 2e0 * $target THEN abs($value - $lower) + abs($base - $base_lower)
                ELSE abs($value - $upper) + abs($base - $base_upper)
            END
            THEN abs($value - $delta - $target) - abs($value - $target)
    END AS value;
