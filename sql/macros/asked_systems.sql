-- name:     asked_systems
-- title:    Systems to explain, also where they answer no query
-- params:   baseline VARCHAR DEFAULT NULL
-- grain:    system
-- note:     the names are those of asked_predictions
SELECT '' AS system
UNION ALL
SELECT 'baseline' AS system
WHERE $baseline IS NOT NULL;
