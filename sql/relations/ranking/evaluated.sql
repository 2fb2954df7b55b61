-- name:     evaluated
-- title:    Values of one metric for every query of the population, after the policies
-- inputs:   predictions (system, query_id), truth (query_id, item_id, relevance), population (query_id),
--           metric (system, query_id, value)
-- params:   gain VARCHAR DEFAULT 'binary' CHECK (gain IN ('linear', 'exp2', 'binary')),
--           ideal VARCHAR DEFAULT 'judged' CHECK (ideal IN ('judged', 'returned', 'full_k')),
--           relevance VARCHAR DEFAULT 'truth' CHECK (relevance IN ('truth', 'none'))
-- switches: missing VARCHAR DEFAULT 'zero' CHECK (missing IN ('zero', 'skip', 'error')),
--           no_relevant VARCHAR DEFAULT 'null' CHECK (no_relevant IN ('null', 'zero', 'one'))
-- values:   gain: as in gains
--           ideal: as in gains
--           relevance: as in judged_recommended
--           missing=zero: an unanswered query has the value 0
--           missing=skip: an unanswered query is left out of the mean
--           missing=error: an unanswered query is an error
--           no_relevant=null: a query without relevant items does not count
--           no_relevant=zero: a query without relevant items has the value 0
--           no_relevant=one: a query without relevant items has the value 1
-- grain:    system, query_id
-- note:     the switches apply in this order: no_relevant=null, missing, then no_relevant=zero or one; with
--           ideal=returned, a query whose returned items have no gain counts as a query without relevant items;
--           with relevance=none, no query does
WITH status AS (
    SELECT
        queries.system,
        queries.query_id,
        queries.missing,
        metric.value,
        ($relevance = 'truth' AND coalesce(judged_queries.m, 0) = 0)
            OR ($ideal = 'returned' AND metric.value IS NULL AND NOT queries.missing) AS no_relevant
    FROM queries
    LEFT JOIN judged_queries ON judged_queries.query_id = queries.query_id
    LEFT JOIN metric ON metric.system = queries.system AND metric.query_id = queries.query_id
)
SELECT
    system,
    query_id,
    missing,
    no_relevant,
    value IS NULL
        AND NOT (no_relevant AND $no_relevant <> 'keep')
        AND NOT (missing AND $missing <> 'undefined') AS undefined,
    CASE
        -- No system can find a relevant item, so all systems have the same queries in their means.
        WHEN no_relevant AND $no_relevant = 'null' THEN NULL
        WHEN missing AND $missing <> 'undefined'
            THEN CASE $missing WHEN 'zero' THEN 0e0 END
        WHEN no_relevant AND $no_relevant IN ('zero', 'one')
            THEN CASE $no_relevant WHEN 'zero' THEN 0e0 WHEN 'one' THEN 1e0 END
        ELSE value
    END AS value
FROM status;
