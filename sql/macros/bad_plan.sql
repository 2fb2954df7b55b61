-- name:     bad_plan
-- title:    Plan that does not exist
-- params:   plan VARCHAR DEFAULT 'sorted'
SELECT 'plan cannot be ''' || coalesce(CAST($plan AS VARCHAR), 'NULL') || '''; choose sorted or grouped' AS problem
WHERE $plan IS NULL OR CAST($plan AS VARCHAR) NOT IN ('sorted', 'grouped');
