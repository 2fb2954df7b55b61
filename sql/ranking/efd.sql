-- name:     efd
-- title:    Expected free discovery
-- group:    Popularity and novelty
-- meaning:  EFD is the surprise, in bits, of the relevant recommended items. Items near the top count more.
-- use:      to reward a system for relevant items that are rare in the history
-- beware:   it has no upper limit that all histories share, so compare systems on one history only
-- reading:  0: no relevant item is returned
--           10: for example, all items are relevant and each is one of 1024 interactions
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           relevance VARCHAR DEFAULT 'truth' CHECK (relevance IN ('truth', 'none')),
--           popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           cold VARCHAR DEFAULT 'one' CHECK (cold IN ('one', 'least', 'skip'))
-- values:   k: as in recall
--           cold=one: as in self_information
--           cold=least: an item that the history lacks counts as the least popular item
--           cold=skip: as in average_popularity
-- idle:     rel WHEN relevance = 'none'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), higher is better
-- formula:  sum over ranks i <= k of rel_i * -log2(p_i) / log2(i + 1), divided by the sum of 1 / log2(i + 1)
-- tex:      \mathrm{EFD}_k = \frac{\sum_{i=1}^{k} -\mathit{rel}_i \log_2 p_i / \log_2(i + 1)}
--           {\sum_{i=1}^{k} 1 / \log_2(i + 1)}
-- symbols:  k: the cut-off; by default every rank counts
--           \mathit{rel}_i: 1 if the item at rank i is relevant, 0 if it is not; relevance=none: 1
--           p_i: the share of the interactions of the history with the item at rank i
-- source:   Vargas and Castells, RecSys 2011, doi:10.1145/2043932.2043955
-- oracle:   reference
-- example:  efd(k := 2) = 1.097101
-- worked:   q1: log2(7 / 2) / (1 + 1 / log2(3)) = 1.1082
--           q2: log2(7 / 1) / log2(3) / (1 + 1 / log2(3)) = 1.0860
-- related:  epc, self_information, serendipity
SELECT
    system,
    query_id,
    sum(relevant * ln(total / CASE $cold
        WHEN 'one' THEN coalesce(popularity, 1)
        WHEN 'least' THEN coalesce(popularity, smallest)
        ELSE popularity
    END) / log(2, rank + 1)) FILTER (WHERE rank <= coalesce($k, rank))
        / nullif(sum(CASE WHEN popularity IS NOT NULL OR $cold <> 'skip' THEN 1e0 / log(2, rank + 1) END)
            FILTER (WHERE rank <= coalesce($k, rank)), 0)
        / ln(2) AS value
FROM judged_recommended
GROUP BY system, query_id;
