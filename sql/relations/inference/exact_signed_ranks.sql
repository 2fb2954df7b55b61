-- name:     exact_signed_ranks
-- title:    Exact p of the sum of signed ranks, of at most 25 ranked differences
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, zeros VARCHAR DEFAULT 'wilcox' CHECK (zeros IN ('wilcox', 'pratt')),
--           exact BOOLEAN DEFAULT FALSE
-- values:   zeros=wilcox: as in statistics/wilcoxon
--           zeros=pratt: as in statistics/wilcoxon
--           exact: as in statistics/wilcoxon
-- portable: no, tests are computed in DuckDB
-- grain:    system, metric
-- formula:  the characteristic function of a sum of ranks r with random signs is the product of cos(t r); its values
--           at 2 pi k / M, M more than the range of the sum, give the share of all choices of signs
-- source:   Wilcoxon, Biometrics Bulletin 1945, doi:10.2307/3001968; inversion: Feller, An Introduction to Probability
--           Theory and Its Applications, volume 2, 1971, chapter XV
-- note:     ties share their midrank. The share is a whole number of cases, so that rounding removes the error of
--           the inversion
WITH counted AS (
    SELECT
        system, metric,
        CAST(floor(2 * first_rank + alike - 1) AS BIGINT) AS doubled,
        CASE WHEN difference > 0 THEN 1 WHEN difference < 0 THEN -1 ELSE 0 END AS direction,
        count(*) OVER (PARTITION BY system, metric) AS n,
        count(*) FILTER (WHERE difference = 0) OVER (PARTITION BY system, metric) AS ties
    FROM signed_ranks
    WHERE $exact
),
ranked AS (
    -- Zeros come first: without them, every other rank is smaller by their number.
    SELECT system, metric, direction, CASE $zeros WHEN 'pratt' THEN doubled ELSE doubled - 2 * ties END AS doubled
    FROM counted
    WHERE direction <> 0 AND CASE $zeros WHEN 'pratt' THEN n ELSE n - ties END <= 25
),
sums AS (
    SELECT
        system, metric,
        CAST(count(*) AS INTEGER) AS m,
        CAST(floor(2 * sum(doubled) + 1) AS BIGINT) AS turns,
        CAST(floor(abs(sum(direction * doubled))) AS BIGINT) AS gap
    FROM ranked
    GROUP BY system, metric
),
waves AS (
    SELECT
        sums.system, sums.metric, places.place,
        cos(2 * pi() * ((places.place * ranked.doubled) % sums.turns) / sums.turns) AS wave
    FROM sums
    JOIN ranked ON ranked.system = sums.system AND ranked.metric = sums.metric
    JOIN range(0, 1302) AS places(place) ON places.place < sums.turns
),
multiplied AS (
    SELECT
        system, metric, place,
        exp(sum(ln(abs(wave)))) * (1 - 2 * (count(*) FILTER (WHERE wave < 0) % 2)) AS wave
    FROM waves
    GROUP BY system, metric, place
),
inverted AS (
    -- The share of the choices whose sum is closer to 0 than the observed one.
    SELECT
        sums.system, sums.metric, sums.m, sums.gap,
        sum(multiplied.wave * CASE WHEN multiplied.place = 0 THEN 2 * sums.gap - 1
            ELSE sin(pi() * (((2 * sums.gap - 1) * multiplied.place) % (2 * sums.turns)) / sums.turns)
                / sin(pi() * multiplied.place / sums.turns) END) / sums.turns AS closer
    FROM sums
    JOIN multiplied ON multiplied.system = sums.system AND multiplied.metric = sums.metric
    GROUP BY sums.system, sums.metric, sums.m, sums.gap, sums.turns
)
SELECT
    system, metric,
    CASE WHEN gap = 0 THEN 1e0 ELSE floor((1 - closer) * power(2e0, m) + 0.5e0) / power(2e0, m) END AS p
FROM inverted;
