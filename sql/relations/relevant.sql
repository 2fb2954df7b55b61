-- name:     relevant
-- title:    Relevant items of the population's queries, once per system, found or not
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- switches: catalog_size INTEGER DEFAULT NULL
--               CHECK (catalog_size > 1 AND (catalog_size IS NULL OR ties <> 'expected'))
-- grain:    system, query_id, item_id
-- note:     rank NULL = not returned; hit counts the relevant items found so far; m = all of them;
--           duplicates=count: a copy of an item is a hit of its own, but has no place in the ideal order;
--           catalog_size=n: the items are one relevant one and a uniform sample of the n - 1 others, so rank r of
--           the sample is about floor(1 + (n - 1) * (r - 1) / (n_returned - 1)) of all n, never less than r
--           (Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226)
WITH ideal AS (
    SELECT
        query_id,
        item_id,
        relevance,
        row_number() OVER (PARTITION BY query_id ORDER BY relevance DESC, item_id) AS ideal_rank
    FROM grades
    WHERE is_relevant
)
SELECT
    queries.system,
    queries.query_id,
    ideal.item_id,
    ideal.relevance,
    CASE
        WHEN $duplicates <> 'count' THEN ideal.ideal_rank
        WHEN row_number() OVER (
            PARTITION BY queries.system, queries.query_id, ideal.ideal_rank ORDER BY coalesce(ranked.rank, 2147483647)
        ) = 1 THEN ideal.ideal_rank
    END AS ideal_rank,
    judged_queries.m,
    coalesce(
        CASE
            WHEN $catalog_size IS NULL THEN returned_counts.n_returned
            WHEN returned_counts.n_returned > 0 THEN $catalog_size
        END, 0
    ) AS n_returned,
    CASE
        WHEN $catalog_size IS NULL THEN ranked.rank
        ELSE 1 + (($catalog_size - 1) * (ranked.rank - 1)) // greatest(returned_counts.n_returned - 1, 1)
    END AS rank,
    CASE WHEN ranked.rank IS NOT NULL THEN
        row_number() OVER (PARTITION BY queries.system, queries.query_id ORDER BY coalesce(ranked.rank, 2147483647))
    END AS hit,
    CASE WHEN ranked.rank IS NOT NULL THEN
        row_number() OVER (
            PARTITION BY queries.system, queries.query_id
            ORDER BY CASE WHEN ranked.rank IS NULL THEN 1 ELSE 0 END, ideal.ideal_rank, ranked.rank
        )
    END AS returned_ideal_rank
FROM ideal
JOIN queries ON queries.query_id = ideal.query_id
JOIN judged_queries ON judged_queries.query_id = ideal.query_id
LEFT JOIN returned_counts
    ON returned_counts.system = queries.system AND returned_counts.query_id = queries.query_id
LEFT JOIN ranked
    ON ranked.system = queries.system
    AND ranked.query_id = ideal.query_id
    AND ranked.item_id = ideal.item_id;
