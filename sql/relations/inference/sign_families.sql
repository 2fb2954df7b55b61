-- name:     sign_families
-- title:    Comparisons with the baseline, each with its differences in the order of all units
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, seed INTEGER DEFAULT 42, groups INTEGER DEFAULT 2000 CHECK (groups > 1)
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    system, metric
-- note:     m units or groups have a value on both sides; others have the difference 0. largest is the normal quantile
--           whose two-sided p is that of equal signs for all units, 2^(1 - m)
WITH units AS (
    SELECT DISTINCT unit
    FROM sign_groups
),
observed AS (
    SELECT
        system, metric,
        CAST(sum(n) AS BIGINT) AS n, CAST(count(*) AS DOUBLE) AS m, sum(rounding) AS rounding,
        -- A fixed order gives the same last digit in every run.
        sum(difference ORDER BY unit) AS total,
        sum(difference * difference ORDER BY unit) AS square
    FROM sign_groups
    GROUP BY system, metric
),
numbered AS (
    SELECT
        system, metric, n, m, total, square,
        abs(total) - rounding AS threshold,
        -normal_quantile(power(2e0, -least(m, 1000e0))) AS largest,
        row_number() OVER (ORDER BY metric, system) AS number
    FROM observed
),
listed AS (
    SELECT numbered.number, array_agg(coalesce(sign_groups.difference, 0e0) ORDER BY units.unit) AS differences
    FROM numbered
    CROSS JOIN units
    LEFT JOIN sign_groups
        ON sign_groups.system = numbered.system
            AND sign_groups.metric = numbered.metric
            AND sign_groups.unit = units.unit
    GROUP BY numbered.number
)
SELECT
    numbered.system, numbered.metric, numbered.n, numbered.m, numbered.total, numbered.square, numbered.threshold,
    numbered.largest, numbered.number, listed.differences
FROM numbered
JOIN listed ON listed.number = numbered.number;
