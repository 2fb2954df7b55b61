-- name:     resampled
-- title:    Rows of bootstrap samples, with each unit, such as a user, a Poisson number of times
-- inputs:   predictions (system, segment, label, score, weight, group_id, unit)
-- params:   first INTEGER DEFAULT 0 CHECK (first >= -1), last INTEGER DEFAULT 100 CHECK (last > 0),
--           seed INTEGER DEFAULT 42
-- portable: no, samples are drawn by a hash that only DuckDB has
-- grain:    row
-- formula:  copies of unit u in sample r: Poisson(1), drawn by hash(hash(u, r, seed)); samples first to last - 1
-- source:   Chamandy, Muralidharan, Najmi and Naidu, Google, 2012 (Poisson bootstrap)
-- note:     a unit has the same number of copies in every system and segment; sample -1 has every unit once
WITH units AS (
    SELECT DISTINCT unit FROM predictions
),
drawn AS (
    SELECT
        units.unit,
        draws.draw,
        -- With one hash, units with similar hashes would get similar draws.
        CASE WHEN draws.draw < 0 THEN 1
            ELSE poisson_count((CAST(hash(hash(units.unit, draws.draw, $seed)) >> 11 AS DOUBLE) + 0.5e0)
                * 1.1102230246251565e-16) END AS copies
    FROM units
    CROSS JOIN range($first, $last) AS draws(draw)
)
SELECT
    predictions.system,
    predictions.segment,
    drawn.draw,
    predictions.label,
    predictions.score,
    predictions.weight,
    predictions.group_id
FROM predictions
JOIN drawn ON drawn.unit = predictions.unit
JOIN range(1, 12) AS counted(copy) ON counted.copy <= drawn.copies;
