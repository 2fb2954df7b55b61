-- name:     log_beta
-- title:    Logarithm of the beta function
-- params:   a DOUBLE CHECK (a BETWEEN 1e-100 AND 1e100), b DOUBLE CHECK (b BETWEEN 1e-100 AND 1e100)
-- range:    [-inf, inf]
-- formula:  ln Gamma(a) + ln Gamma(b) - ln Gamma(a + b)
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   scipy.special.betaln
-- example:  log_beta(2, 3) = -2.4849066497880004
-- note:     error below 1e-14, relative or absolute, whichever is larger
SELECT
    CASE
        WHEN ($a BETWEEN 1e-100 AND 1e100 AND $b BETWEEN 1e-100 AND 1e100) IS NOT TRUE THEN NULL
        -- The large parts of the three logarithms cancel here in the formula; in doubles they would lose digits.
        ELSE 0.5e0 * ln(2e0 * pi() * (1e0 / $a + 1e0 / $b))
            - $a * log1p($b / $a) - $b * log1p($a / $b)
            -- The errors of a and b less that of their sum, as a list, because DuckDB expands a function at every call.
            + list_sum(list_transform([$a, $b, -($a + $b)], lambda x: sign(x) * stirling_error(abs(x))))
    END AS value;
