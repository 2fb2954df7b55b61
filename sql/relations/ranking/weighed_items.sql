-- name:     weighed_items
-- title:    Relevant items with their weights, at their places in the ideal order and in the ranking
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- params:   propensity VARCHAR DEFAULT 'power' CHECK (propensity IN ('power', 'jain')),
--           exponent DOUBLE DEFAULT 2 CHECK (exponent >= 0 AND exponent <= 10)
-- values:   propensity: as in propensities
--           exponent: as in propensities
-- grain:    system, query_id, ideal_rank, rank
-- note:     every relevant item has a row with an ideal_rank, and another row with a rank if it was returned
WITH ideal AS (
    SELECT
        query_id,
        weight,
        row_number() OVER (PARTITION BY query_id ORDER BY weight DESC, item_id) AS ideal_rank
    FROM propensities
)
SELECT
    queries.system,
    queries.query_id,
    ideal.weight,
    ideal.ideal_rank,
    CAST(NULL AS BIGINT) AS rank
FROM ideal
JOIN queries ON queries.query_id = ideal.query_id
UNION ALL
SELECT
    ranked.system,
    ranked.query_id,
    propensities.weight,
    CAST(NULL AS BIGINT) AS ideal_rank,
    ranked.rank
FROM ranked
JOIN propensities ON propensities.query_id = ranked.query_id AND propensities.item_id = ranked.item_id;
