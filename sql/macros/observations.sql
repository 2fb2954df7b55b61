-- name:     observations
-- title:    Rows with a label and a score as the metrics read them
-- params:   source VARCHAR,
--           label DOUBLE,
--           score DOUBLE,
--           group_id VARCHAR DEFAULT NULL,
--           weight DOUBLE DEFAULT NULL,
--           per VARCHAR DEFAULT NULL,
--           by_name VARCHAR DEFAULT 'by name',
--           takes_weight BOOLEAN DEFAULT TRUE,
--           what VARCHAR,
--           advice VARCHAR
-- grain:    row
-- note:     label, score, group_id, weight and per are expressions over the columns of data; by_name has its default
--           unless an argument was passed without its name; the alias of a literal is its text, and a number is no
--           expression to split rows by, but an argument without its name; takes_weight: whether a metric has a
--           weighted form
SELECT
    '' AS system,
    $per AS segment,
    unquoted(
        $label, 'the label', 'if it is the name of a column, write it without quotes', grade($label, 'the label')
    ) AS label,
    unquoted(
        $score, 'the score', 'if it is the name of a column, write it without quotes', number($score, 'the score')
    ) AS score,
    exact_number($score) AS exact_score,
    CASE
        WHEN typeof($weight) <> '"NULL"' THEN number($weight, 'the weight')
        ELSE 1e0
    END AS weight,
    $group_id AS group_id,
    typeof($weight) <> '"NULL"' AS is_weighted
FROM (
    SELECT *, struct_pack(*COLUMNS('(?i)^(_duckmetrics_none|weight)$')) AS "_duckmetrics_named"
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
) AS given
WHERE CASE
    WHEN $by_name IS NOT DISTINCT FROM 'by name' AND TRY_CAST(concat('', alias($per)) AS DOUBLE) IS NULL THEN TRUE
    ELSE error('duckmetrics: an optional argument was passed without its name; write weight := ..., or per := ...')
END
AND CASE
    WHEN typeof($weight) <> '"NULL"' OR NOT $takes_weight THEN TRUE
    WHEN weight_column(typeof("_duckmetrics_named"), 'classification') = '' THEN TRUE
    ELSE error(
        'duckmetrics: predictions: column '''
        || weight_column(typeof("_duckmetrics_named"), 'classification')
        || ''': ' || $what || '; ' || $advice
    )
END;
