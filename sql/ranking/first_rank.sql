-- name:     first_rank
-- alias:    mean_rank (agg = mean), median_rank (agg = median)
-- title:    Rank of the first relevant item
-- group:    Accuracy
-- meaning:  First rank is the position of the first relevant item: the number of items that a user looks at to find
--           one.
-- use:      to report how far users search, in ranks, for example as the median over queries
-- beware:   a query that returns no relevant item does not count, so a system that finds less can look better; read
--           it together with hit_rate
-- reading:  1: the first item is relevant
--           10: the first relevant item is the last of the first ten
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
-- formula:  the lowest rank of a relevant item; undefined if none is returned (within k)
-- tex:      \mathrm{rank}_1 = \min \{ i : \mathit{hit}_i = 1, \; i \le k \}
-- symbols:  \mathit{hit}_i: 1 if the item at rank i is relevant, 0 if it is not
--           k: the cut-off; by default every rank counts
-- source:   Voorhees, TREC-8 1999
-- oracle:   reference
-- example:  first_rank() = 1.5
-- worked:   q1: least(1, 3) = 1
--           q2: least(2) = 2
-- related:  reciprocal_rank, hit_rate
-- note:     queries without a value are counted in n_undefined; a missing query does not count as rank 0
SELECT
    system,
    query_id,
    CAST(min(rank) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE) AS value
FROM relevant
GROUP BY system, query_id;
