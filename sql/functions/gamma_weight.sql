-- name:     gamma_weight
-- title:    Weight of the incomplete gamma function
-- params:   a DOUBLE CHECK (a > 0), x DOUBLE CHECK (x > 0)
-- range:    [0, inf]
-- formula:  x^a * exp(-x) / Gamma(a)
-- source:   Loader, Fast and accurate computation of binomial probabilities, 2000
-- oracle:   mpmath
-- example:  gamma_weight(2, 3) = 0.4480836153107755
-- note:     relative error below 1e-12 down to 1e-300
SELECT sqrt($a / (2e0 * pi())) * exp(-deviance($a, $x) - stirling_error($a)) AS value;
