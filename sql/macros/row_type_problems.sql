-- name:     row_type_problems
-- title:    Problems of the table and the columns of rows as a whole
-- inputs:   predictions (label), row_types (label_type, score_type, weight_type, group_type, found)
-- params:   label VARCHAR,
--           score VARCHAR,
--           group_id VARCHAR DEFAULT NULL,
--           weight VARCHAR DEFAULT NULL,
--           is_grouped BOOLEAN DEFAULT FALSE
-- note:     doubt is a column that checks of the rows cannot rely on; examples is the column of the examples;
--           is_grouped: whether a metric that is asked for needs a group
WITH known AS (
    SELECT label_type, score_type, weight_type, group_type, found, (SELECT count(*) FROM predictions) AS n
    FROM row_types
),
listed AS (
    SELECT
        n,
        unnest([
            {'place': 1, 'reported': 'no_rows', 'of_column': '*', 'what': 'no rows',
                'advice': 'check how it was exported', 'doubt': 'predictions.*', 'examples': '', 'is_found': n = 0},
            {'place': 2, 'reported': 'missing_column', 'of_column': 'label',
                'what': 'no column ''' || $label || '''; found ' || found,
                'advice': 'pass the column of the labels as label',
                'doubt': 'predictions.label', 'examples': '', 'is_found': label_type = '"NULL"'},
            {'place': 3, 'reported': 'label_type', 'of_column': $label,
                'what': 'column ''' || $label || ''' is ' || label_type || ', not a number',
                'advice': 'compare it, such as with label := ''' || $label || ' = ...''',
                'doubt': 'predictions.label', 'examples': 'predictions.label',
                'is_found': NOT is_number(label_type) AND label_type <> 'BOOLEAN'},
            {'place': 4, 'reported': 'missing_column', 'of_column': 'score',
                'what': 'no column ''' || $score || '''; found ' || found,
                'advice': 'pass the column of the scores as score',
                'doubt': 'predictions.score', 'examples': '', 'is_found': score_type = '"NULL"'},
            {'place': 5, 'reported': 'score_type', 'of_column': $score,
                'what': 'column ''' || $score || ''' is ' || score_type || ', not a number',
                'advice': 'cast it, as in CAST(' || $score || ' AS DOUBLE)',
                'doubt': 'predictions.score', 'examples': 'predictions.score', 'is_found': NOT is_number(score_type)},
            {'place': 6, 'reported': 'missing_column', 'of_column': 'weight',
                'what': 'no column ''' || $weight || '''; found ' || found,
                'advice': 'leave weight out, or pass the column of the weights',
                'doubt': 'predictions.weight', 'examples': '',
                'is_found': $weight IS NOT NULL AND weight_type = '"NULL"'},
            {'place': 7, 'reported': 'weight_type', 'of_column': $weight,
                'what': 'column ''' || $weight || ''' is ' || weight_type || ', not a number',
                'advice': 'cast it, as in CAST(' || $weight || ' AS DOUBLE)',
                'doubt': 'predictions.weight', 'examples': 'predictions.weight',
                'is_found': NOT is_number(weight_type)},
            {'place': 8, 'reported': 'missing_column', 'of_column': 'group_id',
                'what': 'no column ''' || coalesce($group_id, 'group_id') || '''; found ' || found,
                'advice': 'pass the column of the groups, group_id := ''...''',
                'doubt': 'predictions.group_id', 'examples': '',
                'is_found': group_type = '"NULL"' AND ($is_grouped OR $group_id IS NOT NULL)},
            {'place': 9, 'reported': 'id_type', 'of_column': $group_id,
                'what': 'column ''' || $group_id || ''' is ' || group_type || ', not an id',
                'advice': 'cast it to BIGINT or VARCHAR', 'doubt': NULL, 'examples': 'predictions.group_id',
                'is_found': NOT is_id(group_type) AND $is_grouped}
        ]) AS problem
    FROM known
)
SELECT
    problem['place'] AS place,
    problem['reported'] AS reported,
    'predictions' AS of_table,
    problem['of_column'] AS of_column,
    problem['what'] AS what,
    problem['advice'] AS advice,
    problem['doubt'] AS doubt,
    problem['examples'] AS examples,
    n
FROM listed
WHERE problem['is_found'];
