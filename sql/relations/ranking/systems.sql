-- name:     systems
-- title:    Systems under evaluation
-- inputs:   predictions (system)
-- grain:    system
SELECT DISTINCT system
FROM predictions;
