-- name:     bad_explanation
-- title:    Neither a query nor a grouping to explain, or both
-- params:   query VARCHAR DEFAULT NULL,
--           by VARCHAR DEFAULT NULL,
--           choices VARCHAR
-- note:     choices are the groupings, joined by or
SELECT 'explain takes either query := or by :=; give one, such as by := ''grade''' AS problem
WHERE ($query IS NULL) = ($by IS NULL)
UNION ALL
SELECT 'by cannot be ''' || $by || '''; choose ' || $choices AS problem
WHERE NOT list_contains(string_split($choices, ' or '), $by);
