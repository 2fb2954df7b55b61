-- name:     split_groups
-- title:    Groups with rows in several clusters, whose rows are compared with each other
-- params:   cluster VARCHAR DEFAULT NULL
-- inputs:   rows (system, group_id, unit)
SELECT
    'cluster: ' || CAST(count(*) AS VARCHAR) || ' groups of group_id have rows in several ''' || $cluster
    || '''; name the column of the groups with cluster := ..., or ask for metrics by group separately' AS problem
FROM (SELECT system, group_id FROM rows GROUP BY system, group_id HAVING count(DISTINCT unit) > 1) AS split
HAVING count(*) > 0;
