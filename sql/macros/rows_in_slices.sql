-- name:     rows_in_slices
-- title:    SQL text of rows, each with its slice: among all rows and in its own slice, of its system
-- params:   source VARCHAR,
--           system VARCHAR,
--           cluster VARCHAR,
--           names VARCHAR,
--           label VARCHAR
-- note:     names are the columns by which results are split, and label is their text. cluster is the column of the
--           units, empty if it is missing, NULL if there are none. A missing column has the type "NULL", which is known
--           before the rows are read
SELECT
    'SELECT *, {''slice'': _duckmetrics_label, ''system'': '
    || CASE
        WHEN $system IS NULL THEN ''''''
        ELSE 'CASE WHEN _duckmetrics_system_type = ''"NULL"'' THEN error(''duckmetrics: data: no column '''''
            || replace($system, '''', '''''')
            || '''''; name it with system := ...'') WHEN _duckmetrics_system IS NULL THEN error('
            || '''duckmetrics: predictions.system: rows with no system; drop these rows or give them a name'')'
            || ' ELSE CAST(_duckmetrics_system AS VARCHAR) END'
    END
    || ', ''attributes'': '
    || CASE
        WHEN coalesce($label, '') = '' THEN 'NULL'
        ELSE 'CASE WHEN _duckmetrics_label <> '''' THEN {' || array_to_string(list_transform($names, lambda name, place:
            '''' || replace(name, '''', '''''') || ''': CASE WHEN _duckmetrics_type_' || CAST(place AS VARCHAR)
            || ' = ''"NULL"'' THEN error(''duckmetrics: by: data has no column ''''' || replace(name, '''', '''''')
            || '''''; name columns of the data'
            || CASE WHEN $cluster IS NULL THEN ', or slice by an expression with per := ...' ELSE '' END
            || ''') ELSE _duckmetrics_'
            || CAST(place AS VARCHAR) || ' END'), ', ') || '} END'
    END
    || CASE
        WHEN $cluster IS NULL THEN ''
        WHEN $cluster = '' THEN ', ''unit'': NULL'
        ELSE ', ''unit'': CASE WHEN _duckmetrics_unit_type = ''"NULL"'' THEN error(''duckmetrics: data: no column '''''
            || replace($cluster, '''', '''''') || '''''; name it with cluster := ...'') ELSE _duckmetrics_unit END'
    END
    || '} AS _duckmetrics_slice FROM (SELECT *'
    || coalesce(array_to_string(list_transform($names, lambda name, place:
        ', coalesce(*COLUMNS(''' || replace(one_of(name), '''', '''''') || ''')) AS _duckmetrics_'
        || CAST(place AS VARCHAR)
        || ', typeof(coalesce(*COLUMNS(''' || replace(one_of(name), '''', '''''') || '''))) AS _duckmetrics_type_'
        || CAST(place AS VARCHAR)), ''), '')
    || CASE
        WHEN $system IS NULL THEN ''
        ELSE ', coalesce(*COLUMNS(''' || replace(one_of($system), '''', '''''')
            || ''')) AS _duckmetrics_system, typeof(coalesce(*COLUMNS('''
            || replace(one_of($system), '''', '''''') || '''))) AS _duckmetrics_system_type'
    END
    || CASE
        WHEN $cluster IS NULL THEN ''
        ELSE ', coalesce(*COLUMNS(''' || replace(one_of($cluster), '''', '''''')
            || ''')) AS _duckmetrics_unit, typeof(coalesce(*COLUMNS('''
            || replace(one_of($cluster), '''', '''''') || '''))) AS _duckmetrics_unit_type'
    END
    || ' FROM (SELECT *, NULL AS _duckmetrics_none FROM query(' || quoted($source) || ')) AS given) AS named, '
    || '(VALUES ('''')' || CASE WHEN coalesce($label, '') = '' THEN '' ELSE ', (' || quoted($label) || ')' END
    || ') AS labels(_duckmetrics_label)' AS value;
