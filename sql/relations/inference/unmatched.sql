-- name:     unmatched
-- title:    How many units of a system, or of the baseline if these are more, are not the same on the other side
-- inputs:   members (system, unit, fingerprint)
-- switches: baseline VARCHAR
-- grain:    system
-- note:     a unit is the same if what is known of it is, such as the number of its rows and of the positives
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
