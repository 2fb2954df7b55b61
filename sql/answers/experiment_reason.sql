-- name:     experiment_reason
-- title:    Why a metric of an A/B test has no p-value, or no verdict
-- params:   p DOUBLE, withheld VARCHAR, control VARCHAR, variant VARCHAR, n_control INT, n INT, denominator VARCHAR,
--           q DOUBLE, delta_lower DOUBLE, delta_upper DOUBLE
-- formula:  the first of the reasons, NULL if there is nothing to say
-- oracle:   plain Python
-- example:  experiment_reason(NULL, NULL, 'A', 'B', 9, 1, NULL, NULL, NULL, NULL) = 'only one unit of B has a value'
-- note:     withheld: why there is no verdict in spite of p. n_control and n: the units of the control and the variant
--           that have a value. q: of a quantile, the share of the values below it
SELECT
    CASE
        WHEN $p IS NOT NULL THEN $withheld
        WHEN $n_control = 0 THEN 'no unit of ' || $control || ' has a value'
        WHEN $n = 0 THEN 'no unit of ' || $variant || ' has a value'
        WHEN $n_control = 1 THEN 'only one unit of ' || $control || ' has a value'
        WHEN $n = 1 THEN 'only one unit of ' || $variant || ' has a value'
        WHEN $denominator IS NOT NULL THEN 'the sum of ' || $denominator || ' is 0, or one unit has all of it'
        WHEN $q IS NOT NULL AND ($delta_lower IS NULL OR $delta_upper IS NULL)
            THEN 'too few units for this quantile: a bound is beyond the values'
        WHEN $q IS NOT NULL THEN 'the values near the quantile are all equal; compare a mean or a share'
        ELSE 'the values do not vary within the variants'
    END AS value;
