-- name:     epc
-- title:    Expected popularity complement
-- group:    Popularity and novelty
-- meaning:  EPC is the share of users who do not know a relevant recommended item. Items near the top count more.
-- use:      to reward a system for relevant items that few users know
-- beware:   a system with more hits has a higher EPC even if its hits are popular; relevance=none shows novelty alone
-- reading:  1: all of the first k items are relevant and unknown to the history
--           0: no relevant item is returned, or every user knows the relevant ones
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           relevance VARCHAR DEFAULT 'truth' CHECK (relevance IN ('truth', 'none')),
--           popularity VARCHAR DEFAULT 'users' CHECK (popularity IN ('interactions', 'users'))
-- values:   k: as in recall
-- idle:     rel WHEN relevance = 'none'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  sum over ranks i <= k of rel_i * (1 - p_i) / log2(i + 1), divided by the sum of 1 / log2(i + 1)
-- tex:      \mathrm{EPC}_k = \frac{\sum_{i=1}^{k} \mathit{rel}_i \, (1 - p_i) / \log_2(i + 1)}
--           {\sum_{i=1}^{k} 1 / \log_2(i + 1)}
-- symbols:  k: the cut-off; by default every rank counts
--           \mathit{rel}_i: 1 if the item at rank i is relevant, 0 if it is not; relevance=none: 1
--           p_i: the share of the users of the history who have the item at rank i
-- source:   Vargas and Castells, RecSys 2011, doi:10.1145/2043932.2043955
-- oracle:   reference
-- example:  epc(k := 2) = 0.231142
-- worked:   q1: (1 - 2 / 3) / (1 + 1 / log2(3)) = 0.2044
--           q2: (1 - 1 / 3) / log2(3) / (1 + 1 / log2(3)) = 0.2579
-- related:  efd, self_information, serendipity
SELECT
    system,
    query_id,
    sum(relevant * (1 - coalesce(popularity, 0) / total) / log(2, rank + 1))
        FILTER (WHERE rank <= coalesce($k, rank))
        / nullif(sum(1e0 / log(2, rank + 1)) FILTER (WHERE rank <= coalesce($k, rank)), 0) AS value
FROM judged_recommended
GROUP BY system, query_id;
