-- name:     bad_clusters
-- title:    Clusters that are not named, or that some rows do not have
-- params:   cluster VARCHAR DEFAULT NULL
-- inputs:   rows (unit)
SELECT
    'no column shows which rows of the systems belong together; name the column of independent units, such as users, '
    || 'with cluster := ''user_id''' AS problem
WHERE $cluster IS NULL
UNION ALL
SELECT
    'cluster: column ''' || $cluster || ''' is NULL for ' || CAST(count(*) AS VARCHAR)
    || ' rows; give every one a value, or leave them out' AS problem
FROM rows
WHERE unit IS NULL AND $cluster IS NOT NULL
HAVING count(*) > 0;
