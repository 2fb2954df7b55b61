-- name:     bad_aggregations
-- title:    Aggregations that are none
-- inputs:   specs (agg), aggregations (name)
SELECT
    'agg cannot be ''' || coalesce(agg, 'NULL') || '''; choose '
    || (SELECT string_agg(name, ' or ' ORDER BY name) FROM aggregations) AS problem
FROM specs
WHERE agg IS NULL OR NOT agg IN (SELECT name FROM aggregations);
