-- name:     unfit_sample
-- title:    queries without exactly one relevant item among 2 to catalog_size candidates
-- for:      relevant
-- severity: error
-- why:      the estimate of ranks assumes one relevant item and a uniform sample of the others
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   catalog_size INTEGER DEFAULT NULL
-- advice:   make each relevant item a query of its own with the items sampled for it, or give no size of the catalogue
WITH found AS (
    SELECT
        candidates.system,
        candidates.query_id,
        count(*) AS n_candidates,
        count(*) FILTER (WHERE grades.is_relevant) AS n_found
    FROM candidates
    LEFT JOIN grades ON grades.query_id = candidates.query_id AND grades.item_id = candidates.item_id
    GROUP BY candidates.system, candidates.query_id
)
SELECT
    queries.system,
    queries.query_id,
    judged_queries.m AS relevant,
    coalesce(found.n_found, 0) AS found,
    coalesce(returned_counts.n_returned, 0) AS candidates
FROM queries
JOIN judged_queries ON judged_queries.query_id = queries.query_id
LEFT JOIN returned_counts
    ON returned_counts.system = queries.system AND returned_counts.query_id = queries.query_id
LEFT JOIN found ON found.system = queries.system AND found.query_id = queries.query_id
WHERE $catalog_size IS NOT NULL
    AND NOT queries.missing
    AND judged_queries.m > 0
    AND NOT (
        judged_queries.m = 1
        AND coalesce(found.n_found, 0) = 1
        AND coalesce(returned_counts.n_returned, 0) BETWEEN 2 AND $catalog_size
        AND coalesce(found.n_candidates, 0) = returned_counts.n_returned  -- ranks without a gap
    );
