-- name:     judged_recommended
-- title:    Returned items with their popularity and whether they are relevant
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           relevance VARCHAR DEFAULT 'truth' CHECK (relevance IN ('truth', 'none'))
-- values:   popularity: as in item_popularity
--           relevance=truth: only the relevant items of the truth have a gain
--           relevance=none: every item has a gain, and no truth is needed
-- grain:    system, query_id, item_id
-- note:     relevant is 1 or 0; the other columns are as in recommended
SELECT
    recommended.system,
    recommended.query_id,
    recommended.item_id,
    recommended.rank,
    recommended.popularity,
    recommended.popularity_place,
    recommended.smallest,
    recommended.total,
    1 AS relevant
FROM recommended
WHERE $relevance = 'none'
UNION ALL
SELECT
    recommended.system,
    recommended.query_id,
    recommended.item_id,
    recommended.rank,
    recommended.popularity,
    recommended.popularity_place,
    recommended.smallest,
    recommended.total,
    coalesce(graded_items.relevant, 0) AS relevant
FROM recommended
LEFT JOIN graded_items
    ON graded_items.query_id = recommended.query_id AND graded_items.item_id = recommended.item_id
WHERE $relevance = 'truth';
