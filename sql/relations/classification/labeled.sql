-- name:     labeled
-- title:    Rows with their class, 1 or 0
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   per VARCHAR DEFAULT 'segment' CHECK (per IN ('segment', 'group'))
-- switches: weighted BOOLEAN DEFAULT NULL
-- values:   per=segment: all rows of a segment are evaluated together
--           per=group: the rows of each group are evaluated separately
--           weighted: whether rows count by their weight; by default if they have one
-- grain:    row
-- note:     a check has confirmed that labels are 0 and 1, or -1 and 1; by default, weighted is true if the
--           predictions have a weight
SELECT
    system,
    segment,
    CASE $per WHEN 'group' THEN group_id END AS group_id,
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS label,
    score,
    CASE WHEN $weighted THEN weight ELSE 1e0 END AS weight
FROM predictions
WHERE NOT $weighted OR weight > 0;
