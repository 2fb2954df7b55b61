-- name:     findings
-- title:    Findings as rows, the worst first
-- inputs:   counted_findings (place, n, among, examples),
--           known_checks (place, severity, reported, of_table, of_column, title, one, advice, switch, value,
--           is_among, is_share, is_of_value, reads),
--           column_names (name, label),
--           problem_rows (severity, place, reported, of_table, of_column, what, advice, doubt, n, examples)
-- note:     a check that reads a doubtful column is left out; a check of a value is left out if there is an error
WITH doubts AS (
    SELECT coalesce(list(doubt) FILTER (WHERE doubt IS NOT NULL), []) AS columns
    FROM problem_rows
),
told AS (
    SELECT
        known.severity, known.reported, tables.label AS table_label, columns.label AS column_label,
        counted.n, counted.among, counted.examples, known.advice, known.switch, known.value, 0 AS step, known.place,
        known.is_of_value,
        tables.label || ': column ''' || columns.label || ''': ' || counted.n
            || CASE WHEN known.is_among THEN ' of ' || counted.among ELSE '' END
            || ' ' || CASE WHEN counted.n = 1 AND NOT known.is_among THEN known.one ELSE known.title END
            || CASE
                WHEN known.is_share AND counted.n >= counted.among THEN ', all of them'
                WHEN known.is_share THEN format(', {:.2g} of all', counted.n / CAST(counted.among AS DOUBLE))
                ELSE ''
            END AS what
    FROM counted_findings AS counted
    JOIN known_checks AS known ON known.place = counted.place
    JOIN column_names AS tables ON tables.name = known.of_table
    JOIN column_names AS columns ON columns.name = known.of_table || '.' || known.of_column
    CROSS JOIN doubts
    WHERE counted.n > 0 AND NOT list_has_any(known.reads, doubts.columns)
    UNION ALL
    SELECT
        problems.severity, problems.reported, tables.label AS table_label, problems.of_column AS column_label,
        problems.n, problems.n AS among, problems.examples, problems.advice, NULL AS switch, NULL AS value,
        CASE problems.severity WHEN 'error' THEN -1 ELSE 1 END AS step, problems.place,
        FALSE AS is_of_value, tables.label || ': ' || problems.what AS what
    FROM problem_rows AS problems
    JOIN column_names AS tables ON tables.name = problems.of_table
)
SELECT
    severity,
    reported AS "check",
    table_label AS "table",
    column_label AS "column",
    n AS count,
    among AS "of",
    coalesce(examples, []) AS examples,
    what
        || CASE WHEN array_to_string(examples, '') <> '' THEN ' (' || array_to_string(examples, '; ') || ')' ELSE '' END
        || CASE WHEN advice <> '' THEN '; ' || advice ELSE '' END AS message,
    advice,
    switch,
    value
FROM told
WHERE NOT is_of_value OR NOT EXISTS (SELECT 1 FROM told AS errors WHERE errors.severity = 'error')
ORDER BY list_position(['error', 'warning', 'note'], severity), step, place;
