-- name:     n_relevant
-- title:    Number of relevant items in the truth
-- group:    Counts
-- meaning:  This count reports the number of relevant items that the truth has for a query, returned or not.
-- use:      to see how many items a system can find, or the total with agg=sum
-- beware:   it describes the truth, not the system: a higher value does not mean a better ranking
-- reading:  0: the truth has no relevant item for the query
--           1: the query has one relevant item, so precision at k is at most 1 / k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   missing=undefined: an unanswered query keeps its value and counts in the mean
--           no_relevant: as in judged
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  m, the number of relevant items, returned or not; agg=sum: the number over all queries
-- tex:      m = \sum_{d} \mathit{relevant}_d
-- symbols:  m: the number of relevant items
--           d: an item of the truth
--           \mathit{relevant}_d: 1 if the grade of the item is above 0 (or at least rel), else 0
-- source:   trec_eval num_rel
-- oracle:   ir_measures NumRel
-- example:  n_relevant() = 2
-- worked:   q1: 1 + 0 + 1 = 2
--           q2: 1 + 0 + 1 = 2
-- related:  n_returned, hits, recall
-- note:     queries without predictions or without relevant items keep their value
SELECT
    queries.system,
    queries.query_id,
    CAST(coalesce(max(judged_queries.m), 0) AS DOUBLE) AS value
FROM queries
LEFT JOIN judged_queries ON judged_queries.query_id = queries.query_id
GROUP BY queries.system, queries.query_id;
