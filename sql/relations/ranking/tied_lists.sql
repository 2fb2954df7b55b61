-- name:     tied_lists
-- title:    Lists in which the order of equal scores can change a value
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   any_items BOOLEAN DEFAULT FALSE
-- values:   any_items: whether items of the same grade differ, as in a file of the user
-- grain:    system, query_id
-- note:     an unjudged item differs from one of grade 0
SELECT DISTINCT system, query_id
FROM (
    SELECT contenders.system, contenders.query_id
    FROM contenders
    JOIN queries ON queries.system = contenders.system AND queries.query_id = contenders.query_id
    LEFT JOIN judgments
        ON judgments.query_id = contenders.query_id AND judgments.item_id = contenders.item_id
    GROUP BY contenders.system, contenders.query_id, contenders.score
    HAVING CASE WHEN $any_items THEN count(*) > 1
        ELSE min(coalesce(judgments.relevance, -1)) < max(coalesce(judgments.relevance, -1)) END
) AS tied;
