-- name:     signed_sums
-- title:    Sums of differences that are moved by a margin and have random signs
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, margin DOUBLE CHECK (margin > 0), relative BOOLEAN DEFAULT FALSE,
--           resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42,
--           exact BOOLEAN DEFAULT NULL
-- values:   margin: as in statistics/paired_tost
--           relative: as in statistics/paired_tost
--           resamples: as in statistics/randomization_test
--           seed: as in replicates
--           exact: as in statistics/randomization_test
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    system, metric, draw
-- note:     a unit has the same sign in all comparisons of a draw, unless all choices of signs are tried
SELECT
    moved.system, moved.metric, masks.draw,
    sum(CASE WHEN (masks.draw >> moved.place) & 1 = 1 THEN -moved.raised ELSE moved.raised END) AS raised,
    sum(CASE WHEN (masks.draw >> moved.place) & 1 = 1 THEN -moved.lowered ELSE moved.lowered END) AS lowered
FROM moved_differences AS moved
JOIN (
    SELECT system, metric, unnest(range(CAST(power(2e0, n) AS BIGINT))) AS draw FROM margin_families WHERE exact
) AS masks ON masks.system = moved.system AND masks.metric = moved.metric
GROUP BY moved.system, moved.metric, masks.draw
UNION ALL
-- A hash has 64 bits, enough for 64 draws; with one hash, similar ids would get similar bits.
SELECT system, metric, 64 * block + bit AS draw,
    sum(CASE WHEN (bits >> bit) & 1 = 1 THEN -raised ELSE raised END) AS raised,
    sum(CASE WHEN (bits >> bit) & 1 = 1 THEN -lowered ELSE lowered END) AS lowered
FROM (
    SELECT moved.system, moved.metric, moved.raised, moved.lowered, blocks.block,
        hash(hash(moved.query_id, blocks.block, $seed)) AS bits
    FROM moved_differences AS moved
    CROSS JOIN range(0, ($resamples + 63) // 64) AS blocks(block)
    WHERE NOT moved.exact
) AS hashed
CROSS JOIN range(0, 64) AS bits_of(bit)
WHERE 64 * block + bit < $resamples
GROUP BY system, metric, block, bit;
