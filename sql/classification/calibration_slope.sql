-- name:     calibration_slope
-- title:    Slope of the calibration line
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps > 0 AND eps < 0.5)
-- grain:    system, segment
-- range:    (-inf, inf), closest to 1 is better
-- undefined: one class, one score, or classes that a score separates
-- formula:  logit P(y = 1) = intercept + slope * logit p, by maximum likelihood
-- source:   Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562
-- oracle:   sklearn LogisticRegression
-- example:  calibration_slope() = 1.434223
-- note:     a recursive query, which not every engine has
SELECT system, segment, slope AS value
FROM calibration_fit;
