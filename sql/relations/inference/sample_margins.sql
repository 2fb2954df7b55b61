-- name:     sample_margins
-- title:    Percentile-bootstrap tests of a margin, from the values of metrics on the same samples
-- inputs:   samples (system, metric, draw, value), observed (system, metric, value)
-- params:   margin DOUBLE CHECK (margin > 0), relative BOOLEAN DEFAULT FALSE
-- switches: baseline VARCHAR
-- grain:    system, metric
-- formula:  p_higher = (1 + k) / (1 + draws), k the number of differences at or below -margin; p_lower the same with
--           those at or above margin; p_equivalent the larger of both. The margin is moved by the bias of the samples,
--           see sample_differences
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552; Schuirmann, Journal of Pharmacokinetics and
--           Biopharmaceutics 1987, doi:10.1007/BF01068419
WITH pairs AS (
    SELECT
        compared.system,
        compared.metric,
        compared.value - baseline.value AS delta,
        CASE WHEN $relative THEN $margin * abs(baseline.value) ELSE $margin END AS margin
    FROM samples AS compared
    JOIN samples AS baseline ON baseline.metric = compared.metric AND baseline.draw = compared.draw
    WHERE baseline.system = $baseline AND compared.system <> $baseline
),
known AS (
    SELECT compared.system, compared.metric, compared.value - baseline.value AS delta
    FROM observed AS compared
    JOIN observed AS baseline ON baseline.metric = compared.metric
    WHERE baseline.system = $baseline AND compared.system <> $baseline
),
biases AS (
    SELECT pairs.system, pairs.metric, avg(pairs.delta) - max(known.delta) AS bias
    FROM pairs
    JOIN known ON known.system = pairs.system AND known.metric = pairs.metric
    GROUP BY pairs.system, pairs.metric
),
moved AS (
    SELECT
        pairs.system,
        pairs.metric,
        pairs.delta,
        pairs.margin,
        least(bias, (3 + 2 * sqrt(2)) * bias) AS least_bias,
        greatest(bias, (3 + 2 * sqrt(2)) * bias) AS most_bias
    FROM pairs
    JOIN biases ON biases.system = pairs.system AND biases.metric = pairs.metric
),
counted AS (
    SELECT
        system,
        metric,
        (1e0 + count(*) FILTER (WHERE delta - most_bias <= -margin)) / nullif(1 + count(delta), 0) AS p_higher,
        (1e0 + count(*) FILTER (WHERE delta - least_bias >= margin)) / nullif(1 + count(delta), 0) AS p_lower
    FROM moved
    GROUP BY system, metric
)
SELECT system, metric, p_higher, p_lower, greatest(p_higher, p_lower) AS p_equivalent
FROM counted;
