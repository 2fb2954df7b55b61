-- name:     ranked
-- title:    Returned items in the order the user sees them
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   depth INTEGER DEFAULT NULL CHECK (depth > 0),
--           by_rank BOOLEAN DEFAULT FALSE
-- grain:    system, query_id, item_id
-- note:     equal scores are put in order by the switch ties; rank is total; the usual order stands by itself,
--           because a key that is the same in every row is sorted by all the same; by_rank: the score is the negative
--           of a rank, which is taken as it is, so that a hole is an unjudged item; unjudged=skip takes items away
--           and closes the holes
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
    -- What is no rank is refused; the cast must not stumble over it before.
    CASE WHEN score BETWEEN -9e15 AND -1 THEN CAST(floor(-score) AS BIGINT) END AS rank
FROM contenders
WHERE $by_rank AND $unjudged = 'nonrelevant' AND ($depth IS NULL OR score >= -$depth);
