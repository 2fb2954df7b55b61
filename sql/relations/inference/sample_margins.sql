-- name:     sample_margins
-- title:    Percentile-bootstrap tests of a margin, from the values of metrics on the same samples
-- inputs:   samples (system, metric, draw, value), observed (system, metric, value)
-- params:   margin DOUBLE CHECK (margin > 0), relative BOOLEAN DEFAULT FALSE
-- switches: baseline VARCHAR
-- grain:    system, metric
-- formula:  p_higher = (1 + k) / (1 + draws), k the number of differences at or below -margin; p_lower the same with
--           those at or above margin; p_equivalent the larger of both. The margin is moved by the bias of the samples,
--           see sample_pairs
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552; Schuirmann, Journal of Pharmacokinetics and
--           Biopharmaceutics 1987, doi:10.1007/BF01068419
WITH moved AS (
    SELECT
        system, metric, delta, least_bias, most_bias,
        CASE WHEN $relative THEN $margin * abs(baseline_value) ELSE $margin END AS margin
    FROM sample_pairs
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
