-- name:     reference_ranked
-- title:    Items of the reference run in the order of its users
-- inputs:   predictions (query_id, item_id), truth (query_id, item_id, relevance), reference (query_id, item_id, score)
-- grain:    query_id, item_id
-- note:     equal scores are ordered as in ranked; with ties=input by item id, as the run has no other order; ranks
--           follow each other without a gap; unjudged=skip removes items here, too
SELECT
    query_id,
    item_id,
    row_number() OVER (PARTITION BY query_id ORDER BY score DESC, item_id) AS rank
FROM reference
WHERE $ties IN ('item_asc', 'expected', 'input') AND $unjudged = 'nonrelevant'
UNION ALL
SELECT
    query_id,
    item_id,
    row_number() OVER (
        PARTITION BY query_id
        ORDER BY
            score DESC,
            CASE $ties WHEN 'item_asc_text' THEN CAST(item_id AS VARCHAR) END,
            CASE $ties WHEN 'item_desc_text' THEN CAST(item_id AS VARCHAR) END DESC,
            CASE $ties WHEN 'item_desc' THEN item_id END DESC,
            item_id
    ) AS rank
FROM reference
WHERE $ties IN ('item_desc', 'item_asc_text', 'item_desc_text') AND $unjudged = 'nonrelevant'
UNION ALL
SELECT
    reference.query_id,
    reference.item_id,
    row_number() OVER (
        PARTITION BY reference.query_id
        ORDER BY
            reference.score DESC,
            CASE $ties
                WHEN 'pessimistic' THEN coalesce(judgments.relevance, -1)
                WHEN 'optimistic' THEN -coalesce(judgments.relevance, -1)
            END,
            CASE $ties WHEN 'item_asc_text' THEN CAST(reference.item_id AS VARCHAR) END,
            CASE $ties WHEN 'item_desc_text' THEN CAST(reference.item_id AS VARCHAR) END DESC,
            CASE $ties WHEN 'item_desc' THEN reference.item_id END DESC,
            reference.item_id
    ) AS rank
FROM reference
LEFT JOIN judgments ON judgments.query_id = reference.query_id AND judgments.item_id = reference.item_id
WHERE ($ties IN ('pessimistic', 'optimistic') OR $unjudged = 'skip')
    AND ($unjudged = 'nonrelevant' OR judgments.relevance IS NOT NULL);
