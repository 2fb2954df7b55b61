-- name:     source
-- title:    SQL text that reads what a table argument names
-- params:   source VARCHAR,
--           trec VARCHAR
-- formula:  SQL as it is; a name with a slash or a wildcard by the reader of its suffix, a folder as its Parquet files;
--           any other name as a table, view or CTE, or else a file that DuckDB knows by its suffix
-- note:     text files have the types that hold for all rows, not for the first 20,480; that takes a second pass.
--           trec is the text that reads TREC files, with {files} where their list goes. A name such as s.run may be a
--           table of a schema; a TREC file in the current folder is called ./s.run. A pattern takes DuckDB longer
--           than everything else, so that only a name that may be SQL is compared with a pattern
SELECT
    list_extract(list_transform(
        [{
            'name': CAST($source AS VARCHAR),
            'first': list_extract(listed($source), 1),
            'files': named(listed($source)),
            'suffix': rtrim(list_extract(string_split(
                replace(replace(lower(list_extract(listed($source), 1)) || '|', '.gz|', '|'), '.zst|', '|'), '.'
            ), -1), '|')
        }],
        lambda given: CASE
            WHEN starts_with(given['name'], 'sql:') THEN substr(given['name'], 5)
            WHEN regexp_matches(given['name'], CASE
                WHEN translate(given['name'], e' \t\r\n("''*', '') <> given['name']
                    THEN '(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*'
                        || '(\(|(select|from|with)[\s"''*(]|(values|pivot|unpivot|describe)\s)'
            END) THEN given['name']
            WHEN translate(given['first'], '/\*?', '') = given['first'] AND NOT starts_with(given['first'], 'file:')
                AND NOT ends_with(given['first'], '.gz') AND NOT ends_with(given['first'], '.zst')
                THEN 'FROM query_table(' || given['files'] || ')'
            WHEN given['suffix'] IN ('parquet', 'pq')
                THEN 'FROM read_parquet(' || given['files'] || ', union_by_name = true)'
            WHEN given['suffix'] IN ('csv', 'tsv')
                THEN 'FROM read_csv(' || given['files'] || ', sample_size = -1, union_by_name = true)'
            WHEN given['suffix'] IN ('json', 'jsonl', 'ndjson')
                THEN 'FROM read_json(' || given['files'] || ', sample_size = -1, union_by_name = true)'
            WHEN given['suffix'] IN ('run', 'trec', 'qrel', 'qrels', 'txt')
                THEN replace($trec, '{files}', given['files'])
            WHEN trim(given['suffix'], 'abcdefghijklmnopqrstuvwxyz') <> '' AND contains(given['first'], '/')
                AND translate(given['name'], '*?', '') = given['name']
                THEN 'FROM read_parquet(' || rtrim(left(given['files'], -2), '/')
                    || '/**/*.parquet''], union_by_name = true)'
            ELSE 'FROM ' || substr(given['files'], 2, length(given['files']) - 2)
        END
    ), 1) AS value;
