-- name:     exchange_sums
-- title:    Sums of the values of the baseline after exchanges of units, and of their squares
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42,
--           exact BOOLEAN DEFAULT NULL
-- values:   resamples: as in statistics/unpaired_randomization
--           seed: as in replicates
--           exact: as in statistics/unpaired_randomization
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    system, metric, draw
-- note:     draw -1 is the observed one. If exact, the bits of draw are the places of the units of the baseline.
WITH masks AS (
    SELECT system, metric, mask
    FROM (
        SELECT system, metric, n_base, unnest(range(CAST(power(2e0, least(units, 20)) AS BIGINT))) AS mask
        FROM exchange_families
        WHERE exact
    ) AS every
    WHERE bit_count(mask) = n_base
)
SELECT system, metric, -1 AS draw, base_total AS total, base_square AS square FROM exchange_families
UNION ALL
SELECT masks.system, masks.metric, masks.mask AS draw,
    sum(placed.value) AS total, sum(placed.value * placed.value) AS square
FROM masks
JOIN exchanged_units AS placed ON placed.system = masks.system AND placed.metric = masks.metric
    AND (masks.mask >> placed.place) & 1 = 1
GROUP BY masks.system, masks.metric, masks.mask
UNION ALL
SELECT system, metric, draw,
    list_sum(chosen) AS total, list_sum(list_transform(chosen, lambda v: v * v)) AS square
FROM (
    -- The units with the smallest hashes are those of the baseline.
    SELECT placed.system, placed.metric, drawn.draw,
        arg_min(placed.value, hash(hash(placed.query_id, placed.is_base, drawn.draw, $seed)), family.n_base) AS chosen
    FROM exchanged_units AS placed
    JOIN exchange_families AS family ON family.system = placed.system AND family.metric = placed.metric
    CROSS JOIN range(0, $resamples) AS drawn(draw)
    WHERE NOT family.exact AND drawn.draw < family.draws
    GROUP BY placed.system, placed.metric, drawn.draw
) AS chosen_units;
