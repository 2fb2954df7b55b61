-- name:     observations
-- title:    Rows with a label and a score as the metrics read them
-- params:   source VARCHAR,
--           label DOUBLE,
--           score DOUBLE,
--           group_id VARCHAR DEFAULT NULL,
--           weight DOUBLE DEFAULT NULL,
--           per VARCHAR DEFAULT NULL,
--           by_name VARCHAR DEFAULT 'by name'
-- grain:    row
-- note:     label, score, group_id, weight and per are expressions over the columns of data; by_name has its default
--           unless an argument was passed without its name
SELECT
    '' AS system,
    $per AS segment,
    grade($label, 'the label') AS label,
    number($score, 'the score') AS score,
    exact_number($score) AS exact_score,
    CASE
        WHEN typeof($weight) <> '"NULL"' THEN number($weight, 'the weight')
        ELSE 1e0
    END AS weight,
    $group_id AS group_id,
    typeof($weight) <> '"NULL"' AS is_weighted
FROM query($source)
WHERE CASE
    WHEN $by_name IS NOT DISTINCT FROM 'by name' THEN TRUE
    ELSE error('duckmetrics: an optional argument was passed without its name; write weight := ..., or per := ...')
END;
