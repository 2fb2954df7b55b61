-- name:     one_system
-- title:    Comparison of a single system
-- inputs:   contestants (name)
SELECT min(name) || ' is the only system; give a second one' AS problem
FROM contestants
HAVING count(*) = 1;
