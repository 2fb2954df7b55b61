-- name:     idcg
-- title:    Ideal discounted cumulative gain
-- group:    Accuracy
-- meaning:  Ideal DCG is the highest DCG that any order of the items reaches for a query. NDCG divides by it.
-- use:      to understand an NDCG value, or to find queries whose best possible value is small
-- beware:   by default it depends on the truth alone, so a high value does not mean a good system
-- reading:  1: for example, the query has one relevant item, of grade 1
--           3: for example, the query has one relevant item, of grade 3
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           gain VARCHAR DEFAULT 'linear' CHECK (gain IN ('linear', 'exp2', 'binary')),
--           discount VARCHAR DEFAULT 'log2' CHECK (discount IN ('log2', 'log2_clip', 'reciprocal')),
--           ideal VARCHAR DEFAULT 'judged'
--               CHECK (ideal IN ('judged', 'returned', 'full_k') AND (ideal <> 'full_k' OR k IS NOT NULL))
-- idle:     rel WHEN gain <> 'binary'; ties WHEN TRUE; scores WHEN TRUE; unjudged WHEN TRUE; catalog_size WHEN TRUE
-- depth:    CASE WHEN ideal <> 'returned' THEN k END
-- contribution: none, it is a sum over the ideal order, not over returned items
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  DCG@k of the best order: of all judged items, of the returned ones, or of k slots with the largest gain
-- tex:      \mathrm{IDCG}_k = \sum_{i=1}^{\min(k, m)} \frac{\mathrm{gain}(g_i)}{\log_2(i + 1)}
-- symbols:  k: the cut-off, the number of top ranks that count
--           m: the number of relevant items in the truth
--           g_i: the i-th highest grade in the truth, by default of all judged items
--           \mathrm{gain}: the worth of an item, by default its grade
--           \log_2(i + 1): the default discount
-- source:   Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418
-- oracle:   reference
-- example:  idcg(k := 2) = 3.13093
-- worked:   q1: 2 / log2(2) + 1 / log2(3) = 2.6309
--           q2: 3 / log2(2) + 1 / log2(3) = 3.6309
-- related:  ndcg, dcg, n_relevant
SELECT
    system,
    query_id,
    sum(gain * discount) FILTER (WHERE position <= coalesce($k, position)) AS value
FROM gains
GROUP BY system, query_id;
