-- name:     quoted_columns
-- title:    Arguments with the same text in every row, which is the name of a column
-- params:   source VARCHAR
-- inputs:   predictions (segment, group_id)
-- note:     a column between quotes is a text, so that all rows are in one group, and the metric has a value
--           nevertheless. The types are known before the rows are read
SELECT
    name || ': every row has the text ''' || low
    || ''', the name of a column; write the column without quotes' AS problem
FROM (
    SELECT
        'group_id' AS name,
        min(CASE WHEN typeof(group_id) = 'VARCHAR' THEN CAST(group_id AS VARCHAR) END) AS low,
        max(CASE WHEN typeof(group_id) = 'VARCHAR' THEN CAST(group_id AS VARCHAR) END) AS high
    FROM predictions
    UNION ALL
    SELECT
        'per' AS name,
        min(CASE WHEN typeof(segment) = 'VARCHAR' THEN CAST(segment AS VARCHAR) END) AS low,
        max(CASE WHEN typeof(segment) = 'VARCHAR' THEN CAST(segment AS VARCHAR) END) AS high
    FROM predictions
) AS texts
CROSS JOIN (SELECT lower(typeof({'_0': *COLUMNS('.*')})) AS row_type FROM query($source) LIMIT 1) AS given
WHERE low = high
    AND (
        contains(row_type, '(' || lower(low) || ' ')
        OR contains(row_type, ', ' || lower(low) || ' ')
        OR contains(row_type, '"' || lower(low) || '" ')
    );
