-- name:     asked_systems
-- title:    Systems to explain, also where they answer no query
-- inputs:   predictions (system)
-- params:   baseline VARCHAR DEFAULT NULL,
--           compared VARCHAR DEFAULT NULL,
--           population VARCHAR DEFAULT 'truth'
-- grain:    system
-- note:     the names are those of asked_predictions
SELECT '' AS system
UNION ALL
SELECT 'baseline' AS system
WHERE $baseline IS NOT NULL
UNION ALL
SELECT DISTINCT 'other ' || system AS system
FROM predictions
WHERE $population IN ('predictions', 'both') AND system <> $compared AND system <> coalesce($baseline, $compared);
