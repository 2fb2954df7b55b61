-- name:     reference_ranked
-- title:    Items of the reference run in the order its users see them
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance), reference (query_id, item_id, score)
-- switches: ties VARCHAR DEFAULT 'item_asc'
--               CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text', 'pessimistic',
--               'optimistic', 'input')),
--           scores VARCHAR DEFAULT 'double' CHECK (scores IN ('double', 'float32')),
--           unjudged VARCHAR DEFAULT 'nonrelevant' CHECK (unjudged IN ('nonrelevant', 'skip'))
-- values:   ties: as in candidates
--           scores: as in candidates
--           unjudged: as in candidates
-- grain:    query_id, item_id
-- note:     the switches order equal scores as in ranked, so that a run equals itself; with ties=input equal scores are
--           ordered by item id, because the reference run has no other order; ranks have no gaps; of a repeated item,
--           the highest score counts
WITH scored AS (
    SELECT
        query_id,
        item_id,
        CASE
            WHEN $scores = 'double' THEN reference.score
            WHEN abs(reference.score) < 340282356779733661637539395458142568448e0 THEN CAST(reference.score AS FLOAT)
            WHEN reference.score > 0 THEN CAST('Infinity' AS FLOAT)
            ELSE CAST('-Infinity' AS FLOAT)
        END AS score
    FROM reference
),
offered AS (
    SELECT query_id, item_id, score
    FROM scored
    WHERE $duplicates = 'error'
    UNION ALL
    SELECT query_id, item_id, max(score) AS score
    FROM scored
    WHERE $duplicates <> 'error'
    GROUP BY query_id, item_id
),
graded AS (
    SELECT query_id, item_id, score, 0 AS relevance
    FROM offered
    WHERE $ties NOT IN ('pessimistic', 'optimistic') AND $unjudged = 'nonrelevant'
    UNION ALL
    SELECT offered.query_id, offered.item_id, offered.score, coalesce(judgments.relevance, -1) AS relevance
    FROM offered
    LEFT JOIN judgments ON judgments.query_id = offered.query_id AND judgments.item_id = offered.item_id
    WHERE ($ties IN ('pessimistic', 'optimistic') OR $unjudged = 'skip')
        AND ($unjudged = 'nonrelevant' OR judgments.relevance IS NOT NULL)
)
SELECT query_id, item_id, row_number() OVER (PARTITION BY query_id ORDER BY score DESC, item_id) AS rank
FROM graded
WHERE $ties IN ('item_asc', 'expected', 'input')
UNION ALL
SELECT
    query_id,
    item_id,
    row_number() OVER (
        PARTITION BY query_id
        ORDER BY
            score DESC,
            CASE $ties WHEN 'pessimistic' THEN relevance WHEN 'optimistic' THEN -relevance END,
            CASE $ties WHEN 'item_asc_text' THEN CAST(item_id AS VARCHAR) END,
            CASE $ties WHEN 'item_desc_text' THEN CAST(item_id AS VARCHAR) END DESC,
            CASE $ties WHEN 'item_desc' THEN item_id END DESC,
            item_id
    ) AS rank
FROM graded
WHERE $ties NOT IN ('item_asc', 'expected', 'input');
