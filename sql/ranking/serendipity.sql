-- name:     serendipity
-- title:    Serendipity
-- group:    Popularity and novelty
-- meaning:  Serendipity rewards a relevant item that a list of the most popular items would place lower.
-- use:      to see whether a system finds relevant items that popularity alone does not find
-- beware:   the value depends on the number of items of the catalogue: compare systems on one catalogue only
-- reading:  0: no item is relevant, or popularity would place the relevant ones as high
--           0.5: for example, half of the items are relevant and unknown to the history
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id), items (item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'returned' CHECK (norm IN ('returned', 'k'))
-- values:   k: as in recall
--           norm: as in average_popularity
-- idle:     norm WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  the mean of rel_i * max(p_rank - p_pop, 0) over ranks i <= k, p_rank = (M + 1 - i) / M,
--           p_pop = (M + 1 - r_i) / M, or 0 if the history lacks the item
-- tex:      \frac{1}{|L|} \sum_{i \in L} \mathit{rel}_i
--           \max \left( \frac{M + 1 - i}{M} - \frac{M + 1 - r_i}{M}, 0 \right)
-- symbols:  L: the ranks of the first k items
--           \mathit{rel}_i: 1 if the item at rank i is relevant, 0 if it is not
--           M: the number of items of the catalogue; without a catalogue, of the history
--           r_i: the place of the item by its number of interactions; equal numbers share a place
-- source:   Lab41, "Recommender Systems: It's Not All About the Accuracy", 2016, in the form of RecTools
-- oracle:   reference
-- example:  serendipity(k := 2) = 0.083333
-- worked:   q1: (2 - 1) / 6 / 2 = 0.0833
--           q2: (3 - 2) / 6 / 2 = 0.0833
-- related:  epc, self_information, unseen_share
SELECT
    system,
    query_id,
    sum(relevant * advance) FILTER (WHERE rank <= coalesce($k, rank))
        / nullif(coalesce(
            CASE $norm WHEN 'k' THEN $k END,
            count(relevant) FILTER (WHERE rank <= coalesce($k, rank))
        ), 0) AS value
FROM ahead_of_popularity
GROUP BY system, query_id;
