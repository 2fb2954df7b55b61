-- name:     unasked_weight
-- title:    Column of weights that no argument names, with the columns of problem_rows
-- inputs:   predicted_types (found)
-- params:   of_table VARCHAR, severity VARCHAR, family VARCHAR, what VARCHAR, advice VARCHAR
SELECT
    $severity AS severity,
    2 AS place,
    'unasked_column' AS reported,
    $of_table AS of_table,
    name AS of_column,
    'column ''' || name || ''': ' || $what AS what,
    $advice AS advice,
    NULL AS doubt,
    0 AS n,
    [] AS examples
FROM (SELECT weight_column(found, $family) AS name FROM predicted_types) AS found
WHERE name <> '';
