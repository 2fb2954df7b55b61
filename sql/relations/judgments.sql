-- name:     judgments
-- title:    Judged items, each with its grade
-- inputs:   truth (query_id, item_id, relevance)
-- switches: duplicates VARCHAR DEFAULT 'error' CHECK (duplicates IN ('error', 'first', 'count')),
--           negative_grade VARCHAR DEFAULT 'error' CHECK (negative_grade IN ('error', 'zero')),
--           null_relevance VARCHAR DEFAULT 'error' CHECK (null_relevance IN ('error', 'zero'))
-- grain:    query_id, item_id
-- note:     duplicates=first keeps the highest grade of a pair; =count keeps every row
WITH graded AS (
    SELECT
        query_id,
        item_id,
        CASE
            WHEN $null_relevance = 'zero' AND truth.relevance IS NULL THEN 0
            WHEN $negative_grade = 'zero' AND truth.relevance < 0 THEN 0
            ELSE truth.relevance
        END AS relevance
    FROM truth
)
SELECT query_id, item_id, relevance
FROM graded
WHERE $duplicates <> 'first'
UNION ALL
SELECT query_id, item_id, relevance
FROM graded
WHERE $duplicates = 'first'
QUALIFY row_number() OVER (PARTITION BY query_id, item_id ORDER BY coalesce(relevance, 0) DESC) = 1;
