-- name:     n_returned
-- title:    Number of items returned
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   no_relevant: as in judged
-- idle:     ties WHEN TRUE; scores WHEN TRUE
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  n, the returned items; agg=sum: those of all queries
-- source:   trec_eval num_ret
-- oracle:   ir_measures NumRet
-- example:  n_returned() = 3
-- note:     a query without relevant items keeps its value
SELECT
    queries.system,
    queries.query_id,
    CAST(coalesce(max(returned_counts.n_returned), 0) AS DOUBLE) AS value
FROM queries
LEFT JOIN returned_counts
    ON returned_counts.system = queries.system AND returned_counts.query_id = queries.query_id
GROUP BY queries.system, queries.query_id;
