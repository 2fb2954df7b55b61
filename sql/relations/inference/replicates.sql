-- name:     replicates
-- title:    Bootstrap samples of the differences to a baseline
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 1), seed INTEGER DEFAULT 42
-- values:   resamples: the number of bootstrap samples
--           seed: another seed draws other samples; the same seed gives the same numbers
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    system, metric, draw
-- formula:  delta = sum of w * difference / sum of w, w Poisson with mean 1 per unit and draw; t = abs(delta - mean)
--           / se of the draw, mean the mean of the differences; a draw in which all weights are 0 is left out
-- note:     n, mean, sd and rounding are those of the differences. If all drawn differences are equal, t is infinite,
--           because the draw does not show how far its mean can be from the true mean
WITH observed AS (
    SELECT
        system, metric, query_id, difference, rounding,
        count(*) OVER whole AS n,
        avg(difference) OVER whole AS mean,
        stddev_samp(difference) OVER whole AS sd
    FROM differences
    -- A fixed order gives sums the same last digit for any source of the rows.
    WINDOW whole AS (
        PARTITION BY system, metric ORDER BY query_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
),
weighted AS (
    SELECT
        observed.system,
        observed.metric,
        observed.n, observed.mean, observed.sd, observed.rounding,
        observed.difference - observed.mean AS deviation,
        drawn.draw,
        -- With one hash, ids with similar hashes would get similar weights. The upper 53 bits make a number in (0, 1).
        poisson_count((CAST(hash(hash(observed.query_id, drawn.draw, $seed)) >> 11 AS DOUBLE) + 0.5e0)
            * 1.1102230246251565e-16) AS weight
    FROM observed
    CROSS JOIN range(0, $resamples) AS drawn(draw)
),
summed AS (
    SELECT
        system, metric, draw,
        max(n) AS n, max(mean) AS mean, max(sd) AS sd, max(rounding) AS rounding,
        sum(weight) AS weights,
        sum(weight * deviation) / nullif(sum(weight), 0) AS moved,
        sum(weight * deviation * deviation) / nullif(sum(weight), 0) AS square
    FROM weighted
    GROUP BY system, metric, draw
)
SELECT
    system, metric, draw, n, mean, sd, rounding,
    mean + moved AS delta,
    CASE WHEN weights > 1 AND square - moved * moved > 1e-12 * square
        THEN abs(moved) / nullif(sqrt((square - moved * moved) / nullif(weights - 1, 0)), 0)
        ELSE CAST('inf' AS DOUBLE) END AS t
FROM summed
WHERE moved IS NOT NULL;
