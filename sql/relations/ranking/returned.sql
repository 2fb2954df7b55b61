-- name:     returned
-- title:    Returned items of the population's queries with rank, tie group and judgment
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   by_rank BOOLEAN DEFAULT FALSE
-- grain:    system, query_id, item_id
-- note:     relevance is NULL for unjudged items; tie_first and tie_last are the first and the last rank of the equal
--           scores
SELECT
    ranked.system,
    ranked.query_id,
    ranked.item_id,
    ranked.rank,
    CASE
        WHEN $by_rank THEN ranked.rank
        ELSE min(ranked.rank) OVER (PARTITION BY ranked.system, ranked.query_id, ranked.score)
    END AS tie_first,
    CASE
        WHEN $by_rank THEN ranked.rank
        ELSE max(ranked.rank) OVER (PARTITION BY ranked.system, ranked.query_id, ranked.score)
    END AS tie_last,
    grades.relevance,
    coalesce(grades.is_relevant, FALSE) AS is_relevant,
    judged_queries.m,
    judged_queries.n_nonrelevant,
    returned_counts.n_returned
FROM ranked
JOIN queries ON queries.system = ranked.system AND queries.query_id = ranked.query_id
JOIN returned_counts
    ON returned_counts.system = ranked.system AND returned_counts.query_id = ranked.query_id
LEFT JOIN judged_queries ON judged_queries.query_id = ranked.query_id
LEFT JOIN grades ON grades.query_id = ranked.query_id AND grades.item_id = ranked.item_id;
