-- name:     ranked
-- title:    Returned items in the order the user sees them
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   depth INTEGER DEFAULT NULL CHECK (depth > 0),
--           by_rank BOOLEAN DEFAULT FALSE
-- grain:    system, query_id, item_id
-- note:     the switch ties orders equal scores; no two items have the same rank; the usual order has a branch of its
--           own, because a key that is constant is sorted, too; by_rank: the score is the negative of a rank and is
--           used as it is, so that a missing rank is an unjudged item; unjudged=skip removes items and closes the
--           gaps
SELECT
    system,
    query_id,
    item_id,
    score,
    row_number() OVER (PARTITION BY system, query_id ORDER BY score DESC, item_id) AS rank
FROM contenders
WHERE $ties IN ('item_asc', 'expected') AND NOT ($by_rank AND $unjudged = 'nonrelevant')
QUALIFY $depth IS NULL OR rank <= $depth
UNION ALL
SELECT
    system,
    query_id,
    item_id,
    score,
    row_number() OVER (
        PARTITION BY system, query_id
        ORDER BY
            score DESC,
            CASE $ties WHEN 'pessimistic' THEN relevance WHEN 'optimistic' THEN -relevance END,
            CASE $ties WHEN 'input' THEN position END,
            CASE $ties WHEN 'item_asc_text' THEN CAST(item_id AS VARCHAR) END,
            CASE $ties WHEN 'item_desc_text' THEN CAST(item_id AS VARCHAR) END DESC,
            CASE $ties WHEN 'item_desc' THEN item_id END DESC,
            item_id
    ) AS rank
FROM contenders
WHERE $ties NOT IN ('item_asc', 'expected') AND NOT ($by_rank AND $unjudged = 'nonrelevant')
QUALIFY $depth IS NULL OR rank <= $depth
UNION ALL
SELECT
    system,
    query_id,
    item_id,
    score,
    -- A check refuses invalid ranks; the cast must not fail before it.
    CASE WHEN score BETWEEN -9e15 AND -1 THEN CAST(floor(-score) AS BIGINT) END AS rank
FROM contenders
WHERE $by_rank AND $unjudged = 'nonrelevant' AND ($depth IS NULL OR score >= -$depth);
