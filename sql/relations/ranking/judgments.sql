-- name:     judgments
-- title:    Judged items, each with its grade
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance)
-- switches: labels VARCHAR DEFAULT 'truth' CHECK (labels IN ('truth', 'returned')),
--           duplicates VARCHAR DEFAULT 'error' CHECK (duplicates IN ('error', 'first', 'count')),
--           negative_grade VARCHAR DEFAULT 'error' CHECK (negative_grade IN ('error', 'zero')),
--           null_relevance VARCHAR DEFAULT 'error' CHECK (null_relevance IN ('error', 'zero'))
-- values:   labels=truth: the relevant items are those of the truth
--           labels=returned: relevant items that were not returned are ignored
--           duplicates=error: an item that occurs twice for a query is an error
--           duplicates=first: the highest score and grade of repeated items count
--           duplicates=count: every copy of an item counts as a separate item
--           negative_grade=error: a grade below 0 is an error
--           negative_grade=zero: a grade below 0 counts as 0
--           null_relevance=error: a judgment without a grade is an error
--           null_relevance=zero: a judgment without a grade counts as grade 0
-- facts:    copied WHEN duplicates = 'count'
-- grain:    query_id, item_id
-- note:     duplicates=first keeps the highest grade of a pair; duplicates=count keeps every row; labels=returned
--           leaves out items that were not returned, as tools that read one table of rows do; returned items without
--           a judgment have grade 0
WITH labeled_pairs AS (
    SELECT query_id, item_id, relevance
    FROM truth
    WHERE $labels = 'truth'
    UNION ALL
    SELECT predictions.query_id, predictions.item_id, coalesce(truth.relevance, 0) AS relevance
    FROM predictions
    LEFT JOIN truth ON truth.query_id = predictions.query_id AND truth.item_id = predictions.item_id
    WHERE $labels = 'returned'
),
graded AS (
    SELECT
        query_id,
        item_id,
        CASE
            WHEN $null_relevance = 'zero' AND labeled_pairs.relevance IS NULL THEN 0
            WHEN $negative_grade = 'zero' AND labeled_pairs.relevance < 0 THEN 0
            ELSE labeled_pairs.relevance
        END AS relevance
    FROM labeled_pairs
)
SELECT query_id, item_id, relevance
FROM graded
WHERE $duplicates <> 'first'
UNION ALL
SELECT query_id, item_id, relevance
FROM graded
WHERE $duplicates = 'first'
QUALIFY row_number() OVER (PARTITION BY query_id, item_id ORDER BY coalesce(relevance, 0) DESC) = 1;
