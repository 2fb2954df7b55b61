-- name:     n_returned
-- title:    Number of items returned
-- group:    Counts
-- meaning:  This count reports the number of items that the system returns for a query.
-- use:      to find short or empty lists before you compare systems at a cut-off
-- beware:   a longer list is not better by itself; it can raise recall and often lowers precision without a cut-off
-- reading:  0: the system returns nothing for the query
--           5: a cut-off of 10 leaves five places empty, and by default precision counts them as misses
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   no_relevant: as in judged
-- idle:     ties WHEN TRUE; scores WHEN TRUE
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  n, the number of returned items; agg=sum: the number over all queries
-- tex:      n = |L|
-- symbols:  n: the number of items
--           L: the items that the system returns for the query
-- source:   trec_eval num_ret
-- oracle:   ir_measures NumRet
-- example:  n_returned() = 3
-- worked:   q1: 1 + 1 + 1 = 3
--           q2: 1 + 1 + 1 = 3
-- related:  n_relevant, hits, judged, precision
-- note:     a query without relevant items keeps its value
SELECT
    queries.system,
    queries.query_id,
    CAST(coalesce(max(returned_counts.n_returned), 0) AS DOUBLE) AS value
FROM queries
LEFT JOIN returned_counts
    ON returned_counts.system = queries.system AND returned_counts.query_id = queries.query_id
GROUP BY queries.system, queries.query_id;
