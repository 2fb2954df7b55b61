-- name:     experiment_reason
-- title:    Why a metric of an A/B test has no p-value, or no verdict
-- params:   p DOUBLE, withheld VARCHAR, control VARCHAR, variant VARCHAR, n_control INT, n INT, denominator VARCHAR
-- formula:  the first of the reasons, NULL if there is nothing to say
-- oracle:   plain Python
-- example:  experiment_reason(NULL, NULL, 'A', 'B', 9, 1, NULL) = 'only one unit of B has a value'
-- note:     withheld: why there is no verdict in spite of p. n_control and n: the units of the control and the variant
--           that have a value
SELECT
    CASE
        WHEN $p IS NOT NULL THEN $withheld
        WHEN $n_control = 0 THEN 'no unit of ' || $control || ' has a value'
        WHEN $n = 0 THEN 'no unit of ' || $variant || ' has a value'
        WHEN $n_control = 1 THEN 'only one unit of ' || $control || ' has a value'
        WHEN $n = 1 THEN 'only one unit of ' || $variant || ' has a value'
        WHEN $denominator IS NOT NULL THEN 'the sum of ' || $denominator || ' is 0, or one unit has all of it'
        ELSE 'the values do not vary within the variants'
    END AS value;
