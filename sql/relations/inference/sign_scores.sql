-- name:     sign_scores
-- title:    Statistics of all comparisons with random signs of the differences
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42,
--           groups INTEGER DEFAULT 2000 CHECK (groups > 1)
-- values:   resamples: the number of draws
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    draw, number
-- formula:  size = abs(sum of the signed differences); z as in statistics/max_t
-- note:     draw -1 has the signs that were observed. A unit has the same sign in all comparisons of a draw.
--           Comparisons with one unit are left out
WITH units AS (
    SELECT unit, min(query_id) AS query_id
    FROM sign_groups
    GROUP BY unit
),
hashed AS (
    -- A hash has 64 bits, enough for 64 draws; with one hash, similar ids would get similar bits.
    SELECT blocks.block, array_agg(hash(hash(units.query_id, blocks.block, $seed)) ORDER BY units.unit) AS bits
    FROM units
    CROSS JOIN range(0, ($resamples + 63) // 64) AS blocks(block)
    GROUP BY blocks.block
),
drawn AS (
    SELECT
        signs.draw, family.number, family.m, family.square, family.largest,
        list_dot_product(family.differences, signs.signs) AS total
    FROM (
        -- The observed statistics are those of draw -1, whose signs are 1.
        SELECT -1 AS draw, list_transform(bits, lambda b: 1e0) AS signs
        FROM hashed
        WHERE block = 0
        UNION ALL
        SELECT
            64 * hashed.block + places.place AS draw,
            list_transform(hashed.bits, lambda b: CASE WHEN (b >> places.place) & 1 = 1 THEN -1e0 ELSE 1e0 END) AS signs
        FROM hashed
        CROSS JOIN range(0, 64) AS places(place)
        WHERE 64 * hashed.block + places.place < $resamples
    ) AS signs
    CROSS JOIN sign_families AS family
    WHERE family.n > 1
)
SELECT
    draw, number, abs(total) AS size,
    CASE
        WHEN square = 0 THEN 0e0
        WHEN total * total >= m * square * (1 - 1e-12) THEN largest
        -- The approximation can exceed the score of the one pattern that is farther than all others.
        ELSE least(largest * (1 - 1e-7), (8 * m - 7) / (8 * m - 5)
            * sqrt((1 - m) * log1p(-total * total / nullif(m * square, 0))))
    END AS z
FROM drawn;
