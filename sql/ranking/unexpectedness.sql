-- name:     unexpectedness
-- title:    Share of recommended items that a reference run does not recommend
-- group:    Against another run
-- meaning:  Unexpectedness is the share of the first k items that are not among the first k of another run, such as a
--           list of popular items.
-- use:      to see how far a system departs from an obvious baseline
-- beware:   an item that nobody wants is unexpected, too; read it next to a metric of relevance
-- reading:  1: the reference run recommends none of the items
--           0: the reference run recommends all of them
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'k' CHECK (norm IN ('k', 'returned')),
--           reference_k INTEGER DEFAULT NULL CHECK (reference_k > 0),
--           absent VARCHAR DEFAULT 'null' CHECK (absent IN ('null', 'zero'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           norm: as in overlap
--           reference_k: as in overlap
--           absent: as in overlap
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  1 - the number of items in both L and B / k, L and B the first k items of the two runs
-- tex:      1 - \frac{|L \cap B|}{k}
-- symbols:  L: the first k items
--           B: the first k items of the reference run
--           k: the cut-off; by default the length of the list
-- source:   Adamopoulos and Tuzhilin, TIST 2014, doi:10.1145/2559952
-- oracle:   reference
-- example:  unexpectedness(k := 2) = 0
-- worked:   q1: 1 - (1 + 1) / 2 = 0
--           q2: 1 - (1 + 1) / 2 = 0
-- related:  overlap, rbo
-- note:     with norm=k, a list shorter than k counts its empty places as unexpected
SELECT
    system,
    query_id,
    CASE
        WHEN count(*) FILTER (WHERE rank <= coalesce($k, rank)) = 0 THEN NULL
        WHEN max(n_reference) IS NULL THEN CASE $absent WHEN 'zero' THEN 0e0 END
        ELSE 1 - CAST(count(CASE WHEN reference_rank <= coalesce($reference_k, $k, reference_rank) THEN 1 END)
            FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
            / CASE $norm
                WHEN 'k' THEN coalesce($k, count(*))
                ELSE count(*) FILTER (WHERE rank <= coalesce($k, rank))
            END
    END AS value
FROM moved
GROUP BY system, query_id;
