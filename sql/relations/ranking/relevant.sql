-- name:     relevant
-- title:    Relevant items of the population's queries, at their places in the ideal order and in the ranking
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   depth INTEGER DEFAULT NULL CHECK (depth > 0)
-- switches: catalog_size INTEGER DEFAULT NULL
--               CHECK (catalog_size > 1 AND (catalog_size IS NULL OR ties <> 'expected'))
-- values:   catalog_size: the number of all items, if the candidates are a sample of them
-- facts:    corrected WHEN catalog_size IS NOT NULL
-- grain:    system, query_id, ideal_rank, hit
-- note:     every relevant item has a row with an ideal_rank, and another row with a rank if it was returned; so a
--           query with a relevant item has a row; item is the returned item, and place its rank before catalog_size
--           applies; both are NULL in the rows with an ideal_rank; hit is the number of relevant items up to the
--           rank, and m the number of all; duplicates=count: a copy of an item is a hit of its own, but has no place
--           in the ideal order; catalog_size=n: the candidates are one relevant item and a uniform sample of the
--           n - 1 others; rank r in the sample is about floor(1 + (n - 1) * (r - 1) / (n_returned - 1)) among all n,
--           never less than r (Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226). With ties=expected, each
--           rank has a further row with tie_rank and the columns of tie_places; its rank is NULL
WITH ideal AS (
    SELECT query_id, relevance, row_number() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS ideal_rank
    FROM grades
    WHERE is_relevant
    QUALIFY $depth IS NULL OR ideal_rank <= $depth
),
found AS (
    SELECT
        ranked.system, ranked.query_id, ranked.item_id AS item, grades.relevance, ranked.rank,
        row_number() OVER (PARTITION BY ranked.system, ranked.query_id ORDER BY ranked.rank) AS hit,
        row_number() OVER (PARTITION BY ranked.system, ranked.query_id ORDER BY grades.relevance DESC)
            AS returned_ideal_rank
    FROM ranked
    JOIN grades ON grades.query_id = ranked.query_id AND grades.item_id = ranked.item_id
    WHERE grades.is_relevant
)
SELECT
    queries.system, queries.query_id, NULL AS item, CAST(NULL AS BIGINT) AS place, ideal.relevance, ideal.ideal_rank,
    judged_queries.m,
    CASE
        WHEN returned_counts.n_returned > 0 THEN coalesce($catalog_size, returned_counts.n_returned) ELSE 0
    END AS n_returned,
    CAST(NULL AS BIGINT) AS rank, CAST(NULL AS BIGINT) AS hit, CAST(NULL AS BIGINT) AS returned_ideal_rank,
    CAST(NULL AS BIGINT) AS tie_rank, CAST(NULL AS DOUBLE) AS chance, CAST(NULL AS DOUBLE) AS mean_hit,
    CAST(NULL AS DOUBLE) AS none_yet, CAST(NULL AS DOUBLE) AS met
FROM ideal
JOIN queries ON queries.query_id = ideal.query_id
LEFT JOIN judged_queries ON judged_queries.query_id = ideal.query_id
LEFT JOIN returned_counts ON returned_counts.system = queries.system AND returned_counts.query_id = queries.query_id
UNION ALL
SELECT
    queries.system, queries.query_id, found.item, found.rank AS place, found.relevance,
    CAST(NULL AS BIGINT) AS ideal_rank, judged_queries.m,
    coalesce($catalog_size, returned_counts.n_returned) AS n_returned,
    CASE
        WHEN $catalog_size IS NULL THEN found.rank
        ELSE CAST(1 + floor(($catalog_size - 1) * (found.rank - 1)
            / greatest(returned_counts.n_returned - 1e0, 1e0)) AS BIGINT)
    END AS rank,
    found.hit, found.returned_ideal_rank,
    CAST(NULL AS BIGINT) AS tie_rank, CAST(NULL AS DOUBLE) AS chance, CAST(NULL AS DOUBLE) AS mean_hit,
    CAST(NULL AS DOUBLE) AS none_yet, CAST(NULL AS DOUBLE) AS met
FROM found
JOIN queries ON queries.system = found.system AND queries.query_id = found.query_id
LEFT JOIN judged_queries ON judged_queries.query_id = found.query_id
LEFT JOIN returned_counts
    ON returned_counts.system = found.system AND returned_counts.query_id = found.query_id
UNION ALL
SELECT
    system, query_id, NULL AS item, CAST(NULL AS BIGINT) AS place, CAST(NULL AS DOUBLE) AS relevance,
    CAST(NULL AS BIGINT) AS ideal_rank, m, n_returned, CAST(NULL AS BIGINT) AS rank, CAST(NULL AS BIGINT) AS hit,
    CAST(NULL AS BIGINT) AS returned_ideal_rank, rank AS tie_rank, chance, mean_hit, none_yet, met
FROM tie_places
WHERE $ties = 'expected';
