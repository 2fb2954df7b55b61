-- name:     liked_categories
-- title:    Categories of a user's history with their share in the history and in each list
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id), item_categories (item_id, category)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- values:   k: as in ranking/recall
--           discount: as in categorized
--           patience: as in categorized
-- grain:    system, query_id, category
-- note:     a list without categories has no row, and neither has the query of a user without them
WITH weighed AS (
    SELECT system, query_id, sum(weight) AS total
    FROM list_categories
    WHERE category IS NOT NULL
    GROUP BY system, query_id
)
SELECT
    weighed.system,
    weighed.query_id,
    user_categories.category,
    user_categories.share AS liked,
    coalesce(list_categories.weight, 0) / weighed.total AS shown
FROM weighed
JOIN user_categories ON user_categories.query_id = weighed.query_id
LEFT JOIN list_categories
    ON list_categories.system = weighed.system AND list_categories.query_id = weighed.query_id
    AND list_categories.category = user_categories.category;
