-- name:     n_relevant
-- title:    Number of relevant items in the truth
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   missing=undefined: an unanswered query does not count
--           no_relevant: as in judged
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  m, the relevant items, returned or not; agg=sum: those of all queries
-- source:   trec_eval num_rel
-- oracle:   ir_measures NumRel
-- example:  n_relevant() = 2
-- note:     queries without predictions or without relevant items keep their value
SELECT
    queries.system,
    queries.query_id,
    CAST(coalesce(max(judged_queries.m), 0) AS DOUBLE) AS value
FROM queries
LEFT JOIN judged_queries ON judged_queries.query_id = queries.query_id
GROUP BY queries.system, queries.query_id;
