-- name:     least_promoted
-- title:    Largest rise of an item over a reference run
-- group:    Against another run
-- meaning:  Least promoted is the largest number of ranks that one of the first k items rises over another run, such as
--           the list before reranking.
-- use:      to find out how deep a reranker digs for the items that it shows
-- beware:   one item decides the value; an item that the reference run lacks counts as just below its last item
-- reading:  0: no item rises
--           20: an item rises by 20 ranks
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           start VARCHAR DEFAULT 'rank' CHECK (start IN ('rank', 'cutoff'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           start=rank: an item rises from its rank in the reference run to its rank
--           start=cutoff: the ranks between k and the deepest item that rises count
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), neither is better
-- formula:  the largest difference of reference rank and rank, over the first k items
-- tex:      \max_{i \in L} (b_i - r_i)
-- symbols:  L: the first k items
--           r_i: the rank of item i
--           b_i: its rank in the reference run; its last rank plus 1 if it lacks the item
-- source:   LensKit 2025, least_item_promoted
-- oracle:   reference
-- example:  least_promoted(k := 2) = 0.5
-- worked:   q1: 2 - 1 = 1
--           q2: 1 - 1 = 0
-- related:  top_changed, overlap, rbo
-- note:     start=cutoff leaves out items that the reference run lacks; without k, it starts from the last rank of the
--           list
SELECT
    system,
    query_id,
    CASE
        WHEN max(n_reference) IS NULL OR count(*) FILTER (WHERE rank <= coalesce($k, rank)) = 0 THEN NULL
        WHEN $start = 'cutoff' THEN greatest(
            coalesce(max(reference_rank) FILTER (WHERE rank <= coalesce($k, rank)), 0) - 1e0
            - coalesce($k, max(rank)), 0e0
        )
        ELSE CAST(max(CASE WHEN copy = 1 THEN coalesce(reference_rank, n_reference + 1) - rank END)
            FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
    END AS value
FROM moved
GROUP BY system, query_id;
