-- name:     candidates
-- title:    Predicted items that take part in the ranking
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   by_rank BOOLEAN DEFAULT FALSE
-- switches: ties VARCHAR DEFAULT 'item_asc'
--               CHECK (ties IN ('item_asc', 'item_desc', 'item_asc_text', 'item_desc_text', 'pessimistic',
--               'optimistic', 'input')),
--           scores VARCHAR DEFAULT 'double' CHECK (scores IN ('double', 'float32')),
--           unjudged VARCHAR DEFAULT 'nonrelevant' CHECK (unjudged IN ('nonrelevant', 'skip'))
-- values:   ties=item_asc: equal scores are sorted by item id, ascending
--           ties=item_desc: equal scores are sorted by item id, descending
--           ties=item_asc_text: equal scores are sorted by id as text, ascending
--           ties=item_desc_text: equal scores are sorted by id as text, descending
--           ties=pessimistic: of equal scores, the lowest grades come first
--           ties=optimistic: of equal scores, the highest grades come first
--           ties=input: equal scores keep the order of the input
--           scores=double: scores are compared as 64-bit numbers
--           scores=float32: scores are rounded to 32 bits, and may tie
--           unjudged=nonrelevant: an unjudged item is not relevant
--           unjudged=skip: an unjudged item is removed from the ranking
-- facts:    positions WHEN ties = 'input';
--           ordered WHEN ties NOT IN ('expected', 'pessimistic', 'optimistic')
-- idle:     unjudged WHEN labels = 'returned'
-- grain:    system, query_id, item_id
-- note:     the grade is looked up only if the order depends on it; float32 overflows to infinity as in C; a rank is
--           a whole number, not a score
WITH scored AS (
    SELECT
        system,
        query_id,
        item_id,
        position,
        CASE
            WHEN $scores = 'double' OR $by_rank THEN predictions.score
            WHEN abs(predictions.score) < 340282356779733661637539395458142568448e0
                THEN CAST(predictions.score AS FLOAT)
            WHEN predictions.score > 0 THEN CAST('Infinity' AS FLOAT)
            ELSE CAST('-Infinity' AS FLOAT)
        END AS score
    FROM predictions
),
offered AS (
    SELECT system, query_id, item_id, position, score
    FROM scored
    WHERE $duplicates <> 'first'
    UNION ALL
    SELECT system, query_id, item_id, position, score
    FROM scored
    WHERE $duplicates = 'first'
    QUALIFY row_number() OVER (PARTITION BY system, query_id, item_id ORDER BY score DESC, position) = 1
)
SELECT system, query_id, item_id, position, score, 0 AS relevance
FROM offered
WHERE $ties NOT IN ('pessimistic', 'optimistic') AND $unjudged = 'nonrelevant'
UNION ALL
SELECT
    offered.system,
    offered.query_id,
    offered.item_id,
    offered.position,
    offered.score,
    -- An unjudged item ranks below a judged one of grade 0, as in `judged`.
    coalesce(judgments.relevance, -1) AS relevance
FROM offered
LEFT JOIN judgments ON judgments.query_id = offered.query_id AND judgments.item_id = offered.item_id
WHERE ($ties IN ('pessimistic', 'optimistic') OR $unjudged = 'skip')
    AND ($unjudged = 'nonrelevant' OR judgments.relevance IS NOT NULL);
