-- name:     first_rank
-- alias:    mean_rank (agg = mean), median_rank (agg = median)
-- title:    Rank of the first relevant item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           no_relevant VARCHAR DEFAULT 'null' CHECK (no_relevant IN ('null'))
-- values:   k: as in recall
--           missing=undefined: an unanswered query has no rank and does not count
-- depth:    k
-- grain:    system, query_id
-- range:    [1, inf), lower is better
-- formula:  min rank over relevant items; undefined when none is returned (within k)
-- source:   Voorhees, TREC-8 1999
-- oracle:   reference
-- example:  first_rank() = 1.5
-- note:     queries without a value are counted in n_undefined; a missing query never becomes rank 0
SELECT
    system,
    query_id,
    CAST(min(rank) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE) AS value
FROM relevant
GROUP BY system, query_id;
