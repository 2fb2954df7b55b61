-- name:     observations
-- title:    Rows with a label and a score as the metrics read them
-- params:   source VARCHAR,
--           label DOUBLE,
--           score DOUBLE,
--           group_id VARCHAR DEFAULT NULL,
--           weight DOUBLE DEFAULT NULL,
--           per VARCHAR DEFAULT NULL
-- grain:    row
-- note:     label, score, group_id, weight and per are expressions over the columns of data
SELECT
    '' AS system,
    $per AS segment,
    grade($label, 'the label') AS label,
    number($score, 'the score') AS score,
    CASE WHEN typeof($weight) = '"NULL"' THEN 1e0 ELSE number($weight, 'the weight') END AS weight,
    $group_id AS group_id
FROM query($source);
