-- name:     moved
-- title:    Returned items with their rank in the reference run
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- grain:    system, query_id, item_id
-- note:     reference_rank is NULL for an item that the reference run lacks, and for every copy of an item but the
--           first; n_reference is NULL for a query that it lacks
WITH numbered AS (
    SELECT
        system,
        query_id,
        item_id,
        rank,
        CASE
            WHEN $duplicates = 'count'
                THEN row_number() OVER (PARTITION BY system, query_id, item_id ORDER BY rank)
            ELSE 1
        END AS copy
    FROM ranked
)
SELECT
    numbered.system,
    numbered.query_id,
    numbered.item_id,
    numbered.rank,
    numbered.copy,
    reference_ranked.rank AS reference_rank,
    reference_counts.n_reference
FROM numbered
LEFT JOIN reference_counts ON reference_counts.query_id = numbered.query_id
LEFT JOIN reference_ranked
    ON reference_ranked.query_id = numbered.query_id AND reference_ranked.item_id = numbered.item_id
    AND numbered.copy = 1;
