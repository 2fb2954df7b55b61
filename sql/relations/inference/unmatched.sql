-- name:     unmatched
-- title:    Number of units of a system, or of the baseline if it has more, that differ on the other side
-- inputs:   members (system, unit, fingerprint)
-- switches: baseline VARCHAR
-- grain:    system
-- note:     a unit differs if it is missing on the other side, or has another fingerprint there; a fingerprint is,
--           for example, the number of its rows and of its positives
WITH expected AS (
    SELECT unit, fingerprint FROM members WHERE system = $baseline
),
others AS (
    SELECT system, unit, fingerprint FROM members WHERE system <> $baseline
),
sizes AS (
    SELECT system, count(*) AS n FROM others GROUP BY system
),
matched AS (
    SELECT others.system, count(*) AS n
    FROM others
    JOIN expected ON expected.unit = others.unit AND expected.fingerprint = others.fingerprint
    GROUP BY others.system
)
SELECT sizes.system, greatest(sizes.n, (SELECT count(*) FROM expected)) - coalesce(matched.n, 0) AS number
FROM sizes
LEFT JOIN matched ON matched.system = sizes.system;
