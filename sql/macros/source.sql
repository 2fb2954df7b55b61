-- name:     source
-- title:    SQL text that reads what a table argument names
-- params:   source VARCHAR,
--           trec VARCHAR
-- formula:  SQL as it is; a name with a slash or a wildcard by the reader of its suffix, a folder as its Parquet files;
--           any other name as a table, view or CTE, or else a file that DuckDB knows by its suffix
-- note:     trec is the text that reads TREC files, with {files} where their list goes. A name such as s.run may be a
--           table of a schema; a TREC file in the current folder is called ./s.run
SELECT
    list_extract(list_transform(
        [{
            'name': CAST($source AS VARCHAR),
            'files': named(listed($source)),
            'suffix': lower(regexp_extract(list_extract(listed($source), 1), '\.([A-Za-z]+)(\.(gz|zst))?$', 1)),
            'is_path': regexp_matches(list_extract(listed($source), 1), '^file:|[/\\*?]|\.(gz|zst)$')
        }],
        lambda given: CASE
            WHEN regexp_matches(
                given['name'],
                '(?is)^(sql:|(\s|--[^\n]*\n|/\*.*?\*/)*'
                || '(\(|(select|from|with)[\s"''*(]|(values|pivot|unpivot|describe)\s))'
            ) THEN regexp_replace(given['name'], '^sql:', '')
            WHEN NOT given['is_path'] THEN 'FROM query_table(' || given['files'] || ')'
            WHEN given['suffix'] IN ('parquet', 'pq')
                THEN 'FROM read_parquet(' || given['files'] || ', union_by_name = true)'
            WHEN given['suffix'] IN ('csv', 'tsv')
                THEN 'FROM read_csv(' || given['files'] || ', union_by_name = true)'
            WHEN given['suffix'] IN ('json', 'jsonl', 'ndjson')
                THEN 'FROM read_json(' || given['files'] || ', union_by_name = true)'
            WHEN given['suffix'] IN ('run', 'trec', 'qrel', 'qrels', 'txt')
                THEN replace($trec, '{files}', given['files'])
            WHEN given['suffix'] = '' AND regexp_full_match(given['name'], '[^*?]*/[^*?]*')
                THEN 'FROM read_parquet(''' 
                    || replace(rtrim(regexp_replace(given['name'], '^file:', ''), '/'), '''', '''''')
                    || '/**/*.parquet'', union_by_name = true)'
            ELSE 'FROM ''' || replace(regexp_replace(given['name'], '^file:', ''), '''', '''''') || ''''
        END
    ), 1) AS value;
