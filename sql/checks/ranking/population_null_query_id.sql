-- name:     population_null_query_id
-- title:    rows with no query_id
-- for:      ranking
-- severity: error
-- why:      a query without an id matches no prediction
-- column:   population.query_id
-- inputs:   population (query_id)
-- advice:   drop these rows
SELECT query_id
FROM population
WHERE query_id IS NULL;
