-- name:     moved_differences
-- title:    Differences from the baseline, moved by a margin in both directions
-- inputs:   per_query (system, metric, query_id, value)
-- switches: baseline VARCHAR, margin DOUBLE CHECK (margin > 0), relative BOOLEAN DEFAULT FALSE,
--           resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), exact BOOLEAN DEFAULT NULL
-- values:   margin: as in statistics/paired_tost
--           relative: as in statistics/paired_tost
--           resamples: as in statistics/randomization_test
--           exact: as in statistics/randomization_test
-- portable: no, tests are computed in DuckDB
-- grain:    system, metric, query_id
-- formula:  raised = difference + margin, lowered = difference - margin
-- note:     place is the place of the sign of the unit in the bits of a draw, if all choices of signs are tried
SELECT
    differences.system, differences.metric, differences.query_id, family.exact,
    -- A share of a negative mean lies on the other side.
    differences.difference + CASE
        WHEN $relative THEN sign(family.baseline_mean) * $margin * differences.baseline_value
        ELSE $margin END AS raised,
    differences.difference - CASE
        WHEN $relative THEN sign(family.baseline_mean) * $margin * differences.baseline_value
        ELSE $margin END AS lowered,
    CASE WHEN family.exact THEN row_number() OVER (
        PARTITION BY differences.system, differences.metric ORDER BY differences.query_id) - 1 END AS place
FROM differences
JOIN margin_families AS family ON family.system = differences.system AND family.metric = differences.metric;
