-- name:     observations
-- title:    Rows with a label and a score as the metrics read them
-- params:   data VARCHAR,
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
    CASE
        WHEN NOT regexp_full_match(
            typeof($label), '"NULL"|BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE'
        ) THEN error('duckmetrics: the label is ' || typeof($label) || ', not a number; cast it, or compare it')
        ELSE CAST($label AS DOUBLE)
    END AS label,
    CASE
        WHEN NOT regexp_full_match(
            typeof($score), '"NULL"|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE'
        ) THEN error('duckmetrics: the score is ' || typeof($score) || ', not a number; cast it to DOUBLE')
        ELSE CAST($score AS DOUBLE)
    END AS score,
    CASE WHEN typeof($weight) = '"NULL"' THEN 1e0 ELSE CAST($weight AS DOUBLE) END AS weight,
    $group_id AS group_id
FROM query($source);
