-- name:     overlap
-- title:    Share of recommended items that a reference run recommends, too
-- group:    Against another run
-- meaning:  Overlap is the share of the first k items that are among the first k of another run, such as the release
--           before.
-- use:      to see how much of the lists a new version changes, before users see it
-- beware:   it ignores the order of the items, so lists with the same items in reverse order have overlap 1
-- reading:  1: both runs recommend the same items
--           0.7: at k = 10, three of ten items are new
--           0: all items are new
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'k' CHECK (norm IN ('k', 'returned', 'jaccard')),
--           reference_k INTEGER DEFAULT NULL CHECK (reference_k > 0),
--           absent VARCHAR DEFAULT 'null' CHECK (absent IN ('null', 'zero'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           norm=k: divided by k, or by the returned items without k
--           norm=returned: divided by the returned items
--           norm=jaccard: divided by the number of items in at least one of the lists
--           reference_k: the cut-off of the reference run, if it is not k
--           absent=null: a query that the reference run lacks has no value
--           absent=zero: a query that the reference run lacks has the value 0
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  the number of items in both L and B / k, L and B the first k items of the two runs
-- tex:      \mathrm{Overlap}_k = \frac{|L \cap B|}{k}
-- symbols:  L: the first k items
--           B: the first k items of the reference run
--           k: the cut-off; by default the length of the list
-- source:   Jaccard, New Phytologist 1912, doi:10.1111/j.1469-8137.1912.tb05611.x
-- oracle:   reference
-- example:  overlap(k := 2) = 1
-- worked:   q1: (1 + 1) / 2 = 1
--           q2: (1 + 1) / 2 = 1
-- related:  rbo, unexpectedness, top_changed
SELECT
    system,
    query_id,
    CASE
        WHEN count(*) FILTER (WHERE rank <= coalesce($k, rank)) = 0 THEN NULL
        WHEN max(n_reference) IS NULL THEN CASE $absent WHEN 'zero' THEN 0e0 END
        ELSE CAST(count(CASE WHEN reference_rank <= coalesce($reference_k, $k, reference_rank) THEN 1 END)
            FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
            / CASE $norm
                WHEN 'k' THEN coalesce($k, count(*))
                WHEN 'returned' THEN count(*) FILTER (WHERE rank <= coalesce($k, rank))
                ELSE count(CASE
                    WHEN copy = 1 AND coalesce(reference_rank > coalesce($reference_k, $k, reference_rank), TRUE)
                    THEN 1
                END) FILTER (WHERE rank <= coalesce($k, rank))
                    + least(coalesce($reference_k, $k, max(n_reference)), max(n_reference))
            END
    END AS value
FROM moved
GROUP BY system, query_id;
