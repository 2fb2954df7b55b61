-- name:     iprec
-- alias:    iprec_at_recall
-- title:    Interpolated precision at a recall level
-- group:    Accuracy
-- meaning:  Interpolated precision is the best precision that a ranking reaches at a level of recall or deeper.
-- use:      to draw precision over recall, one point per level, or to compare systems at a fixed recall
-- beware:   a query with few relevant items has the same value at neighboring levels; tools round the needed number
--           of hits differently
-- reading:  1: the ranking reaches the level with relevant items only
--           0.5: from the level on, at most half of the items down to any hit are relevant
--           0: the ranking does not reach the level, or has no relevant item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   recall DOUBLE CHECK (recall >= 0 AND recall <= 1),
--           rounding VARCHAR DEFAULT 'up' CHECK (rounding IN ('up', 'nearest'))
-- values:   recall: the level of recall, from 0 to 1
--           rounding=up: the level needs floor(recall * m + 0.9) hits, m relevant items
--           rounding=nearest: the level needs floor(recall * m + 0.5) hits, m relevant items
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  the largest precision at hit number c or a later hit, c = floor(recall * m + 0.9); rounding=nearest: +
--           0.5
-- tex:      \mathrm{IPrec}(\rho) = \max_{j \ge c} \frac{j}{i_j} \qquad c = \lfloor \rho \cdot m + 0.9 \rfloor
-- symbols:  \rho: the level of recall
--           j: a number of hits
--           i_j: the rank of the j-th hit
--           c: the number of hits that the level needs; rounding=nearest adds 0.5 in place of 0.9
--           m: the number of relevant items in the truth
-- source:   trec_eval m_iprec_at_recall.c: 9.0 rounds up, 10.0 to the nearest
-- oracle:   ir_measures IPrec@{recall}
-- example:  iprec(recall := 0.5) = 0.75
-- worked:   q1: greatest(1 / 1, 2 / 3) = 1
--           q2: greatest(1 / 2) = 0.5
-- related:  average_precision, precision, recall, r_precision
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
