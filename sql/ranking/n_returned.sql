-- name:     n_returned
-- title:    Number of items returned
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   no_relevant: as in judged
-- idle:     ties WHEN TRUE; scores WHEN TRUE; labels WHEN TRUE
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  n, the returned items; agg=sum: those of all queries
-- source:   trec_eval num_ret
-- oracle:   ir_measures NumRet
-- example:  n_returned() = 3
-- note:     a query without relevant items keeps its value
SELECT
    system,
    query_id,
    CAST(max(n_returned) AS DOUBLE) AS value
FROM returned
GROUP BY system, query_id;
