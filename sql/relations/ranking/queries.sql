-- name:     queries
-- title:    Queries of the population, once per system, answered or not
-- inputs:   predictions (system, query_id), truth (query_id), population (query_id)
-- switches: population VARCHAR DEFAULT 'truth' CHECK (population IN ('truth', 'predictions', 'both', 'table'))
-- values:   population=truth: the queries of the truth count
--           population=predictions: the queries that any of the systems answers count
--           population=both: queries of the truth that all systems answer count
--           population=table: the queries of a given table count
-- grain:    system, query_id
-- note:     all systems have the same population; both: the queries in the truth that every system answers
WITH asked AS (
    SELECT DISTINCT query_id FROM truth WHERE $population = 'truth'
    UNION ALL
    SELECT DISTINCT query_id FROM answers WHERE $population = 'predictions'
    UNION ALL
    SELECT answers.query_id
    FROM answers
    JOIN (SELECT DISTINCT query_id FROM truth) AS judged ON judged.query_id = answers.query_id
    WHERE $population = 'both'
    GROUP BY answers.query_id
    HAVING count(*) = (SELECT count(*) FROM systems)
    UNION ALL
    SELECT DISTINCT query_id FROM population WHERE $population = 'table'
)
SELECT
    systems.system,
    asked.query_id,
    answers.n_predicted IS NULL AS missing
FROM asked
CROSS JOIN systems
LEFT JOIN answers ON answers.system = systems.system AND answers.query_id = asked.query_id;
