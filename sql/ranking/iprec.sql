-- name:     iprec
-- alias:    iprec_at_recall
-- title:    Interpolated precision at a recall level
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   recall DOUBLE CHECK (recall >= 0 AND recall <= 1),
--           rounding VARCHAR DEFAULT 'up' CHECK (rounding IN ('up', 'nearest'))
-- values:   recall: the level of recall, from 0 to 1
--           rounding=up: the number of hits that the level needs is rounded up
--           rounding=nearest: the number of hits that the level needs is rounded to the nearest
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  max precision at any hit from the needed one on; needed = floor(recall * m + 0.9), nearest: + 0.5
-- source:   trec_eval m_iprec_at_recall.c: 9.0 rounds up, 10.0 to the nearest
-- oracle:   ir_measures IPrec@{recall}
-- example:  iprec(recall := 0.5) = 0.75
SELECT
    system,
    query_id,
    coalesce(
        max(CAST(hit AS DOUBLE) / rank) FILTER (
            WHERE hit >= floor($recall * m + CASE $rounding WHEN 'up' THEN 9e-1 ELSE 5e-1 END)
        ), 0
    ) AS value
FROM relevant
GROUP BY system, query_id;
